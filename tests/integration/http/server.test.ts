/** Connections: callers that do not read, keep sending, or do not wait for answers; and how the server shuts down. */
import { expect } from 'chai'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import Koa from 'koa'
import { listen } from '../../../adapters/http/server.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi } from './api-under-test.ts'

describe('a client that stops reading', () => {
  it('is disconnected, and its response ends', async () => {
    const app = new Koa()
    app.silent = true
    const endless = new Readable({ read: () => void endless.push(Buffer.alloc(64 * 1024)) })
    app.use((context) => void (context.body = endless))
    const { port, close } = await listen(app, 0, { host: '127.0.0.1', stalledMs: 100 })
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const ended = once(endless, 'close').catch(() => {})
    await once(socket, 'readable')
    await ended
    expect(endless.destroyed).to.equal(true)
    socket.destroy()
    await close(0)
  })
})

/** A caller whose first request is not answered until the test says so. What it sends next is refused. */
const unansweredCaller = async () => {
  const app = new Koa()
  let release = () => {}
  const handled = new Promise<ServerResponse>((resolve) => {
    app.use(async (context) => {
      resolve(context.res)
      await new Promise<void>((done) => (release = done))
      context.body = 'done'
    })
  })
  const { port, close } = await listen(app, 0, { host: '127.0.0.1' })
  const socket = connect(port, '127.0.0.1')
  const pieces: Buffer[] = []
  socket.on('data', (piece) => void pieces.push(piece))
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const response = await handled
  // A later request has one of its own.
  const answerFirst = release
  return {
    response,
    /** Resolves when the server has read all of it. */
    send: async (text: string): Promise<void> => {
      const seen = response.socket!.bytesRead
      socket.write(text)
      while (response.socket!.bytesRead < seen + text.length) await new Promise((resolve) => setImmediate(resolve))
    },
    getsOneAnswerThenOneRefusal: async (): Promise<void> => {
      answerFirst()
      await once(socket, 'end')
      expect(Buffer.concat(pieces).toString()).to.match(/^HTTP\/1\.1 200 [^]*doneHTTP\/1\.1 400 (?![^]*HTTP\/)/)
      socket.destroy()
      await close(0)
    },
  }
}

describe('a caller that keeps sending data that is not a request', () => {
  it('gets the response to its first request and one refusal, and nothing grows meanwhile', async () => {
    const { response, send, getsOneAnswerThenOneRefusal } = await unansweredCaller()
    const before = response.listenerCount('finish')
    for (let sent = 1; sent <= 20; sent++) await send(`nonsense ${sent}\r\n\r\n`)
    expect(response.listenerCount('finish') - before).to.equal(1)
    await getsOneAnswerThenOneRefusal()
  })
})

describe('a caller that sends a broken body behind a request that is not answered yet', () => {
  it('gets the response to its first request first', async () => {
    const { send, getsOneAnswerThenOneRefusal } = await unansweredCaller()
    await send('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nz\r\n')
    await getsOneAnswerThenOneRefusal()
  })
})

describe('a caller that sends requests without waiting for answers', () => {
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

  /** Requests are held until the test releases them. */
  const held = async () => {
    const app = new Koa()
    const begun: string[] = []
    const releases: (() => void)[] = []
    app.use(async (context) => {
      begun.push(context.path)
      await new Promise<void>((done) => releases.push(done))
      context.body = context.path
    })
    const { port, close } = await listen(app, 0, { host: '127.0.0.1' })
    const socket = connect(port, '127.0.0.1')
    return { begun, releases, socket, close, port }
  }

  it('gets them one after another, in their order', async () => {
    const { begun, releases, socket, close } = await held()
    let answers = ''
    socket.on('data', (piece) => void (answers += String(piece)))
    socket.write(['/1', '/2', '/3'].map(request).join(''))
    for (let number = 1; number <= 3; number++) {
      await eventually(() => releases.length === number)
      expect(begun).to.deep.equal(['/1', '/2', '/3'].slice(0, number))
      releases.at(-1)!()
    }
    await eventually(() => answers.endsWith('/3'))
    expect(answers.match(/(?<=\r\n\r\n)\/\d/g)).to.deep.equal(['/1', '/2', '/3'])
    socket.destroy()
    await close(0)
  })

  /** The bodies of the answers so far. */
  const answersOf = (socket: Socket): (() => string[]) => {
    let text = ''
    socket.on('data', (piece) => void (text += String(piece)))
    return () => text.match(/(?<=\r\n\r\n)\/\d+/g) ?? []
  }

  it('gets an answer to each of many requests, whether they arrive together or one by one', async () => {
    const { releases, socket, close } = await held()
    const answers = answersOf(socket)
    const paths = Array.from({ length: 200 }, (_, number) => `/${number + 1}`)
    socket.write(paths.slice(0, 100).map(request).join(''))
    await eventually(() => releases.length === 1)
    socket.setNoDelay()
    for (const path of paths.slice(100)) {
      socket.write(request(path))
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (let number = 1; number <= paths.length; number++) {
      await eventually(() => releases.length === number)
      releases.at(-1)!()
    }
    await eventually(() => answers().length === paths.length)
    expect(answers()).to.deep.equal(paths)
    socket.destroy()
    await close(0)
  })

  it('is read no further while many of its requests wait, so it may send more than may wait', async () => {
    const app = new Koa()
    let release: (() => void) | undefined
    app.use(async (context) => {
      await new Promise<void>((done) => (context.path === '/1' ? (release = done) : setImmediate(done)))
      context.body = context.path
    })
    const { port, close } = await listen(app, 0, { host: '127.0.0.1' })
    const socket = connect(port, '127.0.0.1')
    const answers = answersOf(socket)
    let last = ''
    // The network may cut it anywhere.
    socket.on('data', (piece) => void (last = (last + String(piece)).slice(-10)))
    const paths = Array.from({ length: 12_000 }, (_, number) => `/${number + 1}`)
    // Node reads on behind a body that nobody read.
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok`
    socket.write(paths.map(post).join(''))
    await eventually(() => release !== undefined)
    release!()
    await eventually(() => last.endsWith(paths.at(-1)!))
    expect(answers()).to.deep.equal(paths)
    socket.destroy()
    await close(0)
  })

  it('is cut off if thousands wait, and no other request is begun', async () => {
    const { begun, socket, close, port } = await held()
    const others = Array.from({ length: 8 }, () => connect(port, '127.0.0.1'))
    const all = [socket, ...others]
    const closed = Promise.race(
      all.map((each) =>
        once(
          each.on('error', () => {}),
          'close',
        ),
      ),
    )
    for (const each of all) each.resume().write(request('/1').repeat(2_000))
    await closed
    expect(begun.length).to.be.at.most(all.length)
    const one = connect(port, '127.0.0.1')
    for (const each of all) each.destroy()
    one.resume().write(request('/2').repeat(100))
    await eventually(() => begun.includes('/2'))
    one.destroy()
    await close(0)
  })

  it('gets no request handled behind an answer that ends the connection, because it would not get its answer', async () => {
    const stops = await held()
    stops.socket.resume().write(request('/1') + request('/2'))
    await eventually(() => stops.begun.length === 1)
    const stopped = stops.close(600_000)
    stops.releases[0]!()
    await once(stops.socket, 'close')
    await stopped
    expect(stops.begun).to.deep.equal(['/1'])

    const { begun, releases, socket, close } = await held()
    socket.resume().write(`GET /1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n${request('/2')}`)
    await eventually(() => begun.length === 1)
    releases[0]!()
    await once(socket, 'close')
    expect(begun).to.deep.equal(['/1'])
    await close(0)
  })

  it('makes the server hold one answer only', async () => {
    const api = await openApi()
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
    socket.on('error', () => {})
    const before = process.memoryUsage().rss
    const requests = 200
    let answers = 0
    let rest = ''
    socket.on('data', (piece) => {
      // The network may cut it anywhere.
      const parts = (rest + String(piece)).split('HTTP/1.1 200')
      answers += parts.length - 1
      rest = parts.at(-1)!.slice(-'HTTP/1.1 20'.length)
    })
    socket.write(request('/api/openapi.json').repeat(requests))
    await eventually(() => answers === requests)
    expect((process.memoryUsage().rss - before) / 2 ** 20).to.be.below(100)
    socket.destroy()
    await api.close()
  })
})

describe('the shutdown of the server', () => {
  /** Before an idle connection would end by itself. */
  const endsSoon = async (closing: Promise<void>): Promise<void> => {
    let isOver = false
    void closing.then(() => (isOver = true))
    await eventually(() => isOver, { within: 20_000, what: 'the end of the shutdown' })
  }

  it('finishes requests in flight, accepts no new ones, and cuts off those that outlast the grace period', async () => {
    const app = new Koa()
    let release = () => {}
    let arrived = 0
    app.use(async (context) => {
      arrived++
      if (context.path === '/slow') await new Promise<void>((resolve) => (release = resolve))
      if (context.path === '/never') await new Promise(() => {})
      context.body = 'done'
    })
    const { port, close } = await listen(app, 0, { host: '127.0.0.1' })
    const url = `http://127.0.0.1:${port}`
    expect(await (await fetch(`${url}/quick`)).text()).to.equal('done')
    const slow = fetch(`${url}/slow`)
    const never = fetch(`${url}/never`).catch(() => 'cut off')
    while (arrived < 3) await new Promise((resolve) => setImmediate(resolve))
    const closed = close(500)
    release()
    const answer = await slow
    expect(answer.headers.get('connection')).to.equal('close')
    expect(await answer.text()).to.equal('done')
    expect(await fetch(`${url}/quick`).catch(() => 'refused')).to.equal('refused')
    await closed
    expect(await never).to.equal('cut off')
  })

  it('ends when the last request in flight is answered, although its caller would keep the connection', async () => {
    const app = new Koa()
    let release: (() => void) | null = null
    app.use(async (context) => {
      await new Promise<void>((resolve) => (release = resolve))
      context.body = 'done'
    })
    const { port, close } = await listen(app, 0, { host: '127.0.0.1' })
    const slow = fetch(`http://127.0.0.1:${port}/`)
    const answerIt = await eventually(() => release)
    const closed = close(600_000)
    answerIt()
    expect(await (await slow).text()).to.equal('done')
    await endsSoon(closed)
  })

  it('ends when an answer that had begun before is sent, although its head lets the caller keep the connection', async () => {
    const app = new Koa()
    const download = new PassThrough()
    app.use((context) => void (context.body = download))
    const { port, close } = await listen(app, 0, { host: '127.0.0.1' })
    download.write('begun')
    const answer = await fetch(`http://127.0.0.1:${port}/`)
    expect(answer.headers.get('connection')).to.equal('keep-alive')
    const closed = close(600_000)
    download.end(' and done')
    expect(await answer.text()).to.equal('begun and done')
    await endsSoon(closed)
  })
})
