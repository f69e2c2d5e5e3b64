/**
 * Attack: one request, or a few connections, stop the service for everybody. Before the limits, 64 KB of `a&a&a` in a query took 16 s of
 * CPU, a multipart body of 140,000 parts 8 s and 580 MB, unknown keys in verify-email 2 s and an answer of 38 MB, and 150 connections held
 * 1 GB. The tests measure CPU time, because other processes may delay the service.
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { formToken } from '../../domain/account/tokens.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { eventually } from '../harness/eventually.ts'
import { bytesOf, exchangeRaw, type RawRequest } from '../harness/raw-request.ts'
import { requestsOfCallers, requestsOfStrangers, type WorstRequest } from '../harness/worst-requests.ts'
import { pairPhone } from '../integration/http/paired-phone.ts'

const KB = 1024
const MB = 1024 * KB

/** CPU of this whole process, which is server and client at once. The limit is several times what the server alone may take. */
const STRANGERS_MS = 250
const CALLERS_MS = 1_000
/** A busy machine makes every instruction slower. A request that is expensive by itself exceeds the limit in each try. */
const TRIES = 5

const TEXT = 'SD TK 0011000415567 +150,000VND luc 07-06-2024 11:41:31. SD 1,250,000VND. Ref MBVCB.5512.DH1042'

const SLOW =
  'Thông báo BIDV\nThời gian giao dịch: 20:50 10/04/2026\nTài khoản thanh toán: 4311474999\nSố tiền GD: +10,000 VND\nSố dư cuối: 833,662 VND\nNội dung giao dịch: DH1'

/** Measures the CPU of the turns of the event loop, in milliseconds, until it is ended. */
const watchTurns = () => {
  const first = process.cpuUsage()
  let before = first
  let longest = 0
  let isEnded = false
  const ms = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000
  const turn = (): void => {
    longest = Math.max(longest, ms(process.cpuUsage(before)))
    before = process.cpuUsage()
    if (!isEnded) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    end: () => {
      isEnded = true
      return { longest, all: ms(process.cpuUsage(first)) }
    },
  }
}

describe('attack: expensive single requests', () => {
  let api: ApiUnderTest
  let port: number
  let personal: string
  let device: string
  let ofCallers: ReturnType<typeof requestsOfCallers>
  const open: Socket[] = []

  before(async () => {
    api = await openApi({ trustProxy: 1 }, 'real')
    port = Number(new URL(api.url).port)
    personal = `/api/receive/u/${api.owner.receive_token}`
    ofCallers = requestsOfCallers({ apiKey: api.owner.api_key, personalPath: personal })
    device = await pairPhone(api)
  })
  afterEach(() => open.splice(0).forEach((socket) => socket.destroy()))
  after(() => api.close())

  const expectCheap = async ({ status, ...request }: WorstRequest, limitMs: number) => {
    const bytes = bytesOf(request)
    let least = Infinity
    for (let tries = 0; tries < TRIES && least >= limitMs; tries++) {
      const before = process.cpuUsage()
      const answer = await exchangeRaw(port, bytes)
      const { user, system } = process.cpuUsage(before)
      expect(answer.status).to.equal(status)
      least = Math.min(least, (user + system) / 1000)
    }
    expect(least, 'ms CPU').to.be.below(limitMs)
  }

  /** Writes the head and the beginning of a request, and nothing more. */
  const hold = async (head: string, begun: Buffer): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    open.push(socket)
    await once(socket, 'connect')
    socket.write(`${head}\r\nHost: x\r\n\r\n`)
    await new Promise((resolve) => socket.write(begun, resolve))
    return socket
  }
  const answerOn = async (socket: Socket): Promise<string> => {
    let answer = ''
    for await (const piece of socket) if ((answer += String(piece)).includes('\r\n\r\n')) break
    return answer
  }

  const finish = async (socket: Socket, bytes: number) => {
    socket.write(Buffer.alloc(bytes, 'a'))
    return answerOn(socket)
  }

  for (const request of requestsOfStrangers)
    it(`from a stranger: ${request.name}`, () => expectCheap(request, STRANGERS_MS))

  const placeholder = { apiKey: 'KEY', personalPath: '/PERSONAL' }
  for (const [index, { name }] of requestsOfCallers(placeholder).entries())
    it(`from an account: ${name}`, () => expectCheap(ofCallers[index]!, CALLERS_MS))

  it('do not block others while a long body arrives', async () => {
    await hold(`POST ${personal} HTTP/1.1\r\nContent-Length: ${10 * MB}`, Buffer.alloc(9 * MB, 'a'))
    expect((await api.ask('GET', '/healthz')).status).to.equal(200)
    expect((await api.ask('POST', personal, { json: { text: TEXT } })).status).to.equal(200)
  })

  it('do not block others while the texts of a batch are read', async () => {
    // Every line looks like a balance of the bank's: 20 ms each.
    const text = `${'so du  20:51 10\n:'.repeat(460)}${SLOW}`
    const items = Array(100).fill({ type: 'notification', package: 'com.vnpay.bidv', text })
    const turns = watchTurns()
    const answer = await api.ask('POST', '/api/receive/batch', {
      json: { items },
      headers: { 'x-device-token': device },
    })
    expect(answer.status).to.equal(200)
    const { longest, all } = turns.end()
    expect(longest, `ms CPU at once, of ${all}`).to.be.below(STRANGERS_MS)
  })

  it('get an answer with at most twenty issues, with short paths', async () => {
    const keys = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}${'k'.repeat(500)}`, 0]))
    const { status, body } = await api.ask('POST', '/api/auth/verify-email', { json: keys })
    expect(status).to.equal(400)
    expect(body.issues).to.have.lengthOf(20)
    expect(JSON.stringify(body).length).to.be.below(5_000)
  })

  it('are parsed in little time by the query getters of Koa too', () => {
    const open = (query: string) =>
      api.app.createContext({ url: `/?${query}`, headers: {} } as IncomingMessage, {} as ServerResponse)
    const before = process.cpuUsage()
    for (const long of [open('a&'.repeat(32 * KB)), open('a&'.repeat(32 * KB)).request])
      expect(long.query).to.deep.equal({})
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000, 'ms CPU').to.be.below(STRANGERS_MS)
    expect(open('a=1&b=2&a=3').query).to.deep.equal({ a: ['1', '3'], b: '2' })
  })

  it('may have a hundred parameters, and not one more', async () => {
    const query = (pairs: number) => Array.from({ length: pairs - 1 }, (_, index) => `k${index}=v`).join('&')
    const list = (pairs: number) =>
      api.ask('GET', `/api/notifications?${query(pairs)}&page=1`, { key: api.owner.api_key })
    expect((await list(100)).status).to.equal(200)
    const over = await list(101)
    expect([over.status, over.body.error]).to.deep.equal([400, 'VALIDATION_FAILED'])
    const tell = async (pairs: number) =>
      (await api.ask('GET', `${personal}?${query(pairs)}&text=hello%20there`)).body.data.reason
    expect(await tell(100)).not.to.equal('too_long')
    expect(await tell(101)).to.equal('too_long')
  })

  it('may have forms of 1 MB and a hundred fields, multipart or not, and not more', async () => {
    const form = (fields: number, bytes = 5): RawRequest => {
      const pairs = Array.from({ length: fields - 1 }, (_, index) => [`k${index}`, 'v'])
      return {
        method: 'POST',
        path: personal,
        headers: [['Content-Type', 'application/x-www-form-urlencoded']],
        body: new URLSearchParams([['text', 'x'.repeat(bytes)], ...pairs] as [string, string][]).toString(),
      }
    }
    const multipart = (fields: number, bytes = 5): RawRequest => {
      const part = (name: string, value: string) =>
        `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
      const rest = Array.from({ length: fields - 1 }, (_, index) => part(`k${index}`, 'v')).join('')
      return {
        method: 'POST',
        path: personal,
        headers: [['Content-Type', 'multipart/form-data; boundary=x']],
        body: `${part('text', 'x'.repeat(bytes))}${rest}--x--\r\n`,
      }
    }
    for (const make of [form, multipart]) {
      const reasonOf = async (request: RawRequest) => {
        const { status, body } = await exchangeRaw(port, bytesOf(request))
        expect(status).to.equal(200)
        return JSON.parse(body).data.reason as string
      }
      expect(await reasonOf(make(100)), make.name).not.to.equal('too_long')
      expect(await reasonOf(make(101)), make.name).to.equal('too_long')
      expect(await reasonOf(make(1, MB - 500)), make.name).not.to.equal('too_long')
      expect(await reasonOf(make(1, MB + 1)), make.name).to.equal('too_long')
      const { headers = [], ...request } = make(101)
      const byPhone = {
        ...request,
        path: '/api/receive/sms',
        headers: [...headers, ['X-Device-Token', device] as const],
      }
      expect((await exchangeRaw(port, bytesOf(byPhone))).status, make.name).to.equal(413)
    }
  })

  it('have their credential checked before the body, and no body is kept without one', async () => {
    const wrong = formToken('receive_url', api.owner.user_id, 'w'.repeat(43))
    const begun = Buffer.alloc(9 * MB, 'a')
    for (const [path, status] of [
      [`/api/receive/u/${wrong}`, 401],
      ['/api/receive/sms', 401],
      ['/api/receive/batch', 401],
      ['/api/webhooks', 401],
      ['/inbox/x', 404],
      ['/api/auth/login', 400],
    ] as const) {
      const before = process.memoryUsage().arrayBuffers
      const head = `POST ${path} HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${10 * MB}`
      const held: Socket[] = []
      for (let count = 0; count < 10; count++) held.push(await hold(head, begun))
      // By then 90 MB have arrived, because the last bytes were accepted.
      expect(process.memoryUsage().arrayBuffers - before, path).to.be.below(40 * MB)
      expect(await finish(held[0]!, MB), path).to.match(new RegExp(`^HTTP/1\\.1 ${status} `))
      open.splice(0).forEach((socket) => socket.destroy())
    }
  })

  it('may have a body of 64 KB without a credential, and a longer one is refused as too long', async () => {
    const login = (bytes: number) =>
      exchangeRaw(port, bytesOf({ method: 'POST', path: '/api/auth/login', headers: [['Content-Type', 'application/json']], body: ' '.repeat(bytes) })) // prettier-ignore
    expect(JSON.parse((await login(64 * KB)).body).message).to.contain('JSON')
    const long = await login(64 * KB + 1)
    expect([long.status, JSON.parse(long.body).message]).to.deep.equal([
      400,
      'The body of this request must not exceed 65536 bytes.',
    ])
    expect((await login(10 * MB + 1)).status).to.equal(413)
  })

  describe('with large bodies', () => {
    let accounts: { receive_token: string }[]
    before(async () => {
      accounts = []
      for (let index = 0; index < 6; index++) accounts.push(await api.newAccount(`flight${index}@example.com`))
    })

    const holdBody = (token: string, bytes: number) =>
      hold(`POST /api/receive/u/${token} HTTP/1.1\r\nContent-Length: ${10 * MB}`, Buffer.alloc(bytes, 'a'))

    it('may hold 64 MB in total: the next is refused until later, and short ones still succeed', async () => {
      const held: Socket[] = []
      for (const { receive_token } of accounts) held.push(await holdBody(receive_token, 9 * MB))
      // Four of them fill the space for long bodies.
      const answers = await Promise.all(held.map((socket) => finish(socket, MB)))
      const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 503 '))
      expect(refused).to.have.length.of.at.least(1)
      for (const answer of refused) {
        expect(answer).to.match(/retry-after: \d+/i)
        expect(answer).to.contain('OVERLOADED')
      }
      expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 200 '))).to.have.length.of.at.least(3)

      const again = await Promise.all(accounts.slice(0, 4).map(({ receive_token }) => holdBody(receive_token, 9 * MB)))
      expect((await api.ask('POST', personal, { json: { text: TEXT } })).status).to.equal(200)
      expect((await api.ask('POST', '/api/auth/verify-email', { json: { token: 'x' } })).status).to.equal(400)
      again.forEach((socket) => socket.destroy())
    })

    it('free their space when callers disconnect', async () => {
      for (let round = 0; round < 3; round++) {
        const held = await Promise.all(accounts.slice(0, 4).map(({ receive_token }) => holdBody(receive_token, 9 * MB)))
        held.forEach((socket) => socket.destroy())
      }
      const { receive_token } = accounts[5]!
      await eventually(
        async () => (await finish(await holdBody(receive_token, 9 * MB), MB)).startsWith('HTTP/1.1 200 '),
        { what: 'room for a long body' },
      )
    })

    it('of one account do not use up the space of others', async () => {
      const [greedy, other] = accounts as [{ receive_token: string }, { receive_token: string }]
      const held: Socket[] = []
      for (let count = 0; count < 8; count++) held.push(await holdBody(greedy.receive_token, 9 * MB))
      expect(await finish(await holdBody(other.receive_token, 9 * MB), MB)).to.match(/^HTTP\/1\.1 200 /)
      const answers = await Promise.all(held.map((socket) => finish(socket, MB)))
      expect(answers.filter((answer) => answer.startsWith('HTTP/1.1 503 '))).to.have.length.of.at.least(6)
    })

    it('of strangers do not use up the space of accounts', async () => {
      for (let count = 0; count < 160; count++)
        await hold(
          `POST /api/auth/login HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 65536`,
          Buffer.alloc(64 * KB - 1, 'a'),
        )
      expect((await api.ask('POST', personal, { json: { text: TEXT } })).status).to.equal(200)
      const { receive_token } = accounts[0]!
      expect(await finish(await holdBody(receive_token, 9 * MB), MB)).to.match(/^HTTP\/1\.1 200 /)
      const refused = await eventuallyRefused()
      expect(refused).to.match(/retry-after: \d+/i)
    })

    /** Waits for the answer to a stranger's body that finds no space. */
    const eventuallyRefused = async (): Promise<string> => {
      let answer = ''
      await eventually(
        async () => {
          const socket = await hold(
            'POST /api/auth/login HTTP/1.1\r\nContent-Length: 65536',
            Buffer.alloc(64 * KB, 'a'),
          )
          answer = await answerOn(socket)
          return answer.startsWith('HTTP/1.1 503 ')
        },
        { what: 'a refusal' },
      )
      return answer
    }
  })
})
