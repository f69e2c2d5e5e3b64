// Tests: tests/integration/http/protocol.test.ts
/** Runs the HTTP server. On shutdown it finishes the requests that can still be answered. */
import { createServer, ServerResponse, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import { HEAD_LIMIT } from './middleware/query-length.ts'

/** Longer than the usual keep-alive time of proxies in front, so that they never send into a connection that is closing. */
const KEEP_ALIVE_MS = 75_000
/** Long enough for 10 MB over a phone's connection. */
const REQUEST_MS = 120_000

/**
 * A connection is closed if nothing was sent or read for this long. A reader that stopped would keep its answer in memory, and a stream or
 * an export its place. Longer than any answer takes to begin.
 */
const STALLED_MS = 120_000

/** For the request's head. */
const HEAD_MS = 20_000
/** Each connection may hold a head of 80 KB and the part of a body that has arrived. */
const MOST_CONNECTIONS = 8_192

/** Forbids browsers to guess a response's type, as responses contain text of strangers. Covers responses that Node or Koa writes itself. */
class NeverSniffed extends ServerResponse<IncomingMessage> {
  override writeHead(...head: unknown[]): this {
    this.setHeader('X-Content-Type-Options', 'nosniff')
    return super.writeHead(...(head as [number]))
  }
}

export interface Listening {
  port: number
  /** Answers later requests with another application. */
  serve(app: Koa): void
  /** Stops accepting connections, finishes requests in flight, and cuts off the remaining ones after the grace period (milliseconds). */
  close(graceMs: number): Promise<void>
}

type Refusal = readonly [status: string, code: string, message: string]

const NO_REQUEST: Refusal = ['400 Bad Request', 'VALIDATION_FAILED', 'This is not an HTTP request.']
const UNREADABLE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: ['414 URI Too Long', 'QUERY_TOO_LONG', 'The address or the headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'VALIDATION_FAILED', 'The request did not arrive in time.'],
}

const refusalOf = ({ code: cause = '' }: NodeJS.ErrnoException): string => {
  const [status, code, message] = UNREADABLE[cause] ?? NO_REQUEST
  const issues = code === 'VALIDATION_FAILED' ? { issues: [{ path: '', message }] } : {}
  const body = JSON.stringify({ success: false, error: code, message, ...issues })
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json',
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${body.length}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

/** The newest request of each connection, and its response. */
type Newest = WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>

/**
 * Requests that Node's parser refuses never reach Koa. They are answered here, in the same format. If they follow a whole request, that one is
 * answered first: its caller may have counted characters as bytes, and would send a notification again that was stored.
 */
const answerUnreadable = (server: Server, newest: Newest): void => {
  const delayed = new WeakSet<Duplex>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return socket.destroy()
    const refuse = (): void => {
      if (socket.writable) socket.end(refusalOf(error))
    }
    const { request, response } = newest.get(socket) ?? {}
    if (!request?.complete || !response || response.writableFinished) return refuse()
    // Each further piece that arrives meanwhile is an error too.
    if (delayed.has(socket)) return
    delayed.add(socket)
    response.once('finish', refuse)
  })
}

const plainly = (error: NodeJS.ErrnoException, port: number, setting: string): Error =>
  error.code === 'EADDRINUSE'
    ? new Error(`port ${port} is in use: set ${setting} to another port`, { cause: error })
    : error

/**
 * @param port  0: any free port
 * @param options.setting  the setting that contains the port, for the message if it is in use
 * @param options.host  the address to listen on. Default: all.
 */
export const listen = (
  app: Koa,
  port: number,
  { setting = 'PORT', host, stalledMs = STALLED_MS }: { setting?: string; host?: string; stalledMs?: number } = {},
): Promise<Listening> =>
  new Promise((resolve, reject) => {
    let handle = app.callback()
    const newest: Newest = new WeakMap()
    const take = (request: IncomingMessage, response: ServerResponse): void => {
      // During shutdown every response ends its connection. Otherwise keep-alive would keep the server open.
      if (closing) response.setHeader('Connection', 'close')
      newest.set(request.socket, { request, response })
      void handle(request, response)
    }
    const server = createServer(
      {
        maxHeaderSize: HEAD_LIMIT,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: REQUEST_MS,
        headersTimeout: HEAD_MS,
        noDelay: true,
        ServerResponse: NeverSniffed,
      },
      take,
    )
    // A caller may end its side of the connection behind its request, and still read the response.
    Object.assign(server, { httpAllowHalfOpen: true })
    // Node would answer 417 to any other expectation than `100-continue`, and a forwarder would send the notification for ever.
    server.on('checkExpectation', take)
    server.maxConnections = MOST_CONNECTIONS
    server.setTimeout(stalledMs)
    answerUnreadable(server, newest)
    const fail = (error: Error) => reject(plainly(error, port, setting))
    let closing = false
    const close = (graceMs: number): Promise<void> =>
      new Promise((done) => {
        closing = true
        const cut = setTimeout(() => server.closeAllConnections(), graceMs)
        server.close(() => {
          clearTimeout(cut)
          done()
        })
        server.closeIdleConnections()
      })
    server.once('error', fail)
    server.listen({ port, ...(host === undefined ? {} : { host }), backlog: 1_024 }, () => {
      server.off('error', fail)
      const serve = (next: Koa): void => void (handle = next.callback())
      resolve({ port: (server.address() as AddressInfo).port, serve, close })
    })
  })
