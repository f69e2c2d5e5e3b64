/** Senders, shops and raw servers of one suite, which are closed after each test. */
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { openSender, type SenderOptions } from '../../../adapters/webhook-sender/sender.ts'
import type { Call, CallResult, Sender } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { openShop, type Shop } from '../../harness/shop.ts'

export const never = new AbortController().signal

export const callTo = (url: string): Call => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{"a":1}',
})

/** A server that sends raw bytes, for answers that no HTTP server would give. */
const openRaw = async (onConnection: (socket: Socket) => void): Promise<{ url: string; close: () => void }> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** To be called in a `describe`. */
export const openedForTests = () => {
  const closing: (() => unknown)[] = []
  const closedAfter = <Thing>(thing: Thing, close: () => unknown): Thing => {
    closing.push(close)
    return thing
  }
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  const sender = (options: Partial<SenderOptions> = {}): Sender => {
    const opened = openSender({ allowPrivate: true, ...options })
    return closedAfter(opened, () => opened.close())
  }
  const shop = async (...args: Parameters<typeof openShop>): Promise<Shop> => {
    const opened = await openShop(...args)
    return closedAfter(opened, () => opened.close())
  }
  const raw = async (onConnection: (socket: Socket) => void): Promise<string> => {
    const opened = await openRaw(onConnection)
    return closedAfter(opened.url, opened.close)
  }
  /**
   * Makes a call that runs into its time limit, until it takes about that long. On a busy machine it may take longer, and also seem shorter,
   * because a timer counts from the beginning of its turn of the event loop.
   * @param limit  milliseconds
   */
  const cutOffAfter = (limit: number, call: () => Promise<CallResult>): Promise<CallResult> =>
    eventually(async () => {
      const result = await call()
      expect(result.duration_ms).to.be.within(limit - 10, 2_000)
      return result
    })
  /** The limit ends calls whose answer never ends. A busy machine may take a second for one that is complete. */
  const answerOf = async (head: string, options: Partial<SenderOptions> = {}): Promise<CallResult> => {
    const url = await raw((socket) => socket.once('data', () => socket.write(head)))
    return sender({ wholeCallMs: 3_000, ...options }).send(callTo(url), never)
  }

  return { closing, sender, shop, raw, answerOf, cutOffAfter }
}
