/** Answers whose status line is valid, but whose headers are not. The endpoint has read the call and answered it. */
import { expect } from 'chai'
import type { Socket } from 'node:net'
import { callTo, never, openedForTests } from './setting.ts'

const TWO_LENGTHS = 'Content-Length: 2\r\nContent-Length: 2\r\n\r\nok'

describe('an answer with a faulty head', () => {
  const { sender, raw, answerOf, cutOffAfter } = openedForTests()

  for (const [what, answer] of [
    [
      'a length beside chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    ['the same length twice', `HTTP/1.1 200 OK\r\n${TWO_LENGTHS}`],
    ['a blank before a colon', 'HTTP/1.1 204 No Content\r\nServer : shop\r\n\r\n'],
    ['a line without a colon', 'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.0 201\r\nPHP Notice\r\n\r\nok'],
    ['line feeds only', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok'],
  ] as const)
    it(`is a success if its status line is 2xx, however it is split: ${what}`, async () => {
      expect(await answerOf(answer)).to.include({ error: null })
      const url = await raw((socket) =>
        socket.setNoDelay().once('data', () => {
          const bytes = [...answer]
          const drip = setInterval(() => (bytes.length > 0 ? socket.write(bytes.shift()!) : clearInterval(drip)), 1)
        }),
      )
      expect(await sender().send(callTo(url), never)).to.include({ error: null })
    })

  for (const [what, end] of [
    ['is closed', (socket: Socket) => socket.end()],
    ['breaks', (socket: Socket) => setTimeout(() => socket.resetAndDestroy(), 50)],
  ] as const)
    it(`is a success by its 2xx status line if the connection ${what} before the head ends`, async () => {
      for (const [line, error] of [
        ['200 OK', null],
        ['503 Busy', 'http_503'],
      ] as const) {
        const url = await raw((socket) =>
          socket.once('data', () => {
            socket.write(`HTTP/1.1 ${line}\r\nServer: shop\r\n`)
            end(socket)
          }),
        )
        const result = await sender().send(callTo(url), never)
        expect(result).to.include({ http_status: Number(line.slice(0, 3)), error })
      }
    })

  it('has the status of its line if the endpoint falls silent before the head ends', async () => {
    for (const [head, status, error] of [
      ['HTTP/1.1 200 OK\r\nServer: shop\r\n', 200, null],
      ['HTTP/1.1 500 Oops\r\n', 500, 'http_500'],
      // The line itself has not come completely.
      ['HTTP/1.1 200 OK', 0, 'timeout'],
    ] as const) {
      const result = await cutOffAfter(1_000, () => answerOf(head, { wholeCallMs: 1_000 }))
      expect(result).to.include({ http_status: status, error })
    }
  })

  it('has the status of its line if the call is stopped before the head ends', async () => {
    const stopping = new AbortController()
    // The call reads the line before that, even if the timer is late.
    const stop = () => setImmediate(() => stopping.abort())
    const url = await raw((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n', () => setTimeout(stop, 50))),
    )
    expect(await sender().send(callTo(url), stopping.signal)).to.include({ http_status: 200, error: null })
  })

  it('is reported with its status if it is not a success', async () => {
    expect(await answerOf(`HTTP/1.1 500 Oops\r\n${TWO_LENGTHS}`)).to.include({ http_status: 500, error: 'http_500' })
    expect(await answerOf(`HTTP/1.1 302 Found\r\n${TWO_LENGTHS}`)).to.include({ http_status: 302, error: 'redirect' })
  })

  for (const line of ['HTTP/1.1 2000 OK', 'HTTP/1.1 20', 'HTTP/1.1 200OK', 'HTTP/9 200 OK', 'SSH-2.0 200 OK'])
    it(`has no status if the status line is not valid: ${line}`, async () =>
      expect(await answerOf(`${line}\r\n${TWO_LENGTHS}`)).to.include({ http_status: 0, error: 'protocol' }))

  it('does not get the status of an earlier answer on its connection', async () => {
    const answers = ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'nonsense\r\n\r\n']
    let connections = 0
    const url = await raw((socket) => {
      connections++
      socket.on('data', () => socket.write(answers.shift()!))
    })
    const one = sender()
    expect(await one.send(callTo(url), never)).to.include({ http_status: 200 })
    expect(await one.send(callTo(url), never)).to.include({ http_status: 0, error: 'protocol' })
    expect(connections).to.equal(1)
  })
})
