/** Section 8, "Request rate limits": each row, what it counts by, and which address counts behind proxies. */
import { expect } from 'chai'
import { readSettings } from '../../../cmd/settings/settings.ts'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest } from './api-under-test.ts'
import type { Ask } from './ask.ts'

const { rateLimits } = readSettings({})

interface Row {
  row: string
  method: 'POST' | 'GET' | 'PUT'
  path: string
  limit: number
  seconds: number
  /** The call of a given caller. */
  by: (caller: string) => Ask
}

const byAddress = (address: string): Ask => ({ headers: { 'x-forwarded-for': address }, json: {} })
const byEmail = (caller: string): Ask => ({ json: { email: `u${caller}@example.com` } })
const keys: Record<string, string> = {}
/** All calls come from one address, because these rows count by user. */
const byUser = (caller: string): Ask => ({ key: keys[caller]!, json: {} })

const ROWS: Row[] = [
  { row: 'POST /api/auth/login', method: 'POST', path: '/api/auth/login', limit: 10, seconds: 60, by: byAddress },
  {
    row: 'POST /api/auth/forgot-password',
    method: 'POST',
    path: '/api/auth/forgot-password',
    limit: 5,
    seconds: 300,
    by: byAddress,
  },
  {
    row: 'POST /api/auth/resend-verify',
    method: 'POST',
    path: '/api/auth/resend-verify',
    limit: 3,
    seconds: 600,
    by: byEmail,
  },
  {
    row: 'POST /api/affiliate/withdraw',
    method: 'POST',
    path: '/api/affiliate/withdraw',
    limit: 5,
    seconds: 3600,
    by: byUser,
  },
  {
    row: 'POST /api/affiliate/links',
    method: 'POST',
    path: '/api/affiliate/links',
    limit: 30,
    seconds: 3600,
    by: byUser,
  },
  { row: 'PUT /api/affiliate/bank', method: 'PUT', path: '/api/affiliate/bank', limit: 10, seconds: 600, by: byUser },
  { row: '/api/demo/*', method: 'POST', path: '/api/demo/parse', limit: 20, seconds: 60, by: byAddress },
  { row: '/api/receive/*', method: 'POST', path: '/api/receive/sms', limit: 60, seconds: 60, by: byAddress },
  { row: 'register, as decided', method: 'POST', path: '/api/auth/register', limit: 10, seconds: 3600, by: byAddress },
  { row: 'inboxes', method: 'POST', path: '/inbox/bci_1.none', limit: 120, seconds: 60, by: byAddress },
]

describe('rate limits', () => {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi({ rateLimits, trustProxy: 1 })
    for (const caller of ['7.7.7.7', '8.8.8.8']) keys[caller] = (await api.newAccount(`${caller}@example.com`)).api_key
  })
  after(() => api.close())

  for (const { row, method, path, limit, seconds, by } of ROWS)
    it(`of section 8 allow ${limit} in ${seconds} s for ${row}, and are checked before anything else of the call`, async () => {
      const reset: number[] = []
      for (let left = limit - 1; left >= 0; left--) {
        const { status, headers } = await api.ask(method, path, by('7.7.7.7'))
        expect(status, `${left} left`).to.not.equal(429)
        expect(headers.get('ratelimit-limit')).to.equal(String(limit))
        expect(headers.get('ratelimit-remaining')).to.equal(String(left))
        reset.push(Number(headers.get('ratelimit-reset')))
      }
      for (const each of reset) expect(each).to.be.within(1, seconds)
      expect(reset, 'a fixed window').to.deep.equal([...reset].sort((a, b) => b - a))
      const over = await api.ask(method, path, by('7.7.7.7'))
      expect(over.status).to.equal(429)
      expect(over.body).to.have.all.keys('success', 'error', 'message')
      expect(over.body).to.include({ success: false, error: 'RATE_LIMITED' })
      expect(Number(over.headers.get('retry-after'))).to.be.within(1, seconds)
      expect(over.headers.get('retry-after')).to.equal(over.headers.get('ratelimit-reset'))
      expect(over.headers.get('ratelimit-remaining')).to.equal('0')
      expect((await api.ask(method, path, by('8.8.8.8'))).status, 'somebody else').to.not.equal(429)
    })

  it('of section 8 do not apply to POST /api/auth/verify-email', async () => {
    for (let number = 0; number < 100; number++) {
      const { status, headers } = await api.ask('POST', '/api/auth/verify-email', { json: { token: 'x' } })
      expect([status, headers.get('ratelimit-limit')]).to.deep.equal([400, null])
    }
  })

  it('are shared between session, link and login', async () => {
    const json = { email: 'owner@baoco.local', password: OWNERS_PASSWORD }
    const headers = { 'x-forwarded-for': '5.5.5.5' }
    for (let number = 0; number < 5; number++) {
      expect((await api.ask('POST', '/api/session', { json, headers })).status).to.equal(200)
      expect((await api.ask('POST', '/api/auth/login', { json, headers })).status).to.equal(200)
    }
    for (const path of ['/api/session', '/api/session/link'])
      expect((await api.ask('POST', path, { json, headers })).status, path).to.equal(429)
    expect((await api.ask('POST', '/api/auth/login', { json, headers })).status).to.equal(429)
  })

  it('are shared between both calls of the demo', async () => {
    const ask = async (what: string) => (await api.ask('POST', `/api/demo/${what}`, byAddress('6.6.6.6'))).status
    for (let number = 0; number < 10; number++)
      for (const what of ['parse', 'sign']) expect(await ask(what)).to.equal(400)
    for (const what of ['parse', 'sign']) expect(await ask(what)).to.equal(429)
  })

  it('count all paths of receiving together', async () => {
    const headers = { 'x-forwarded-for': '4.4.4.4' }
    const paths = ['u/bad', 'sms', 'notification', 'batch']
    for (let number = 0; number < 60; number++)
      expect((await api.ask('POST', `/api/receive/${paths[number % 4]}`, { headers })).status).to.equal(401)
    for (const path of [...paths, 'pair'])
      expect((await api.ask('POST', `/api/receive/${path}`, { headers })).status).to.equal(429)
    expect((await api.ask('GET', '/api/receive/u/bad', { headers })).status).to.equal(429)
  })

  it('count a mailbox as one, whatever its spelling and the address of the caller', async () => {
    for (const [email, address] of [
      ['One@Example.com', '1.0.0.1'],
      [' one@example.com ', '1.0.0.2'],
      ['ONE@EXAMPLE.COM', '1.0.0.3'],
    ] as const)
      expect(
        (await api.ask('POST', '/api/auth/resend-verify', { ...byAddress(address), json: { email } })).status,
      ).to.equal(200)
    const { status } = await api.ask('POST', '/api/auth/resend-verify', byEmail('x'))
    expect(status).to.equal(200)
    const over = await api.ask('POST', '/api/auth/resend-verify', { json: { email: 'one@example.com' } })
    expect(over.status).to.equal(429)
  })

  describe('behind proxies', () => {
    const remaining = async (on: ApiUnderTest, forwarded?: string) =>
      Number(
        (
          await on.ask('POST', '/api/auth/login', {
            json: {},
            headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
          })
        ).headers.get('ratelimit-remaining'),
      )

    it('count the address that the trusted proxy saw, whatever the caller wrote before it', async () => {
      expect(await remaining(api, '1.1.1.1, 3.3.3.3')).to.equal(9)
      expect(await remaining(api, '2.2.2.2, 3.3.3.3')).to.equal(8)
      expect(await remaining(api, '127.0.0.1, ::1, nonsense, 3.3.3.3')).to.equal(7)
      expect(await remaining(api, '3.3.3.3, 1.1.1.1')).to.equal(9)
    })

    it('count a /64 of IPv6 as one address', async () => {
      expect(await remaining(api, '2001:db8:0:1::1')).to.equal(9)
      expect(await remaining(api, '2001:db8:0:1:ffff::2')).to.equal(8)
      expect(await remaining(api, '2001:db8:0:2::1')).to.equal(9)
    })

    it('ignore forwarded addresses without a trusted proxy, and trust two hops if two are configured', async () => {
      const [none, two] = await Promise.all([openApi({ rateLimits }), openApi({ rateLimits, trustProxy: 2 })])
      expect(await remaining(none, '1.1.1.1')).to.equal(9)
      expect(await remaining(none, '2.2.2.2')).to.equal(8)
      expect(await remaining(none)).to.equal(7)
      expect(await remaining(two, '6.6.6.6, 3.3.3.3, 10.0.0.1')).to.equal(9)
      expect(await remaining(two, '7.7.7.7, 3.3.3.3, 10.0.0.2')).to.equal(8)
      expect(await remaining(two, '7.7.7.7, 4.4.4.4, 10.0.0.1')).to.equal(9)
      await Promise.all([none.close(), two.close()])
    })
  })

  it('can be turned off', async () => {
    const free = await openApi()
    for (let number = 0; number < 15; number++) {
      const { status, headers } = await free.ask('POST', '/api/auth/login', { json: {} })
      expect([status, headers.get('ratelimit-limit')]).to.deep.equal([400, null])
    }
    await free.close()
  })
})
