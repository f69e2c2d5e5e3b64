/**
 * Attack: one account uses up resources that all accounts share: unlimited connected systems, a list of inboxes of tens of megabytes,
 * batches of 200 items at the rate of single notifications, and unread notifications that fill the disk (decision "Sizes").
 */
import { expect } from 'chai'
import { oldestUnread, unreadOverLimit } from '../../projections/notification/unread-bytes-queries.ts'
import { openInboxCalls } from '../../adapters/inbox/calls.ts'
import { unreadStream } from '../../domain/arrival/events.ts'
import { giveUpUnread } from '../../workflows/scheduled/give-up-unread.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import type { Ask } from '../integration/http/ask.ts'
import { eventually } from '../harness/eventually.ts'

const MB = 1_024 ** 2

describe('attack: one account uses up shared resources', () => {
  let api: ApiUnderTest

  before(async () => {
    api = await openApi({}, 'real')
  })
  after(async () => {
    await api.close()
  })

  describe('connected systems', () => {
    const fill = async (plan: 'Basic' | 'Pro', number: number) => {
      const { api_key: key, user_id } = await api.newAccount(`${plan}@systems.example`, plan)
      const occasion = { user_id, at: new Date(), correlation_id: 'test', causation_id: 'test' }
      const created_at = new Date().toISOString()
      const system = (n: number) => ({
        user_id,
        system_id: (plan === 'Pro' ? 2_000_000 : 1_000_000) + n,
        name: 'shop',
        created_at,
        is_active: 1 as const,
      })
      await api.accounts.change(occasion, ({ systems }) =>
        Array.from({ length: number - systems.size }, (_, n) => ({
          type: 'SystemAdded' as const,
          data: { ...system(n), type: 'custom' as const, payment_prefix: `P${n}` },
        })),
      )
      return key
    }
    const add = (key: string, payment_prefix: string) =>
      api.ask('POST', '/api/systems', { key, json: { name: 'shop', type: 'custom', payment_prefix } })

    for (const [plan, limit] of [
      ['Basic', 20],
      ['Pro', 100],
    ] as const)
      it(`are limited to ${limit} on ${plan}, also through connect, which leaves nothing behind`, async () => {
        const key = await fill(plan, limit - 1)
        expect((await add(key, 'LAST')).status).to.equal(201)
        const refused = await add(key, 'MORE')
        expect(refused.status).to.equal(403)
        expect(refused.body).to.include({ error: 'SYSTEM_LIMIT_REACHED', plan, limit })
        const shop = {
          type: 'woocommerce',
          site_url: 'https://shop.example',
          webhook_url: 'http://127.0.0.1:9/w',
          payment_prefix: 'MORE',
        }
        const connected = await api.ask('POST', '/api/systems/connect', { key, json: shop })
        expect(connected.body.error).to.equal('SYSTEM_LIMIT_REACHED')
        expect((await api.ask('GET', '/api/systems', { key })).body.data).to.have.length(limit)
        expect((await api.ask('GET', '/api/webhooks', { key })).body.data).to.have.length(0)
      })
  })

  it('a page of inboxes has at most 1 MB, and all pages together contain every call once', async () => {
    const { api_key: key, user_id } = await api.newAccount('inboxes@example.com')
    const ids: number[] = []
    for (let n = 0; n < 4; n++) ids.push((await api.ask('POST', '/api/inbox', { key })).body.data.id as number)
    const calls = openInboxCalls(api.database)
    const headers = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`x-${n}`, 'h'.repeat(1_000)]))
    for (const inbox_id of ids.slice(1))
      for (let n = 0; n < 30; n++)
        // A control character takes six characters in JSON.
        await calls.keep({
          user_id,
          inbox_id,
          method: 'POST',
          headers,
          body: `${inbox_id}.${n} `.padEnd(n % 3 ? 100 : 16_000, n % 2 ? '\u0001' : 'x'),
          verified: false,
        })
    const met: string[] = []
    let pages = 0
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const { body } = await api.ask('GET', `/api/inbox${cursor && `?cursor=${cursor}`}`, { key })
      expect(JSON.stringify(body).length).to.be.at.most(MB)
      for (const inbox of body.data as { id: number; calls: { body: string }[] }[])
        for (const call of inbox.calls) {
          expect(call.body.startsWith(`${inbox.id}.`)).to.equal(true)
          met.push(call.body.split(' ')[0]!)
        }
      cursor = body.next_cursor as string | null
    }
    expect(pages).to.be.greaterThan(1)
    expect(new Set(met).size).to.equal(90)
    expect(met).to.have.length(90)
    expect((await api.ask('GET', '/api/inbox?cursor=x', { key })).body.error).to.equal('VALIDATION_FAILED')
  })

  describe('unread notifications', () => {
    const job = () =>
      giveUpUnread({
        store: api.store,
        clock: api.clock,
        overLimit: () => unreadOverLimit(api.database),
        oldest: (userId, bytes) => oldestUnread(api.database, userId, bytes),
      }).run(new AbortController().signal)

    it('are limited to 10 MB on Free: the oldest are deleted first, from the list and from the store', async () => {
      const { api_key: key, user_id, receive_token } = await api.newAccount('unread@example.com', 'Free')
      const list = async (query = '') =>
        (await api.ask('GET', `/api/notifications?status=unparsed&${query}`, { key })).body as {
          total: number
          data: { id: number }[]
        }
      const other = await api.newAccount('beside-unread@example.com', 'Free')
      const older = { sender: 'Vietcombank', text: 'Ngan hang la: TK 98 +100,000 don vi, khong ro' }
      await api.ask('POST', `/api/receive/u/${other.receive_token}`, { json: older })
      // The text and the body that contained it: nearly 64 KB each.
      const NUMBER = 180
      for (let n = 0; n < NUMBER; n++) {
        const text = `Ngan hang la: TK 99${n} +100,000 don vi, khong ro `.padEnd(31_000, `${n % 10}`)
        const { body } = await api.ask('POST', `/api/receive/u/${receive_token}`, {
          json: { sender: 'Vietcombank', text },
        })
        expect(body.data.reason).to.equal('unparsed')
      }
      await eventually(async () => (await list()).total === NUMBER)
      const newest = (await list()).data[0]!.id
      const bytes = async () => {
        const [row] = await api.database.query<{ number: number }>(
          'SELECT number FROM read_model.unread_bytes WHERE user_id = $1',
          [user_id],
        )
        return row?.number ?? 0
      }
      const [sum] = await api.database.query<{ sum: number }>(
        'SELECT sum(bytes)::integer AS sum FROM read_model.notification WHERE user_id = $1',
        [user_id],
      )
      expect(await bytes())
        .to.equal(sum!.sum)
        .and.to.be.greaterThan(10 * MB)
      const done = (await job()) as { given_up: number }
      expect(done.given_up)
        .to.be.greaterThan(0)
        .and.lessThan(NUMBER / 2)
      await eventually(async () => (await list()).total === NUMBER - done.given_up)
      expect(await bytes())
        .to.be.at.most(10 * MB)
        .and.greaterThan(9.8 * MB)
      expect((await list()).data[0]!.id, 'the newest stays').to.equal(newest)
      const all = await api.store.readAll(null, 10_000)
      const gone = all.filter(({ type }) => type === 'NotificationGivenUp')
      expect(gone).to.have.length(done.given_up)
      expect(new Set(gone.map(({ metadata }) => metadata.user_id)), 'only of this account').to.deep.equal(
        new Set([user_id]),
      )
      const theirs = await api.ask('GET', '/api/notifications?status=unparsed', { key: other.api_key })
      expect(theirs.body.total, 'older, of another account').to.equal(1)
      const first = gone[0]!.data as { notification_id: number }
      await eventually(
        async () => (await api.store.read([{ stream: unreadStream(first.notification_id) }]))[0]!.length === 1,
        {
          what: 'its text has left the store',
        },
      )
      expect((await api.ask('POST', `/api/notifications/${first.notification_id}/reread`, { key })).status).to.equal(
        404,
      )
      expect(await job(), 'nothing left to do').to.equal(null)
    })
  })
})

describe('attack: batches that bypass the limits', () => {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi({ rateLimits: { ...LIMITS, receive: { requests: 1_000, seconds: 60 } } }, 'recorded')
  })
  after(() => api.close())

  const batch = (by: Ask, number: number) =>
    api.ask('POST', '/api/receive/batch', {
      ...by,
      json: { items: Array.from({ length: number }, () => ({ type: 'sms', sender: 'Vietcombank', text: 'x' })) },
    })

  it('are limited to 600 items per minute and token; a batch that exceeds the limit is refused as a whole', async () => {
    const { api_key: key } = api.owner
    const token = async (name: string): Promise<string> => {
      const { body } = await api.ask('POST', '/api/devices', { key, json: { name } })
      return (await api.ask('POST', '/api/receive/pair', { json: { code: body.data.pairing_code } })).body.data
        .device_token
    }
    const [one, other] = [await token('one'), await token('other')]
    const post = (device: string, number: number) => batch({ headers: { 'x-device-token': device } }, number)
    for (const number of [200, 200, 150]) expect((await post(one, number)).status).to.equal(200)
    const before = api.arrivals.length
    const refused = await post(one, 51)
    expect(refused.status).to.equal(429)
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    expect(api.arrivals.length, 'nothing of it was taken').to.equal(before)
    expect((await post(one, 50)).status, 'a smaller one fits').to.equal(200)
    expect((await post(one, 1)).status).to.equal(429)
    const list = { headers: { 'x-device-token': one }, json: [{ text: 'one' }, { text: 'two' }] }
    expect((await api.ask('POST', '/api/receive/sms', list)).status, 'a list on another path').to.equal(429)
    expect((await post(other, 200)).status, 'another phone').to.equal(200)
  })

  const receiveKey = async (key: string): Promise<string> => {
    const json = { name: 'phone', scopes: ['receive'] }
    return (await api.ask('POST', '/api/account/api-keys', { key, json })).body.data.api_key
  }

  it('are limited to 3,000 items per minute and account, with all of its tokens', async () => {
    const { api_key } = await api.newAccount('tokens@example.com')
    const keys: string[] = []
    for (let number = 0; number < 6; number++) keys.push(await receiveKey(api_key))
    const [last, ...others] = keys
    for (const key of others)
      for (const number of [200, 200, key === others[0] ? 150 : 200])
        expect((await batch({ key }, number)).status).to.equal(200)
    const before = api.arrivals.length
    for (let number = 0; number < 4; number++) {
      const refused = await batch({ key: last! }, 200)
      expect([refused.status, refused.body.error]).to.deep.equal([429, 'RATE_LIMITED'])
      expect(refused.headers.get('ratelimit-limit')).to.equal('3000')
      expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    }
    expect(api.arrivals.length, 'nothing of it was taken').to.equal(before)
    expect((await batch({ key: last! }, 50)).status, 'a smaller one fits, and the refused ones used nothing').to.equal(
      200,
    )
    const other = await receiveKey((await api.newAccount('others@example.com')).api_key)
    expect((await batch({ key: other }, 200)).status, 'another account').to.equal(200)
  })

  it('each started 4 KB of an item counts in the limit of the account, also of a single notification', async () => {
    const { api_key } = await api.newAccount('large@example.com')
    const [one, other] = [await receiveKey(api_key), await receiveKey(api_key)]
    const sms = (kilobytes: number) => ({ type: 'sms', sender: 'Vietcombank', text: 'x'.repeat(kilobytes * 1_024) })
    const items = (number: number, kilobytes: number) => ({
      items: Array.from({ length: number }, () => sms(kilobytes)),
    })
    const post = async (key: string, json: object, path = 'batch') =>
      (await api.ask('POST', `/api/receive/${path}`, { key, json })).status
    expect(await post(one, items(200, 50)), 'the largest batch').to.equal(200)
    expect(await post(one, items(24, 60)), '384 more than the 2,600').to.equal(200)
    const before = api.arrivals.length
    expect(await post(other, items(5, 15))).to.equal(429)
    expect(api.arrivals.length, 'nothing of it was taken').to.equal(before)
    expect(await post(other, sms(70), 'sms'), 'stored in 64 KB').to.equal(200)
    const refused = await api.ask('POST', '/api/receive/sms', { key: other, json: sms(100) })
    expect([refused.status, refused.body.error]).to.deep.equal([429, 'RATE_LIMITED'])
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
    expect(await post(other, sms(3), 'sms'), 'an ordinary one').to.equal(200)
    expect(await post(other, { items: [sms(3)] })).to.equal(429)
  })
})

const LIMIT = { requests: 1_000, seconds: 60 }
const LIMITS = {
  login: LIMIT, reset: LIMIT, forgot: LIMIT, register: LIMIT, resend: LIMIT, withdraw: LIMIT, links: LIMIT, bank: LIMIT, receive: LIMIT, demo: LIMIT, inbox: LIMIT,
} // prettier-ignore
