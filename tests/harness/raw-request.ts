/** Requests that are written byte by byte, for cases that no client would send. */
import { connect } from 'node:net'

export interface RawRequest {
  method: string
  /** The path with its query. */
  path: string
  headers?: readonly (readonly [string, string])[]
  body?: Buffer | string
  /** If set, the body is sent in chunks of this many bytes, without a length. */
  chunks?: number
}

const chunked = (body: Buffer, size: number): Buffer => {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])
}

/** The bytes of the request on the connection. */
export const bytesOf = ({ method, path, headers = [], body, chunks }: RawRequest): Buffer => {
  const lines = [`${method} ${path} HTTP/1.1`]
  if (!headers.some(([name]) => name.toLowerCase() === 'host')) lines.push('Host: localhost')
  lines.push('Connection: close', ...headers.map(([name, value]) => `${name}: ${value}`))
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(body as string)
  if (chunks !== undefined) lines.push('Transfer-Encoding: chunked')
  else if (body !== undefined) lines.push(`Content-Length: ${bytes.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return Buffer.concat([head, chunks === undefined ? bytes : chunked(bytes, chunks)])
}

export interface RawAnswer {
  /** 0 if the connection was cut without an answer. */
  status: number
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>
  body: string
}

/** Writes the whole request before it reads the answer, like simple clients. Resolves when the connection has ended. */
export const exchangeRaw = async (port: number, bytes: Buffer): Promise<RawAnswer> => {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const pieces: Buffer[] = []
  socket.pause()
  socket.write(bytes, () => {
    socket.on('data', (piece) => pieces.push(piece as Buffer))
    socket.resume()
  })
  await closed
  const answer = Buffer.concat(pieces).toString('latin1')
  const end = answer.indexOf('\r\n\r\n')
  const [first = '', ...lines] = answer.slice(0, Math.max(0, end)).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  return { status: Number(first.split(' ')[1] ?? 0), headers: new Map(headers), body: answer.slice(end + 4) }
}
