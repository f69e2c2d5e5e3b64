/**
 * Attack: a flood of logins. Each costs 19 MB and some 30 ms of a core. It must not delay another user's login, whether the flood comes
 * from one address or from a hundred (interface, section 8: 10 logins per minute and address).
 */
import { expect } from 'chai'
import { turnstile } from '../../adapters/secrets/passwords.ts'
import { readSettings } from '../../cmd/settings/settings.ts'
import { Overloaded } from '../../domain/errors.ts'
import { stopwatch } from '../harness/stopwatch.ts'
import { setPassword } from '../../workflows/accounts/access.ts'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { passwords } from '../integration/http/passwords.ts'

const { rateLimits } = readSettings({})
const FLOOD = 100
/** Milliseconds. Those in which a busy machine has no processor for this process, which is server and client at once, are not counted. */
const AT_MOST = 5_000

describe('attack: logins', () => {
  let api: ApiUnderTest
  /** The verified logins: the caller, and whether the address is known. */
  const verified: (readonly [string | undefined, boolean | undefined])[] = []
  let afterVerifying = () => Promise.resolve()
  const verify: typeof passwords.verify = async (password, kept, caller, isKnown) => {
    verified.push([caller, isKnown])
    const isRight = await passwords.verify(password, kept, caller, isKnown)
    await afterVerifying()
    return isRight
  }
  before(async () => {
    api = await openApi({ rateLimits, trustProxy: 1 }, 'recorded', { passwords: { ...passwords, verify } })
  })
  after(() => api.close())

  const logIn = (email: string, password: string, address: string) =>
    api.ask('POST', '/api/auth/login', { json: { email, password }, headers: { 'x-forwarded-for': address } })
  const took = async (login: Promise<{ status: number }>): Promise<number> => {
    const passed = stopwatch(2)
    expect((await login).status).to.equal(200)
    return passed()
  }

  it('100 parallel logins from one address: ten are computed, the others refused; another user’s login takes at most 5 s', async () => {
    await api.newAccount('user1@example.com')
    const flood = Array.from({ length: FLOOD }, () => logIn('owner@baoco.local', 'wrong password', '6.6.6.6'))
    expect(await took(logIn('user1@example.com', OWNERS_PASSWORD, '7.7.7.7'))).to.be.lessThan(AT_MOST)
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    const computed = statuses.filter((status) => status === 401).length
    // While a busy Postgres does not answer in time, the process counts alone, and allows at most another ten.
    expect(computed).to.be.within(10, 20)
    expect(statuses.filter((status) => status === 429)).to.have.length(FLOOD - computed)
  })

  it('100 parallel logins from 100 addresses: another user’s login takes at most 5 s', async () => {
    await api.newAccount('user2@example.com')
    const flood = Array.from({ length: FLOOD }, (_, index) =>
      logIn(`nobody${index}@example.com`, 'wrong password', `6.6.7.${index}`),
    )
    expect(await took(logIn('user2@example.com', OWNERS_PASSWORD, '7.7.7.8'))).to.be.lessThan(AT_MOST)
    expect(await took(logIn('user2@example.com', OWNERS_PASSWORD, '7.7.7.8')), 'known').to.be.lessThan(AT_MOST)
    await Promise.all(flood)
  })

  it('wait in turn by address, and those from a known address of the account come first', async () => {
    await api.newAccount('user3@example.com')
    verified.length = 0
    for (const address of ['7.7.7.9', '7.7.7.9', '7.7.7.10'])
      expect((await logIn('user3@example.com', OWNERS_PASSWORD, address)).status).to.equal(200)
    expect(verified).to.deep.equal([
      ['7.7.7.9', false],
      ['7.7.7.9', true],
      ['7.7.7.10', false],
    ])
  })

  it('with end_everything end nothing if the password is changed meanwhile', async () => {
    const { user_id } = await api.newAccount('user4@example.com')
    const occasion = { user_id, at: new Date(), correlation_id: 'test', causation_id: 'test' }
    afterVerifying = () => setPassword({ ...api, passwords }, occasion, 'another password')
    const json = { email: 'user4@example.com', password: OWNERS_PASSWORD, end_everything: true }
    const { status } = await api
      .ask('POST', '/api/auth/login', { json, headers: { 'x-forwarded-for': '7.7.7.11' } })
      .finally(() => (afterVerifying = () => Promise.resolve()))
    expect(status).to.equal(401)
    expect((await api.accounts.find(user_id))!.key_hash).to.be.a('string')
  })

  describe('the wait queue', () => {
    /** Work that ends on request. */
    const held = () => {
      let end = (): void => {}
      const ended = new Promise<void>((resolve) => (end = resolve))
      return { work: () => ended, end }
    }
    const tick = () => new Promise((resolve) => setImmediate(resolve))

    it('runs a login from a known address first, and lets callers take turns', async () => {
      const inTurn = turnstile(1)
      const first = held()
      const done: string[] = []
      const ask = (caller: string, isKnown = false) =>
        inTurn(caller, isKnown, () => Promise.resolve(void done.push(caller)))
      const all = [inTurn('first', false, first.work), ask('a'), ask('a'), ask('b'), ask('owner', true)]
      first.end()
      await Promise.all(all)
      expect(done).to.deep.equal(['owner', 'a', 'b', 'a'])
    })

    it('limits the number of callers and the calls of each; calls over the limit are refused at once', async () => {
      const inTurn = turnstile(1)
      const first = held()
      const nothing = () => Promise.resolve()
      const waiting = [inTurn('first', false, first.work)]
      const refused: unknown[] = []
      const ask = (caller: string, isKnown = false) =>
        waiting.push(inTurn(caller, isKnown, nothing).catch((error: unknown) => void refused.push(error)))
      for (let call = 0; call < 205; call++) ask('one')
      for (let caller = 0; caller < 125; caller++) ask(`caller ${caller}`)
      // It waits already.
      ask('caller 0')
      ask('owner', true)
      await tick()
      expect(refused).to.have.length(5 + 6)
      for (const error of refused) expect(error).to.be.instanceOf(Overloaded)
      first.end()
      await Promise.all(waiting)
      expect(refused).to.have.length(11)
    })
  })
})
