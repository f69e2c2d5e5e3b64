/**
 * Attack: an endpoint sends the webhook sender anything but a short answer. Every answer is sent over a real socket to a sender with
 * default settings. A call must end within its ten seconds, read little, and delay no other call.
 */
import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { openSender, type SenderOptions } from '../../adapters/webhook-sender/sender.ts'
import type { Call, CallResult, Sender } from '../../domain/ports.ts'
import { CERTIFICATE, KEY } from '../integration/webhook-sender/certificate.ts'
import { openShop } from '../harness/shop.ts'

const never = new AbortController().signal

/** The bytes that sockets and their buffers may hold beyond what the sender reads. */
const MOST_ON_THE_WAY = 16 * 1024 ** 2

interface Hostile {
  url: string
  /** The number of bytes that the machine accepted from the endpoint. */
  sent: () => number
}

/** Sends a first piece, and then endlessly the same further piece. */
const pouring = (first: string, further: string): ((socket: Socket) => void) => {
  const piece = Buffer.from(further.repeat(Math.ceil(65_536 / further.length)))
  return (socket) => {
    const pour = () => {
      while (!socket.destroyed && socket.write(piece));
    }
    socket.on('drain', pour)
    socket.write(first)
    pour()
  }
}

/** Endlessly sends one byte at a time. */
const dripping =
  (text: string) =>
  (socket: Socket): void => {
    let at = 0
    const drip = setInterval(() => socket.write(text[at++ % text.length]!), 5)
    socket.once('close', () => clearInterval(drip))
  }

const SMALL_HEADERS = Array.from({ length: 20_000 }, (_, index) => `a${index}: b\r\n`).join('')

describe('a hostile endpoint', () => {
  const closing: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  const sender = (options: Partial<SenderOptions> = {}): Sender => {
    const opened = openSender({
      allowPrivate: true,
      ca: CERTIFICATE,
      resolve: () => Promise.resolve(['127.0.0.1']),
      ...options,
    })
    closing.push(() => opened.close())
    return opened
  }

  const endpoint = async (answer: (socket: Socket) => void, tls = false): Promise<Hostile> => {
    let before = 0
    const sockets = new Set<Socket>()
    const onSocket = (socket: Socket) => {
      sockets.add(socket.on('error', () => {}))
      socket.once('close', () => {
        before += socket.bytesWritten - socket.writableLength
        sockets.delete(socket)
      })
      socket.on('data', () => answer(socket))
    }
    const server: Server = tls ? createTlsServer({ key: KEY, cert: CERTIFICATE }, onSocket) : createServer(onSocket)
    server.on('tlsClientError', () => {})
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    const { port } = server.address() as AddressInfo
    const open = () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten - socket.writableLength, 0)
    return { url: tls ? `https://shop.test:${port}/` : `http://127.0.0.1:${port}/`, sent: () => before + open() }
  }

  const call = (url: string): Call => ({ method: 'POST', url, headers: {}, body: '{}' })

  const endless = [
    ['one header', 'HTTP/1.1 200 OK\r\nA: ', 'a'],
    ['a header’s name', 'HTTP/1.1 200 OK\r\n', 'a'],
    ['small headers', 'HTTP/1.1 200 OK\r\n', SMALL_HEADERS],
    ['a status line', 'HTTP/1.1 200 ', 'OK '],
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
    ['interim answers without headers', '', 'HTTP/1.1 102 \r\n\r\n'],
    ['blank lines', '', '\r\n'],
  ] as const

  for (const tls of [false, true])
    for (const [what, first, further] of endless)
      it(`cannot extend a call with ${what} without end${tls ? ', over TLS' : ''}`, async () => {
        const { url, sent } = await endpoint(pouring(first, further), tls)
        const result = await sender().send(call(url), never)
        expect(result).to.include({ http_status: 0, error: 'response_too_large' })
        expect(result.response_body).to.match(/^The answer's status line and headers are longer than 64 KB\.$/)
        expect(result.duration_ms).to.be.below(9_000)
        expect(sent()).to.be.below(MOST_ON_THE_WAY)
      })

  it('has a limit for each answer, on new and on reused connections', async () => {
    const head = `HTTP/1.1 200 OK\r\nContent-Length: 2\r\nA: ${'a'.repeat(60_000)}\r\n\r\nok`
    const { url } = await endpoint((socket) => socket.write(head))
    const one = sender()
    for (let time = 0; time < 5; time++)
      expect(await one.send(call(url), never)).to.include({ http_status: 200, error: null, response_body: 'ok' })
    const just = await endpoint((socket) => socket.write(`HTTP/1.1 103 ${'a'.repeat(40_000)}\r\n\r\n`.repeat(2)))
    expect(await one.send(call(just.url), never)).to.include({ http_status: 0, error: 'response_too_large' })
  })

  for (const [what, first, further] of [
    ['a body', 'Content-Length: 100000000000\r\n\r\n', 'x'],
    ['a chunked body', 'Transfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'],
    ['a chunk’s extension', 'Transfer-Encoding: chunked\r\n\r\n1;a=', 'a'],
    ['chunks with long extensions', 'Transfer-Encoding: chunked\r\n\r\n', `1;${'a'.repeat(10_000)}\r\nx\r\n`],
    ['a trailer', 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nA: ', 'a'],
    ['trailers', 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n', SMALL_HEADERS],
  ] as const)
    it(`cannot make the sender read ${what} without end: the status line decides`, async () => {
      for (const [status, error] of [
        ['200 OK', null],
        ['500 Oh', 'http_500'],
      ] as const) {
        const { url, sent } = await endpoint(pouring(`HTTP/1.1 ${status}\r\n${first}`, further))
        const result = await sender().send(call(url), never)
        expect(result).to.include({ http_status: Number(status.slice(0, 3)), error })
        expect(result.response_body.length).to.be.at.most(4_096)
        expect(result.duration_ms).to.be.below(9_000)
        expect(sent()).to.be.below(MOST_ON_THE_WAY)
      }
    })

  it('cannot make the sender unpack a compressed answer', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 ** 2))
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const { url } = await endpoint((socket) => {
      socket.write(head)
      socket.write(bomb)
    })
    const result = await sender().send(call(url), never)
    expect(result).to.include({ http_status: 200, error: null })
    expect(result.response_body.length).to.be.within(1, 4_096)
  })

  it('that drips slowly is given up after ten seconds, while other calls continue', async () => {
    const drips = await Promise.all(
      ['HTTP/1.1 200 OK and so on ', 'HTTP/1.1 103 E\r\nA: b\r\n\r\n', '\r\n'].map((text) => endpoint(dripping(text))),
    )
    const tls = await endpoint(() => {}, true)
    const plain = await endpoint(dripping('\x16\x03\x03'))
    const urls = [...drips, tls, { url: plain.url.replace('http:', 'https:') }].map(({ url }) => url)
    const one = sender()
    const hostile = urls.map((url) => one.send(call(url), never))
    const shop = await openShop()
    closing.push(() => shop.close())
    for (let time = 0; time < 20; time++) {
      const result = await one.send(call(shop.url), never)
      expect(result).to.include({ http_status: 200, error: null })
      expect(result.duration_ms).to.be.below(2_000)
    }
    for (const result of await Promise.all(hostile)) {
      expect(result.http_status).to.equal(0)
      expect(result.error).to.be.oneOf(['timeout', 'tls'])
      expect(result.duration_ms).to.be.below(14_000)
    }
  })

  it('does not delay other calls, even if twenty of them send endless answers', async () => {
    const { url } = await endpoint(pouring('HTTP/1.1 200 OK\r\n', SMALL_HEADERS))
    const shop = await openShop()
    closing.push(() => shop.close())
    const one = sender()
    const before = process.memoryUsage().rss
    const hostile = Array.from({ length: 20 }, () => one.send(call(url), never))
    const good = await Promise.all(Array.from({ length: 20 }, () => one.send(call(shop.url), never)))
    for (const result of good) expect(result).to.include({ http_status: 200, error: null })
    for (const result of await Promise.all(hostile)) expect(result.error).to.equal('response_too_large')
    expect(process.memoryUsage().rss - before).to.be.below(400 * 1024 ** 2)
  })

  it('may name headers like members of an object, which stay plain headers', async () => {
    const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString', '__proto__']
    const head = `HTTP/1.1 503 No\r\n${names.map((name) => `${name}: 9\r\n`).join('')}Retry-After: 7\r\nContent-Length: 0\r\n\r\n`
    const { url } = await endpoint((socket) => socket.write(head))
    expect(await sender().send(call(url), never)).to.include({ http_status: 503, retry_after_s: 7 })
    expect({}).not.to.have.property('9')
  })

  it('may send any bytes as a body: they are kept as storable text', async () => {
    const bytes = Buffer.concat([
      Buffer.from('\0\x1b[2J\u0085\u202e'),
      Buffer.from([0xff, 0xfe, 0xed, 0xa0, 0x80, 0xc0]),
      randomBytes(3_000),
    ])
    const { url } = await endpoint((socket) =>
      socket.end(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), bytes])),
    )
    const { response_body } = (await sender().send(call(url), never)) as CallResult
    expect(response_body).not.to.match(/\0|\p{Cs}/u)
    expect(JSON.parse(JSON.stringify(response_body))).to.equal(response_body)
  })
})
