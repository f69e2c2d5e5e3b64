// Tests: tests/integration/receiver/receiver.test.ts
/**
 * An example of a shop's own server, to be copied (interface, section 4.4). It creates orders with a QR code for the payment,
 * receives Baoco's webhooks, and reports to the waiting page whether the order is paid. It uses only Node's own HTTP and the
 * QR code.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { failed, type Answer } from './answers.ts'
import { openOrders, type Bank } from './orders.ts'
import { Shop } from './shop.ts'
import { takeWebhook } from './webhook.ts'

export interface ReceiverOptions {
  /** The rule's secret_key. */
  secret: string
  /** The shop's payment prefix, as connected in Baoco. */
  prefix: string
  bank: Bank
}

/** Baoco's webhooks are at most 4 KB. */
const MOST_BYTES = 64 * 1024
class TooLarge extends Error {}

const rawBodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > MOST_BYTES) throw new TooLarge()
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

const write = (response: ServerResponse, { status, body, headers = {} }: Answer): void => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.end(text)
}

export const createReceiver = ({ secret, prefix, bank }: ReceiverOptions): Server => {
  const shop = new Shop(prefix)
  const orders = openOrders(shop, bank)

  const route = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '', headers } = request
    const [pathname = '/'] = (request.url ?? '/').split('?', 1)
    const [, orderId, picture] = /^\/orders\/([A-Za-z0-9]{1,40})(\/qr\.svg)?$/.exec(pathname) ?? []
    // Read as raw bytes, because the signature covers exactly these bytes.
    const rawBody = await rawBodyOf(request)
    // A rule calls with POST or PUT.
    if ((method === 'POST' || method === 'PUT') && pathname === '/webhook') {
      const textOf = (name: string): string | undefined => headers[name]?.toString()
      const [signature, event] = [textOf('x-webhook-signature'), textOf('x-webhook-event')]
      return takeWebhook({ shop, secret }, rawBody, { signature, event })
    }
    if (method === 'POST' && pathname === '/orders') return orders.makeOrder(rawBody, headers.host ?? 'localhost')
    if (method === 'GET' && orderId && picture) return orders.drawOrder(orderId)
    if (method === 'GET' && orderId) return orders.showOrder(orderId, request.socket.remoteAddress ?? '')
    return failed(404, 'This address does not exist.')
  }

  return createServer((request, response) => {
    route(request).then(
      (answer) => write(response, answer),
      (error: unknown) => {
        write(
          response,
          error instanceof TooLarge ? failed(413, 'The body is too large.') : failed(500, 'The shop had an error.'),
        )
        request.destroy()
      },
    )
  })
}
