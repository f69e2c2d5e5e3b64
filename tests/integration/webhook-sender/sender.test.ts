import { expect } from 'chai'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { bestTime, timeOf } from '../../harness/best-time.ts'
import { eventually } from '../../harness/eventually.ts'
import { hang, status } from '../../harness/shop.ts'
import { callTo, never, openedForTests } from './setting.ts'

describe('the webhook sender', () => {
  const { closing, sender, shop, raw, answerOf, cutOffAfter } = openedForTests()

  it('sends method, headers and body byte for byte', async () => {
    const { url, calls } = await shop()
    const body = '{"note":"Chuyển tiền 🧧"}'
    const result = await sender().send({ ...callTo(`${url}?a=1&b=%20`), method: 'PUT', headers: { 'content-type': 'application/json', 'x-webhook-attempt': '2' }, body }, never) // prettier-ignore
    expect(result).to.include({ http_status: 200, response_body: 'ok', error: null, retry_after_s: null })
    expect(calls[0]).to.include({ method: 'PUT', path: '/webhook?a=1&b=%20', body })
    expect(calls[0]!.headers).to.include({ 'x-webhook-attempt': '2', 'content-type': 'application/json' })
  })

  it('treats only 2xx as a success', async () => {
    const { url, answer } = await shop()
    for (const [code, error] of [
      [204, null],
      [300, 'redirect'],
      [500, 'http_500'],
      [404, 'http_404'],
      [410, 'http_410'],
    ] as const) {
      answer(status(code, code === 204 ? '' : 'words'))
      expect(await sender().send(callTo(url), never)).to.include({ http_status: code, error })
    }
  })

  it('never follows a redirect', async () => {
    const target = await shop()
    const { url } = await shop(status(302, '', { location: target.url }))
    expect(await sender().send(callTo(url), never)).to.include({ http_status: 302, error: 'redirect' })
    expect(target.calls).to.deep.equal([])
  })

  it('reuses a connection after a short answer, however many bytes came before', async () => {
    let connections = 0
    const server = createHttpServer((request, response) => {
      // The answers together are longer than the head of one may be, and each comes in two pieces.
      response.setHeader('x-padding', 'x'.repeat(4_000)).flushHeaders()
      const end = () => setImmediate(() => setImmediate(() => response.end('ok')))
      request.resume().once('end', end)
    })
    server.on('connection', () => connections++)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const one = sender()
    const call = callTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    for (let calls = 0; calls < 20; calls++)
      expect(await one.send(call, never)).to.include({ http_status: 200, response_body: 'ok' })
    expect(connections).to.equal(1)
  })

  it('closes an idle connection before a server that waits two seconds closes it', async () => {
    const server = createHttpServer((request, response) => request.resume().once('end', () => response.end('ok')))
    // It names no time in its answers.
    server.keepAliveTimeout = 0
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const untilClosed = async (): Promise<number> => {
      const connected = once(server, 'connection') as Promise<[Socket]>
      await sender().send(callTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), never)
      const [socket] = await connected
      return timeOf(() => socket.closed || once(socket, 'close'))
    }
    expect(await bestTime(3_000, untilClosed)).to.be.within(1_000, 2_999)
  })

  it('does not reuse a connection whose answer was not read to its end', async () => {
    const addresses = new Set<number>()
    const server = createHttpServer((request, response) => {
      addresses.add(request.socket.remotePort!)
      request
        .resume()
        .once('end', () => (addresses.size === 1 ? response.write('x'.repeat(10_000)) : response.end('ok')))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => (server.closeAllConnections(), server.close()))
    const one = sender()
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    expect((await one.send(callTo(url), never)).response_body).to.have.length(4_096)
    expect((await one.send(callTo(url), never)).response_body).to.equal('ok')
    expect(addresses.size).to.equal(2)
  })

  it('reuses no connection to an endpoint that has answered a call twice', async () => {
    const answer = (words: string) => `HTTP/1.1 200 OK\r\nContent-Length: ${words.length}\r\n\r\n${words}`
    let connections = 0
    const url = await raw((socket) => {
      connections++
      socket.on('data', () => {
        socket.write(answer('first'))
        setTimeout(() => socket.write(answer('second')), 3)
      })
    })
    const one = sender()
    await one.send(callTo(url), never)
    await pause(100)
    for (let number = 0; number < 100; number++)
      expect((await one.send(callTo(url), never)).response_body).to.equal('first')
    expect(connections).to.equal(101)
  })

  it('makes concurrent calls to one endpoint', async () => {
    let open = 0
    const { url, calls } = await shop((_call, response) => {
      open++
      void eventually(() => open >= 10).then(() => response.end('ok'))
    })
    const one = sender()
    const results = await Promise.all(Array.from({ length: 10 }, () => one.send(callTo(url), never)))
    expect(results.every((result) => result.http_status === 200)).to.equal(true)
    expect(calls.length).to.equal(10)
  })

  it('gives up on an endpoint that never answers', async () => {
    const { url } = await shop(hang)
    const one = sender({ wholeCallMs: 200 })
    const result = await cutOffAfter(200, () => one.send(callTo(url), never))
    expect(result).to.include({ http_status: 0, error: 'timeout', response_body: 'No answer within 0.2 seconds.' })
  })

  it('gives up after ten seconds if no other limit is set', async () => {
    const { url } = await shop(hang)
    const { setTimeout: real } = globalThis
    globalThis.setTimeout = ((work: () => void, ms: number) =>
      real(work, ms === 10_000 ? 100 : ms)) as typeof setTimeout
    try {
      expect(await sender().send(callTo(url), never)).to.include({ response_body: 'No answer within 10 seconds.' })
    } finally {
      globalThis.setTimeout = real
    }
  })

  it('takes an answer that came in time, although this process stood still until the time was over', async () => {
    const answersLater = `
      const { parentPort } = require('node:worker_threads')
      const server = require('node:http').createServer((request, response) => {
        parentPort.postMessage('called')
        setTimeout(() => response.end('ok'), 50)
      })
      server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`
    const endpoint = new Worker(answersLater, { eval: true })
    closing.push(() => endpoint.terminate())
    const [port] = (await once(endpoint, 'message')) as [number]
    const sent = sender({ wholeCallMs: 500 }).send(callTo(`http://127.0.0.1:${port}/`), never)
    await once(endpoint, 'message')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
    expect(await sent).to.include({ http_status: 200, response_body: 'ok', error: null })
  })

  it('limits the time of connect, headers and body together', async () => {
    const url = await raw((socket) => {
      const letters = 'HTTP/1.1 200 OK and ever so slow\r\n'.repeat(10)
      let at = 0
      const drip = setInterval(() => socket.write(letters[at++ % letters.length]!), 20)
      socket.once('close', () => clearInterval(drip))
    })
    const one = sender({ wholeCallMs: 300 })
    const result = await cutOffAfter(300, () => one.send(callTo(url), never))
    expect(result.error).to.equal('timeout')
  })

  it('treats a 2xx status line as a success if the body never ends', async () => {
    expect(await answerOf('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')).to.include({
      http_status: 200,
      error: null,
      response_body: 'half',
    })
  })

  it('treats a 2xx status line as a success if the connection breaks in the body', async () => {
    const url = await raw((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')),
    )
    expect(await sender().send(callTo(url), never)).to.include({ http_status: 200, error: null, response_body: 'half' })
  })

  it('reads at most 4 KB of a gigabyte, without splitting a character', async () => {
    let written = 0
    const url = await raw((socket) => {
      const piece = Buffer.from('ạ'.repeat(20_000))
      const pour = () => {
        while (!socket.destroyed && socket.write(piece)) written += piece.length
        written += piece.length
      }
      socket.on('drain', pour)
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n')
        pour()
      })
    })
    const result = await sender().send(callTo(url), never)
    expect(result).to.include({ http_status: 200, error: null, response_body: 'ạ'.repeat(1365) })
    expect(written).to.be.below(50_000_000)
  })

  it('stops reading an endless body without waiting for its end', async () => {
    const { url } = await shop((_call, response) => {
      const pour = setInterval(() => response.write('x'.repeat(2_000)), 5)
      response.once('close', () => clearInterval(pour))
    })
    const result = await sender().send(callTo(url), never)
    expect(result).to.include({ http_status: 200, error: null })
    expect(result.response_body).to.have.length(4_096)
  })

  it('replaces NUL, which the database cannot store', async () => {
    const { url } = await shop(status(200, 'a\0b'))
    expect((await sender().send(callTo(url), never)).response_body).to.equal('a\ufffdb')
  })

  it('skips informational answers', async () => {
    const head = 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n'
    expect(await answerOf(head)).to.include({ http_status: 201, error: null })
  })

  for (const [what, bytes, error] of [
    ['closes without an answer', '', 'reset'],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'protocol'],
    [
      'wants another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'protocol',
    ],
    ['sends endless headers', `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`, 'response_too_large'],
  ] as const)
    it(`reports ${error} if the endpoint ${what}`, async () => {
      const url = await raw((socket) => socket.once('data', () => socket.end(bytes)))
      const result = await sender().send(callTo(url), never)
      expect(result).to.include({ http_status: 0, error })
      expect(result.response_body).to.be.a('string').and.not.equal('')
    })

  it('says so in the same words whatever else it speaks', async () => {
    for (const bytes of ['SSH-2.0-OpenSSH_9.6\r\n', 'hello', 'HTTP/1.1 abc\r\n\r\n']) {
      const url = await raw((socket) => socket.once('data', () => socket.end(bytes)))
      expect((await sender().send(callTo(url), never)).response_body, bytes).to.equal('The answer was not valid HTTP.')
    }
  })

  it('reports refused if no server listens', async () => {
    const server: Server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    expect(await sender().send(callTo(`http://127.0.0.1:${port}/`), never)).to.include({ error: 'refused' })
  })

  it('reports dns if the name has no address', async () => {
    const result = await sender().send(callTo('https://nothing.invalid/'), never)
    expect(result).to.include({ http_status: 0, error: 'dns' })
  })

  it('accepts an answer without a length that ends with its connection', async () => {
    const url = await raw((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it')))
    expect(await sender().send(callTo(url), never)).to.include({ http_status: 200, response_body: 'all of it' })
  })

  it('ends a call when it is stopped', async () => {
    const { url, calls } = await shop(hang)
    const stopping = new AbortController()
    const result = sender().send(callTo(url), stopping.signal)
    await eventually(() => calls.length === 1)
    stopping.abort()
    expect(await result).to.include({ http_status: 0, error: 'stopped' })
    expect(await sender().send(callTo(url), stopping.signal)).to.include({ error: 'stopped' })
    expect(calls.length).to.equal(1)
  })

  it('ends a call in progress when it is closed', async () => {
    const { url, calls } = await shop(hang)
    const one = sender()
    const result = one.send(callTo(url), never)
    await eventually(() => calls.length === 1)
    await one.close()
    expect(await result).to.include({ http_status: 0, error: 'reset' })
  })

  it('sends nothing if the connection could be opened only after the call had ended', async () => {
    const { url, calls } = await shop()
    const named = callTo(url.replace('127.0.0.1', 'shop.test'))
    const lookups: ((addresses: readonly string[]) => void)[] = []
    const one = sender({ resolve: () => new Promise((answer) => lookups.push(answer)) })
    const stopping = new AbortController()
    const ended = one.send(named, stopping.signal)
    await eventually(() => lookups.length === 1)
    stopping.abort()
    expect(await ended).to.include({ error: 'stopped' })
    let isDone = false
    const next = one.send(named, never).finally(() => (isDone = true))
    await eventually(() => {
      for (const answer of lookups) answer(['127.0.0.1'])
      return isDone
    })
    expect(await next).to.include({ http_status: 200 })
    expect(calls).to.have.length(1)
  })

  it('applies the same time limit and stop signal to an endpoint in this process', async () => {
    const own = 'https://baoco.example/inbox/bci_1.x'
    const calling = (...answers: Promise<{ status: number; body: string }>[]) =>
      sender({ wholeCallMs: 100, inboxesAt: 'https://baoco.example', inProcess: () => answers.shift() ?? null })
    const quick = calling(Promise.resolve({ status: 200, body: 'a'.repeat(5_000) }))
    const answered = await quick.send(callTo(own), never)
    expect(answered).to.include({ http_status: 200, error: null })
    expect(answered.response_body).to.have.lengthOf(4_096)
    const refusing = calling(Promise.resolve({ status: 500, body: 'no' }))
    expect(await refusing.send(callTo(own), never)).to.include({ http_status: 500, error: 'http_500' })
    const silence = () => new Promise<never>(() => {})
    expect(await calling(silence()).send(callTo(own), never)).to.include({ http_status: 0, error: 'timeout' })
    const stopping = new AbortController()
    const stopped = calling(silence()).send(callTo(own), stopping.signal)
    stopping.abort()
    expect(await stopped).to.include({ http_status: 0, error: 'stopped' })
  })

  it('keeps no answers after their calls, however long the process runs', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const used = () => {
      collect()
      return process.memoryUsage().arrayBuffers
    }
    const own = 'https://baoco.example/inbox/bci_1.x'
    const body = 'a'.repeat(1_000_000)
    const one = sender({
      inboxesAt: 'https://baoco.example',
      inProcess: () => Promise.resolve({ status: 200, body }),
    })
    const before = used()
    for (let count = 0; count < 20; count++) await one.send(callTo(own), never)
    await eventually(() => used() - before < 5_000_000)
  })
})
