/** TLS and a user in front of the stand-in, for gRPC and for the pages over HTTP/1, as a secured server has them. */
import { once } from 'node:events'
import { createServer as createPages, request, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  connect,
  constants,
  createServer as createCalls,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:tls'
import type { Certificate } from '../own-postgres.ts'

export interface Secured {
  port: number
  /** The number of calls that had the right user and password, by protocol. */
  accepted: { grpc: number; http: number }
  /** Calls that are open continue, as on the real server, which asks for the password once per call. */
  changePassword(password: string): void
  close(): Promise<void>
}

/** These need no user: the features of the server and the gossip. */
const FOR_ALL = /serverfeatures|gossip/i
const CONNECTION_HEADERS = ['connection', 'host', 'transfer-encoding']

const UNAUTHENTICATED = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-status': '16',
  'grpc-message': 'Unauthenticated',
}

/** Passes a gRPC call on, with its trailers. */
const passCallOn = (inner: ClientHttp2Session, stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
  const call = inner.request(headers).on('error', () => {})
  let trailers = {}
  call.on('response', (answer, flags) => {
    if (stream.destroyed) return
    const isWhole = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
    stream.respond(answer, isWhole ? { endStream: true } : { waitForTrailers: true })
  })
  call.on('trailers', (sent) => (trailers = sent))
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  stream.on('close', () => call.close(constants.NGHTTP2_CANCEL))
  stream.pipe(call)
  call.pipe(stream)
}

const passPageOn = (port: number, incoming: IncomingMessage, outgoing: ServerResponse): void => {
  const headers = { ...incoming.headers }
  for (const name of CONNECTION_HEADERS) delete headers[name]
  const call = request({ port, host: '127.0.0.1', method: incoming.method, path: incoming.url, headers })
  call.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode!, { 'content-type': answer.headers['content-type'] ?? 'text/plain' })
    answer.pipe(outgoing)
  })
  call.on('error', () => outgoing.destroy())
  incoming.pipe(call)
}

export const secure = async (
  behind: number,
  { certificate: cert, key }: Certificate,
  [user, password]: readonly [string, string],
): Promise<Secured> => {
  const loginWith = (secret: string): string => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
  let expected = loginWith(password)
  const accepted = { grpc: 0, http: 0 }
  const inner = connect(`http://127.0.0.1:${behind}`).on('error', () => {})
  const calls = createCalls()
  calls.on('sessionError', () => {})
  calls.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    if (!FOR_ALL.test(headers[':path']!)) {
      if (headers.authorization !== expected) return stream.respond(UNAUTHENTICATED, { endStream: true })
      accepted.grpc++
    }
    passCallOn(inner, stream, headers)
  })
  const pages = createPages((incoming, outgoing) => {
    if (incoming.headers.authorization !== expected) return void outgoing.writeHead(401).end()
    accepted.http++
    passPageOn(behind, incoming, outgoing)
  })

  const sockets = new Set<Socket>()
  const server = createServer({ cert, key, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    ;(socket.alpnProtocol === 'h2' ? calls : pages).emit('connection', socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    accepted,
    changePassword: (changed) => {
      expected = loginWith(changed)
    },
    close: async () => {
      inner.destroy()
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
