// Tests: tests/integration/receiver/receiver.test.ts
/**
 * An example of a shop's own server, to be copied (interface, section 4.4). It creates orders with a QR code for the payment,
 * receives Baoco's webhooks, and reports to the waiting page whether the order is paid. It uses only Node's own HTTP and the
 * QR code.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { vietQr } from '../../domain/vietqr/payload.ts'
import { qrSvg } from '../http/resources/qr-code.ts'
import { Shop, type Order } from './shop.ts'
import { isGenuine, isRecent } from './verify.ts'

export interface ReceiverOptions {
  /** The rule's secret_key. */
  secret: string
  /** The shop's payment prefix, as connected in Baoco. */
  prefix: string
  /** The account that customers pay to. */
  bank: { bank_code: string; account_number: string; account_holder: string }
  now?: () => Date
}

interface Answer {
  status: number
  body: object | string
  headers?: Record<string, string>
}

/** Baoco's webhooks are at most 4 KB. */
const MOST_BYTES = 64 * 1024
/** Milliseconds. One query per order in this time (interface, section 6). */
const POLLING_MS = 2_000
const MOST_POLLERS = 10_000

const failed = (status: number, error: string): Answer => ({ status, body: { error } })

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

/** @returns null if the body is not a JSON object */
const objectOf = (rawBody: Buffer): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(rawBody.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

export const createReceiver = ({ secret, prefix, bank, now = () => new Date() }: ReceiverOptions): Server => {
  const shop = new Shop(prefix)
  const polledAt = new Map<string, number>()

  const payloadOf = ({ order_id, product }: Order): string =>
    vietQr({ ...bank, amount: product.price, content: order_id })

  const takeWebhook = (rawBody: Buffer, signature: string | undefined): Answer => {
    if (signature === undefined) return failed(401, 'The signature is missing.')
    if (!isGenuine(rawBody, signature, secret)) return failed(401, 'The signature is not valid.')
    const body = objectOf(rawBody)
    if (!body) return failed(400, 'The body is no JSON object.')
    if (!isRecent(body.timestamp, now())) return failed(401, 'The call is too old.')
    const ok: Answer = { status: 200, body: { ok: true } }
    // Not a payment for an order. A refusal would only cause retries.
    if (body.event === 'test' || body.transaction_type === 'debit' || body.currency !== 'VND') return ok
    const { order_id, amount, transaction_id } = body
    const order = typeof order_id === 'string' ? shop.find(order_id) : null
    if (!order) return failed(404, 'There is no such order.')
    if (typeof amount !== 'string' || !/^\d+(\.\d+)?$/.test(amount)) return failed(400, 'The amount is no decimal.')
    if (typeof transaction_id !== 'number' && typeof transaction_id !== 'string')
      return failed(400, 'The transaction has no id.')
    const { alreadyPaid } = shop.pay(order, { amount, transaction_id }, now())
    return alreadyPaid ? { status: 200, body: { ok: true, already_paid: true } } : ok
  }

  const makeOrder = async (rawBody: Buffer, host: string): Promise<Answer> => {
    const code = objectOf(rawBody)?.product_code
    const order = typeof code === 'string' ? shop.order(code) : null
    if (!order) return failed(400, 'There is no such product.')
    const qr_payload = payloadOf(order)
    return {
      status: 201,
      body: {
        order_id: order.order_id,
        amount: order.product.price,
        product_name: order.product.name,
        bank_code: bank.bank_code,
        bank_account: bank.account_number,
        bank_holder: bank.account_holder,
        qr_url: `http://${host}/orders/${order.order_id}/qr.svg`,
        qr_payload,
        qr_svg: await qrSvg(qr_payload),
      },
    }
  }

  const mayPoll = (poller: string): boolean => {
    const at = performance.now()
    const last = polledAt.get(poller)
    if (last !== undefined && at - last < POLLING_MS) return false
    polledAt.delete(poller)
    polledAt.set(poller, at)
    if (polledAt.size > MOST_POLLERS) polledAt.delete(polledAt.keys().next().value!)
    return true
  }

  const showOrder = (orderId: string, address: string): Answer => {
    if (!mayPoll(`${address} ${orderId}`))
      return { ...failed(429, 'Ask once in 2 seconds at most.'), headers: { 'retry-after': '2' } }
    const order = shop.find(orderId)
    if (!order) return failed(404, 'There is no such order.')
    const { status, paid_at, product } = order
    return { status: 200, body: { status, paid_at, amount: product.price } }
  }

  const drawOrder = async (orderId: string): Promise<Answer> => {
    const order = shop.find(orderId)
    if (!order) return failed(404, 'There is no such order.')
    return { status: 200, body: await qrSvg(payloadOf(order)), headers: { 'content-type': 'image/svg+xml' } }
  }

  const route = async (request: IncomingMessage): Promise<Answer> => {
    const { method = '', headers } = request
    const { pathname } = new URL(request.url ?? '/', 'http://receiver')
    const [, orderId, picture] = /^\/orders\/([A-Za-z0-9]{1,40})(\/qr\.svg)?$/.exec(pathname) ?? []
    // Read as raw bytes, because the signature covers exactly these bytes.
    const rawBody = await rawBodyOf(request)
    // A rule calls with POST or PUT.
    if ((method === 'POST' || method === 'PUT') && pathname === '/webhook') {
      const signature = headers['x-webhook-signature']
      return takeWebhook(rawBody, typeof signature === 'string' ? signature : undefined)
    }
    if (method === 'POST' && pathname === '/orders') return makeOrder(rawBody, headers.host ?? 'localhost')
    if (method === 'GET' && orderId && picture) return drawOrder(orderId)
    if (method === 'GET' && orderId) return showOrder(orderId, request.socket.remoteAddress ?? '')
    return failed(404, 'This address does not exist.')
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

  return createServer((request, response) => {
    route(request).then(
      (answer) => write(response, answer),
      (error: unknown) => {
        write(response, error instanceof TooLarge ? failed(413, 'The body is too large.') : failed(500, 'It failed.'))
        request.destroy()
      },
    )
  })
}
