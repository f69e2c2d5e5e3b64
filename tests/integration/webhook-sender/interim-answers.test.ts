/** Answers before the final one (1xx), which an endpoint may send at any time. */
import { expect } from 'chai'
import { createServer as createTlsServer } from 'node:tls'
import type { AddressInfo, Socket } from 'node:net'
import { InterimAnswers } from '../../../adapters/webhook-sender/interim-answers.ts'
import { CERTIFICATE, KEY } from './certificate.ts'
import { callTo, never, openedForTests } from './setting.ts'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'

const ok = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`

describe('interim answers to a webhook call', () => {
  const { closing, sender, raw, answerOf } = openedForTests()

  for (const [what, head] of [
    ['100', CONTINUE],
    ['100 without a reason', 'HTTP/1.1 100\r\n\r\n'],
    ['100 of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
    ['100 with headers', 'HTTP/1.1 100 Continue\r\nDate: today\r\nServer: shop\r\n\r\n'],
    ['100 three times', CONTINUE.repeat(3)],
    ['100 with line feeds only', 'HTTP/1.1 100 Continue\nDate: today\n\n'],
    ['100 and others, mixed', HINTS + CONTINUE + HINTS + CONTINUE],
  ] as const)
    it(`are skipped: ${what}`, async () => {
      expect(await answerOf(head + ok('done'))).to.include({ http_status: 200, error: null, response_body: 'done' })
    })

  it('are skipped at every place where they can be split', async () => {
    const one = sender()
    const answer = CONTINUE + HINTS + ok('done')
    let at = 0
    const url = await raw((socket) =>
      socket.setNoDelay().on('data', () => {
        socket.write(answer.slice(0, at))
        setTimeout(() => socket.write(answer.slice(at)), 3)
      }),
    )
    for (at = 1; at < answer.length; at++)
      expect(await one.send(callTo(url), never), `${at}`).to.include({ http_status: 200, response_body: 'done' })
  })

  it('are skipped in single bytes, and for each call of a connection', async () => {
    let connections = 0
    const url = await raw((socket) => {
      connections++
      socket.setNoDelay().on('data', () => {
        const bytes = [...(CONTINUE + CONTINUE + ok('done'))]
        const drip = setInterval(() => (bytes.length > 0 ? socket.write(bytes.shift()!) : clearInterval(drip)), 1)
      })
    })
    const one = sender()
    for (let call = 0; call < 3; call++)
      expect(await one.send(callTo(url), never)).to.include({ http_status: 200, response_body: 'done' })
    expect(connections).to.equal(1)
  })

  it('are skipped over TLS', async () => {
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (socket) =>
      socket.on('data', () => {
        socket.write(CONTINUE)
        setTimeout(() => socket.write(CONTINUE + ok('done')), 5)
      }),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => server.close())
    const one = sender({ resolve: () => Promise.resolve(['127.0.0.1']), ca: CERTIFICATE })
    const call = callTo(`https://shop.test:${(server.address() as AddressInfo).port}/`)
    for (let calls = 0; calls < 2; calls++)
      expect(await one.send(call, never)).to.include({ http_status: 200, response_body: 'done' })
    await one.close()
  })

  it('are not looked for in a body, however it is split', async () => {
    const body = CONTINUE.repeat(3)
    const head = ok(body).slice(0, -body.length)
    const url = await raw((socket) =>
      socket.setNoDelay().on('data', () => {
        const parts = [CONTINUE + head, CONTINUE, CONTINUE.repeat(2)]
        const write = setInterval(() => (parts.length > 0 ? socket.write(parts.shift()!) : clearInterval(write)), 5)
      }),
    )
    expect(await sender().send(callTo(url), never)).to.include({ http_status: 200, response_body: body })
  })

  it('do not count as the answer', async () => {
    expect(await answerOf(CONTINUE)).to.include({ http_status: 0, error: 'timeout' })
    const closes = await raw((socket) => socket.once('data', () => socket.end(CONTINUE)))
    expect(await sender().send(callTo(closes), never)).to.include({ http_status: 0, error: 'reset' })
  })

  it('cost time linear in the length of the piece that they arrive in', () => {
    const piece = Buffer.from('HTTP/1.1 100\n\n'.repeat(40_000) + ok('done'))
    const socket = { read: () => piece } as unknown as Socket
    new InterimAnswers().skipOn(socket)
    const began = process.cpuUsage()
    expect(String(socket.read())).to.equal(ok('done'))
    expect(process.cpuUsage(began).user / 1_000).to.be.below(1_000)
  })

  it('are limited to 64 KB, whether they end or not', async () => {
    for (const endless of [CONTINUE, 'HTTP/1.1 100 Continue\r\nA: b', 'a'.repeat(100)]) {
      const url = await raw((socket) => {
        socket.once('data', () => {
          socket.write(CONTINUE.slice(0, -2))
          const pour = setInterval(() => socket.write(endless.repeat(100)), 1)
          socket.once('close', () => clearInterval(pour))
        })
      })
      expect((await sender().send(callTo(url), never)).error).to.equal('response_too_large')
    }
  })
})
