/** Section 5, "Abuse": what locks an account, what does not, and what a lock means. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { readSettings } from '../../../cmd/settings/settings.ts'
import { accountStream } from '../../../domain/account/events.ts'
import { unlock as unlockAccount } from '../../../domain/account/access.ts'
import { shownToken } from '../../../domain/arrival/arrival.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest, type StoresUnderTest } from './api-under-test.ts'

const { rateLimits } = readSettings({})
const PER_HOUR = 60

describe('the lock on abuse', () => {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi({ rateLimits, abusePerHour: PER_HOUR, trustProxy: 1 })
  })
  after(() => api.close())

  const get = (path: string, headers: Record<string, string>) => api.ask('GET', path, { headers })
  const token = async (email: string): Promise<string> =>
    (await api.ask('POST', '/api/auth/login', { json: { email, password: OWNERS_PASSWORD } })).body.token
  const reasons = async (userId: number): Promise<unknown[]> =>
    (await api.store.read([{ stream: accountStream(userId) }]))[0]!
      .filter(({ type }) => type === 'AccountLocked')
      .map(({ data }) => (data as { reason: string }).reason)
  /** @returns whether it was locked */
  const unlock = async (user_id: number): Promise<boolean> => {
    const occasion = { user_id, at: new Date(), correlation_id: randomUUID(), causation_id: randomUUID() }
    return (await api.accounts.change(occasion, unlockAccount)).checkpoint !== null
  }
  const isLocked = ({ status, body }: { status: number; body: { error?: string } }) =>
    expect([status, body.error]).to.deep.equal([403, 'ACCOUNT_LOCKED'])

  it('is set by the first request over the hourly limit, counted over key and JWT together', async () => {
    const { user_id, api_key } = await api.newAccount('busy@example.com')
    const jwt = { authorization: `Bearer ${await token('busy@example.com')}` }
    const key = { 'x-api-key': api_key }
    for (let number = 0; number < PER_HOUR; number++)
      expect((await get(`/api/transactions?page=${number + 1}`, number % 2 ? jwt : key)).status).to.equal(200)
    expect(await reasons(user_id)).to.deep.equal([])
    const refused = await get('/api/transactions', key)
    isLocked(refused)
    const { locked_since, message, reason } = refused.body as Record<string, string>
    expect(reason).to.equal('requests_per_hour')
    expect(message).to.equal(
      `This account has been locked since ${locked_since}, because it made too many requests in one hour. ` +
        'Ask the operator to unlock it: baoco account unlock busy@example.com',
    )
    expect(await reasons(user_id)).to.deep.equal(['requests_per_hour'])
    isLocked(await get('/api/account', jwt))
    isLocked(
      await api.ask('POST', '/api/auth/login', { json: { email: 'busy@example.com', password: OWNERS_PASSWORD } }),
    )
    expect(await reasons(user_id), 'once').to.have.length(1)
  })

  it('is set by the 20th equal GET in a row, until the operator unlocks the account', async () => {
    const { user_id, api_key } = await api.newAccount('poller@example.com')
    const key = { 'x-api-key': api_key }
    for (let poll = 1; poll < 20; poll++) expect((await get('/api/transactions?page=1', key)).status).to.equal(200)
    isLocked(await get('/api/transactions?page=1', key))
    expect(await reasons(user_id)).to.deep.equal(['polling'])
    expect(await unlock(user_id)).to.equal(true)
    for (let poll = 1; poll < 20; poll++)
      expect((await get('/api/transactions?page=1', key)).status, `poll ${poll} after`).to.equal(200)
    isLocked(await get('/api/transactions?page=1', key))
    expect(await reasons(user_id)).to.have.length(2)
  })

  it('is not set if the query differs or another request comes in between', async () => {
    const { user_id, api_key } = await api.newAccount('reader@example.com')
    const key = { 'x-api-key': api_key }
    for (let number = 1; number < 20; number++) await get('/api/transactions?page=1', key)
    await get('/api/transactions?page=2', key)
    for (let number = 1; number < 20; number++) await get('/api/transactions?page=1', key)
    expect((await get('/api/account', key)).status).to.equal(200)
    expect(await reasons(user_id)).to.deep.equal([])
  })

  it('is set if too many requests are in flight in five different seconds', async () => {
    const { user_id, api_key } = await api.newAccount('parallel@example.com')
    const wide = await openApi({ rateLimits, abusePerHour: 100_000 })
    const busy = await wide.newAccount('parallel@example.com')
    let second = 0
    const burst = () =>
      Promise.all(
        Array.from({ length: 60 }, (_, number) =>
          wide.ask('GET', `/api/transactions?page=${++second * 100 + number}`, { key: busy.api_key }),
        ),
      )
    const seconds = new Set<number>()
    let locked = false
    // Repeats for up to 15 s: on a slow machine few of the sixty requests may overlap.
    for (const began = performance.now(); !locked && performance.now() - began < 15_000;) {
      seconds.add(Math.floor(Date.now() / 1_000))
      locked = (await burst()).some(({ status }) => status === 403)
      // A burst that crosses the end of a second counts in both seconds.
      if (seconds.size < 3) expect(locked, 'four seconds are not five').to.equal(false)
    }
    expect(locked).to.equal(true)
    const events = (await wide.store.read([{ stream: accountStream(busy.user_id) }]))[0]!
    expect(events.at(-1)).to.deep.include({
      type: 'AccountLocked',
      data: { user_id: busy.user_id, reason: 'parallel_requests' },
    })
    await wide.close()
    await get('/api/account', { 'x-api-key': api_key })
    expect(await reasons(user_id)).to.deep.equal([])
  })

  it('is never set by the session of the dashboard, which gets 429 instead', async () => {
    const { user_id } = await api.newAccount('owner-at-f5@example.com')
    const json = { email: 'owner-at-f5@example.com', password: OWNERS_PASSWORD }
    const begun = await api.ask('POST', '/api/session', { json, headers: { 'x-forwarded-for': '9.9.9.1' } })
    const cookie = begun.headers.get('set-cookie')!.split(';')[0]!
    for (let number = 0; number < PER_HOUR; number++)
      expect((await get('/api/transactions', { cookie })).status).to.equal(200)
    const over = await get('/api/transactions', { cookie })
    expect([over.status, over.body.error]).to.deep.equal([429, 'RATE_LIMITED'])
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 3_600)
    expect(await reasons(user_id)).to.deep.equal([])
  })

  it('is never set by the operator, whose key polls and gets 429 instead', async () => {
    const poll = () => get('/api/transactions', { 'x-api-key': api.owner.api_key })
    let answer = await poll()
    for (let number = 1; answer.status === 200 && number <= PER_HOUR; number++) answer = await poll()
    expect([answer.status, answer.body.error]).to.deep.equal([429, 'RATE_LIMITED'])
    expect(await reasons(api.owner.user_id)).to.deep.equal([])
  })

  it('does not count received notifications or requests with an unknown key', async () => {
    const { user_id, api_key, receive_token } = await api.newAccount('receiver@example.com')
    for (let number = 0; number < PER_HOUR + 20; number++) {
      const headers = { 'x-forwarded-for': `10.1.${number}.1` }
      await api.ask('POST', `/api/receive/u/${receive_token}`, { body: 'hello', headers })
      await get('/api/account', { 'x-api-key': `${api_key}x` })
    }
    expect((await get('/api/account', { 'x-api-key': api_key })).status).to.equal(200)
    expect(await reasons(user_id)).to.deep.equal([])
  })

  it('does not stop the account from receiving notifications', async () => {
    const { user_id, api_key, receive_token } = await api.newAccount('still-receiving@example.com')
    await api.decree(user_id, { type: 'AccountLocked', data: { user_id, reason: 'polling' } })
    isLocked(await get('/api/account', { 'x-api-key': api_key }))
    const { status } = await api.ask('POST', `/api/receive/u/${receive_token}`, { body: 'SD TK 1 +1VND' })
    expect(status).to.equal(200)
    expect(api.arrivals.at(-1)!.credential).to.deep.equal(shownToken('receive_url', receive_token))
  })

  it('does not let an account keep more than 50 requests open, such as those whose answers it does not read', async () => {
    const wide = await openApi({ rateLimits, abusePerHour: 100_000 })
    const { api_key: key } = await wide.newAccount('reads-nothing@example.com')
    const { port } = new URL(wide.url)
    // An answer is sent after the whole request has arrived.
    const held = Array.from({ length: 50 }, (_, number) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(
        `GET /api/account?held=${number} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Length: 1\r\n\r\n`,
      )
      return socket
    })
    let asked = 0
    const asks = () => wide.ask('GET', `/api/account?asked=${++asked}`, { key })
    const refused = await eventually(async () => {
      const answer = await asks()
      return answer.status === 429 && answer
    })
    expect(refused.body).to.include({ success: false, error: 'RATE_LIMITED' })
    expect(refused.headers.get('retry-after')).to.equal('30')
    expect((await wide.ask('GET', '/api/account', { key: wide.owner.api_key })).status, 'another account').to.equal(200)
    for (const socket of held) socket.destroy()
    await eventually(async () => (await asks()).status === 200)
    await wide.close()
  })

  it('does not count a request as open whose caller left before it was counted', async () => {
    let held: (() => void)[] | null = null
    const openStores = async (databaseUrl: string): Promise<StoresUnderTest> => {
      const store = await openPostgresEventStore({ url: databaseUrl, parse: parseEvent })
      const read: EventStore['read'] = async (...asked) => {
        if (held) await new Promise<void>((resolve) => held!.push(resolve))
        return store.read(...asked)
      }
      return { store, requestStore: { ...store, read } }
    }
    const wide = await openApi({ rateLimits, abusePerHour: 100_000 }, 'recorded', { openStores })
    const { api_key: key } = await wide.newAccount('leaves@example.com')
    held = []
    const { port } = new URL(wide.url)
    const sockets = Array.from({ length: 60 }, (_, number) => {
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(`GET /api/account?left=${number} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n\r\n`)
      return socket
    })
    await Promise.all(sockets.map((socket) => once(socket, 'ready')))
    await eventually(() => held!.length > 0)
    await fetch(`${wide.url}/api/openapi.json`)
    const gone = Promise.all(sockets.map((socket) => once(socket, 'close')))
    for (const socket of sockets) socket.resetAndDestroy()
    await gone
    await fetch(`${wide.url}/api/openapi.json`)
    const waiting = held
    held = null
    for (const go of waiting) go()
    const status = async () => (await wide.ask('GET', `/api/account?now=${performance.now()}`, { key })).status
    await eventually(async () => (await status()) === 200, { within: 5_000 })
    await wide.close()
  })

  it('is off with RATE_LIMITS=off', async () => {
    const free = await openApi({ abusePerHour: 5 })
    for (let number = 0; number < 30; number++)
      expect((await free.ask('GET', '/api/account', { key: free.owner.api_key })).status).to.equal(200)
    await free.close()
  })
})
