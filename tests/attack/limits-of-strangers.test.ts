/**
 * Attack: limits turned against the owner. A stranger uses up a budget that the owner needs, causes the owner's account to be locked, or
 * learns from a limit which email addresses have an account.
 */
import { expect } from 'chai'
import { readSettings } from '../../cmd/settings/settings.ts'
import { settledCounters } from '../../adapters/rate-limits/settled-counters.ts'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { verifyingOnce } from '../integration/http/passwords.ts'
import { eventually } from '../harness/eventually.ts'
import { vietcombankText } from '../harness/bank-texts.ts'

const { rateLimits } = readSettings({})

describe('attack: rate limits against strangers', () => {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi({ rateLimits, trustProxy: 1, abusePerHour: 60 }, 'real', { passwords: verifyingOnce() })
  })
  after(async () => {
    await api.close()
  })

  const from = (address: string) => ({ 'x-forwarded-for': address })
  let texts = 0
  const next = () => vietcombankText(800_000 + ++texts, `DH${8_000 + texts}`)

  describe('on live streams', () => {
    const closes: (() => void)[] = []
    after(() => closes.forEach((close) => close()))
    const open = async (path: string, headers: Record<string, string> = {}) => {
      const stopping = new AbortController()
      closes.push(() => stopping.abort())
      return fetch(api.url + path, { headers, signal: stopping.signal })
    }

    it('count those of a counter and those of its owner separately', async () => {
      const { api_key } = await api.newAccount('streams@example.com')
      const { token } = (await api.ask('POST', '/api/counter', { key: api_key })).body.data
      const counter = () => open(`/counter/${token}/stream`)
      const mine = () => open('/api/stream', { 'x-api-key': api_key })
      for (const streams of [counter, mine]) {
        const answers = []
        for (let i = 0; i < 6; i++) answers.push(await streams())
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200, 429])
        const remaining = answers.map(({ headers }) => headers.get('ratelimit-remaining'))
        expect(remaining).to.deep.equal(['4', '3', '2', '1', '0', '0'])
        const { headers } = answers[5]!
        expect(headers.get('ratelimit-limit')).to.equal('5')
        expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
        expect(headers.get('ratelimit-reset')).to.equal(headers.get('retry-after'))
        expect(answers[0]!.headers.get('retry-after')).to.equal(null)
        expect((await answers[5]!.json()) as object).to.include({ success: false, error: 'RATE_LIMITED' })
      }
    })
  })

  describe('on receiving', () => {
    const post = (token: string, address: string) =>
      api.ask('POST', `/api/receive/u/${token}?sender=Vietcombank`, { body: next(), headers: from(address) })
    const flood = async (address: string) => {
      for (let call = 0; call < 70; call++) {
        const { status } = await post(`bcu_999.${'x'.repeat(43)}`, address)
        expect(status).to.equal(call < 60 ? 401 : 429)
      }
    }

    it('keep the budget of a known token for its owner behind the same address', async () => {
      const { receive_token } = await api.newAccount('phone@example.com')
      expect((await post(receive_token, '1.1.1.1')).status).to.equal(200)
      await flood('1.1.1.1')
      const { status, headers } = await post(receive_token, '1.1.1.1')
      expect([status, headers.get('ratelimit-remaining')]).to.deep.equal([200, '58'])
    })

    it('keep the budget of a new token for its owner behind the same address', async () => {
      await flood('1.1.1.2')
      const { receive_token } = await api.newAccount('newphone@example.com')
      expect((await post(receive_token, '1.1.1.2')).status).to.equal(200)
    })

    it('keep the budgets of a device’s token and a scoped key too', async () => {
      const { api_key: key } = await api.newAccount('device@example.com')
      const invited = await api.ask('POST', '/api/devices', { key, json: { name: 'phone' } })
      const code = invited.body.data.pairing_code
      const paired = await api.ask('POST', '/api/receive/pair', { json: { code } })
      const made = await api.ask('POST', '/api/account/api-keys', { key, json: { name: 'k', scopes: ['receive'] } })
      await flood('1.1.1.3')
      for (const credential of [
        { 'x-device-token': paired.body.data.device_token },
        { 'x-api-key': made.body.data.api_key },
      ]) {
        const headers = { ...from('1.1.1.3'), ...credential }
        const { status } = await api.ask('POST', '/api/receive/sms', { json: { text: next() }, headers })
        expect(status).to.equal(200)
      }
    })

    it('allow a valid token 60 calls per minute and address, apart from the budget of the address', async () => {
      const { receive_token } = await api.newAccount('busyphone@example.com')
      for (let call = 0; call < 60; call++) expect((await post(receive_token, '1.1.1.4')).status).to.equal(200)
      const over = await post(receive_token, '1.1.1.4')
      expect([over.status, over.headers.get('retry-after') !== null]).to.deep.equal([429, true])
      expect((await post(receive_token, '1.1.1.5')).status, 'elsewhere').to.equal(200)
      const { receive_token: others } = await api.newAccount('neighbour@example.com')
      expect((await post(others, '1.1.1.4')).status, 'a neighbour').to.equal(200)
    })

    it('count a revoked token towards its address again', async () => {
      const { receive_token, api_key } = await api.newAccount('revoked@example.com')
      expect((await post(receive_token, '1.1.1.6')).status).to.equal(200)
      await api.ask('POST', '/api/receive-url/rotate', { key: api_key })
      const statuses: number[] = []
      for (let call = 0; call < 130; call++) statuses.push((await post(receive_token, '1.1.1.6')).status)
      expect(statuses.filter((status) => status === 401)).to.have.length(61)
    })
  })

  it('do not fill the memory for a stranger with many addresses: the oldest windows are removed', () => {
    const { counterFor } = settledCounters({ query: () => Promise.resolve([]) })
    const count = counterFor('receive', { requests: 1, seconds: 60 })
    const calls = (caller: string) => (count(caller) as { calls: number }).calls
    expect([calls('first'), calls('first')]).to.deep.equal([1, 2])
    for (let address = 0; address < 99_999; address++) calls(`address ${address}`)
    expect(calls('first'), 'is still known').to.equal(2)
    calls('one more')
    expect(calls('first'), 'began anew').to.equal(1)
  })

  describe('on logins', () => {
    const logIn = (email: string, password: string, address: string, path = '/api/auth/login') =>
      api.ask('POST', path, { json: { email, password }, headers: from(address) })
    /** Uses as many addresses as necessary, each within its own limit. */
    const guess = async (email: string, times: number, net: number): Promise<number[]> => {
      const statuses: number[] = []
      const spellings = [email, email.toUpperCase()]
      for (let call = 0; call < times; call++)
        statuses.push(
          (await logIn(spellings[call % 2]!, 'wrong password', `10.${net}.0.${Math.floor(call / 10)}`)).status,
        )
      return statuses
    }

    it('stop guesses at one account after 100 in an hour, while the owner logs in from a known address', async () => {
      const email = 'guessed@example.com'
      await api.newAccount(email)
      expect((await logIn(email, OWNERS_PASSWORD, '2.2.2.2')).status).to.equal(200)
      const statuses = await guess(email, 105, 1)
      expect(statuses.slice(0, 100).every((status) => status === 401)).to.equal(true)
      expect(statuses.slice(100)).to.deep.equal([429, 429, 429, 429, 429])
      const strange = await logIn(email, OWNERS_PASSWORD, '3.3.3.3')
      expect([strange.status, strange.body.error]).to.deep.equal([429, 'RATE_LIMITED'])
      expect(Number(strange.headers.get('retry-after'))).to.be.within(1, 3_600)
      expect((await logIn(email, OWNERS_PASSWORD, '3.3.3.3', '/api/session')).status).to.equal(429)
      expect((await logIn(email, OWNERS_PASSWORD, '2.2.2.2')).status, 'a known address').to.equal(200)
      expect((await logIn(email, 'wrong password', '2.2.2.2')).status).to.equal(401)

      // The owner is at a new address. The mailbox proves the owner's identity.
      await api.ask('POST', '/api/auth/forgot-password', { json: { email }, headers: from('4.4.4.4') })
      const token = await eventually(async () => {
        const mails = (await api.ask('GET', '/api/outbox', { key: api.owner.api_key })).body.data as {
          to: string
          text: string
        }[]
        const mail = mails.find(({ to }) => to === email)
        return mail && /token=(\S+)/.exec(mail.text)![1]
      })
      const json = { token, password: 'a newer password' }
      await api.ask('POST', '/api/auth/reset-password', { json, headers: from('4.4.4.4') })
      expect((await logIn(email, 'a newer password', '4.4.4.4')).status, 'after a reset').to.equal(200)
    })

    it('count in the same way for an email without an account', async () => {
      const statuses = await guess('nobody@example.com', 102, 2)
      expect(statuses.slice(0, 100).every((status) => status === 401)).to.equal(true)
      expect(statuses.slice(100)).to.deep.equal([429, 429])
    })

    it('do not count logins with the right password', async () => {
      const email = 'regular@example.com'
      await api.newAccount(email)
      for (let call = 0; call < 105; call++)
        expect((await logIn(email, OWNERS_PASSWORD, `10.3.0.${Math.floor(call / 10)}`)).status).to.equal(200)
      expect((await logIn(email, OWNERS_PASSWORD, '5.5.5.5')).status).to.equal(200)

      // Its owner must learn the reason at any address.
      const locked = 'locked-regular@example.com'
      const { user_id } = await api.newAccount(locked)
      await api.decree(user_id, { type: 'AccountLocked', data: { user_id, reason: 'abuse' } })
      for (let call = 0; call < 105; call++) {
        const { body } = await logIn(locked, OWNERS_PASSWORD, `10.14.0.${Math.floor(call / 10)}`)
        expect(body.error).to.equal('ACCOUNT_LOCKED')
      }
    })

    it('store login locations without address or email, at most 50 per account', async () => {
      const email = 'traveller@example.com'
      const { user_id } = await api.newAccount(email)
      for (let index = 0; index < 55; index++)
        expect((await logIn(email, OWNERS_PASSWORD, `10.4.${index}.1`)).status).to.equal(200)
      const rows = await api.database.query<{ place: string }>('SELECT place FROM ops.login_place WHERE user_id = $1', [
        user_id,
      ])
      expect(rows).to.have.length(50)
      for (const { place } of rows) expect(place).to.match(/^[\w-]{43}$/)
    })

    it('count failed calls of reset-password, 10 per minute', async () => {
      const json = { token: 'made up', password: 'a newer password' }
      const reset = () => api.ask('POST', '/api/auth/reset-password', { json, headers: from('6.6.6.6') })
      for (let call = 0; call < 10; call++) expect((await reset()).status).to.equal(400)
      expect((await reset()).status).to.equal(429)
    })
  })

  describe('the lock on abuse', () => {
    const hour = async (headers: Record<string, string>): Promise<{ status: number; body: { error?: string } }> => {
      for (let call = 0; call < 60; call++) await api.ask('GET', `/api/transactions?page=${call + 1}`, { headers })
      return api.ask('GET', '/api/transactions', { headers })
    }

    it('never locks the operator’s own account, with any credential: the answer is 429', async () => {
      const { status } = await hour({ 'x-api-key': api.owner.api_key })
      expect(status).to.equal(429)
      expect((await api.accounts.find(api.owner.user_id))!.locked).to.equal(false)
    })

    it('never follows from calls with a dashboard session: the answer is 429', async () => {
      const { user_id } = await api.newAccount('reloads@example.com')
      const json = { email: 'reloads@example.com', password: OWNERS_PASSWORD }
      const session = await api.ask('POST', '/api/session', { json, headers: from('7.7.7.7') })
      const { status } = await hour({ cookie: session.headers.get('set-cookie')!.split(';')[0]! })
      expect(status).to.equal(429)
      expect((await api.accounts.find(user_id))!.locked).to.equal(false)
    })

    it('gives its reason and its start, and says how to unlock', async () => {
      const { api_key } = await api.newAccount('locked@example.com')
      const began = Date.now()
      const over = await hour({ 'x-api-key': api_key })
      const later = await api.ask('GET', '/api/account', { key: api_key })
      const json = { email: 'locked@example.com', password: OWNERS_PASSWORD }
      const login = await api.ask('POST', '/api/auth/login', { json, headers: from('8.8.8.8') })
      for (const { status, body } of [over, later, login]) {
        expect([status, body.error]).to.deep.equal([403, 'ACCOUNT_LOCKED'])
        const { reason, locked_since, message } = body as unknown as Record<string, string>
        expect(reason).to.equal('requests_per_hour')
        expect(Date.parse(locked_since!)).to.be.within(began - 1_000, Date.now())
        expect(message)
          .to.include('too many requests in one hour')
          .and.include('baoco account unlock locked@example.com')
      }
    })
  })
})
