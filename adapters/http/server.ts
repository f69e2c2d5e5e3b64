// Tests: tests/integration/http/server.test.ts
/** Runs the HTTP server. On shutdown it finishes the requests that can still be answered. */
import { createServer, ServerResponse, STATUS_CODES, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type Koa from 'koa'
import { HEAD_LIMIT } from './middleware/query-length.ts'
import { WaitingRequests } from './waiting-requests.ts'

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

/**
 * Forbids browsers to guess a response's type, as responses contain text of strangers. Covers responses that Node or Koa writes itself.
 * @param isClosing  Then every response ends its connection. Otherwise keep-alive would keep the server open.
 */
const responsesOf = (isClosing: () => boolean) =>
  class extends ServerResponse<IncomingMessage> {
    override writeHead(...head: unknown[]): this {
      this.setHeader('X-Content-Type-Options', 'nosniff')
      if (isClosing()) this.setHeader('Connection', 'close')
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

type Refusal = readonly [status: number, code: string, message: string]

const NO_REQUEST: Refusal = [400, 'VALIDATION_FAILED', 'This is not an HTTP request.']
/** RFC 9112, section 3.2. A proxy in front may have used another one of two hosts than we would. */
const NOT_ONE_HOST: Refusal = [400, 'VALIDATION_FAILED', 'An HTTP/1.1 request has exactly one Host header.']
const UNREADABLE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [414, 'QUERY_TOO_LONG', 'The address or the headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'VALIDATION_FAILED', 'The request did not arrive in time.'],
}

const answerTo = ([status, code, message]: Refusal) => {
  const issues = code === 'VALIDATION_FAILED' ? { issues: [{ path: '', message }] } : {}
  const body = JSON.stringify({ success: false, error: code, message, ...issues })
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': body.length,
  }
  return { status, headers, body }
}

const refusalOf = ({ code = '' }: NodeJS.ErrnoException): string => {
  const { status, headers, body } = answerTo(UNREADABLE[code] ?? NO_REQUEST)
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('\r\n')}\r\n\r\n${body}`
}

const hasOneHost = ({ rawHeaders, httpVersion }: IncomingMessage): boolean => {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts += 1
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

/** The newest request of each connection, its response, and the one before it if that was not sent yet. */
type Newest = WeakMap<
  Duplex,
  { request: IncomingMessage; response: ServerResponse; before: ServerResponse | undefined }
>

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
    const { request, response, before } = newest.get(socket) ?? {}
    // The newest request may itself be the unreadable one.
    const awaited = request?.complete ? response : before
    if (!awaited || awaited.writableFinished) return refuse()
    // Each further piece that arrives meanwhile is an error too.
    if (delayed.has(socket)) return
    delayed.add(socket)
    awaited.once('finish', refuse)
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
    const waiting = new WaitingRequests()
    /**
     * A request that follows another one on its connection begins when that one is answered. If that answer ended the connection, the request
     * is not handled, as its caller expects (RFC 9112, section 9.6).
     */
    const take = (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request
      const last = newest.get(socket)?.response
      const before = last?.writableFinished ? undefined : last
      newest.set(socket, { request, response, before })
      response.once('finish', () => {
        // The head of the answer may have been sent before the shutdown began, without `Connection: close`.
        if (closing && !waiting.has(socket)) socket.destroySoon()
      })
      if (!before) return begin(request, response)
      if (!waiting.add(socket)) return void socket.destroy()
      before.once('finish', () => {
        waiting.remove(socket)
        if (socket.writable) begin(request, response)
      })
    }
    const begin = (request: IncomingMessage, response: ServerResponse): void => {
      if (hasOneHost(request)) return void handle(request, response)
      const { status, headers, body } = answerTo(NOT_ONE_HOST)
      response.writeHead(status, headers).end(body)
    }
    const server = createServer(
      {
        maxHeaderSize: HEAD_LIMIT,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: REQUEST_MS,
        headersTimeout: HEAD_MS,
        noDelay: true,
        // Its refusal would have no body.
        requireHostHeader: false,
        ServerResponse: responsesOf(() => closing),
      },
      take,
    )
    // Node would drop headers after the 1,000th, such as the X-Forwarded-For that a proxy adds last. `HEAD_LIMIT` bounds them all.
    server.maxHeadersCount = 0
    // A caller may end its side of the connection after its request, and still read the response.
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
