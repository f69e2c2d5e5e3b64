/** Accounts by mail: registration, address confirmation and password reset. No answer reveals who has an account. */
import { expect } from 'chai'
import { accountStream } from '../../../domain/account/events.ts'
import { HOUR_MS } from '../../../domain/time.ts'
import { eventually } from '../../harness/eventually.ts'
import { accountOfEmail } from '../../../workflows/accounts/registration.ts'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest } from './api-under-test.ts'

const PASSWORD = 'mật khẩu đủ dài'

describe('accounts by mail', () => {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi({}, 'real')
  })
  afterEach(() => {
    api.clock.at = null
  })
  after(async () => {
    await api.close()
  })

  const post = (path: string, json: unknown) => api.ask('POST', `/api/auth/${path}`, { json })
  const register = (email: string, more: object = {}) => post('register', { email, password: PASSWORD, ...more })
  const logIn = (email: string, password = PASSWORD) => post('login', { email, password })
  /** Waits for this many mails to an address, and returns them oldest first. */
  const mails = (email: string, count: number) =>
    eventually(async () => {
      const theirs = (await api.outbox.list()).filter(({ to }) => to === email).reverse()
      return theirs.length === count && theirs
    })
  const tokenIn = (text: string, page: string): string => {
    const [, token] = new RegExp(`^https://baoco\\.example/${page}\\?token=(\\S+)$`, 'm').exec(text) ?? []
    if (token === undefined) throw new Error(`no link to ${page} in ${text}`)
    return token
  }
  const verifyToken = async (email: string, count = 1) =>
    tokenIn((await mails(email, count)).at(-1)!.text, 'verify-email')
  const resetToken = async (email: string, count: number) =>
    tokenIn((await mails(email, count)).at(-1)!.text, 'reset-password')
  const refusesToken = ({ status, body }: Awaited<ReturnType<typeof post>>) => {
    expect([status, body.error]).to.deep.equal([400, 'VALIDATION_FAILED'])
    expect(body.issues.map(({ path }: { path: string }) => path)).to.deep.equal(['token'])
  }

  it('can be registered, confirmed by the link in the mail, and used to log in', async () => {
    const registered = await register('  Moi@Example.com ', { name: 'Cửa hàng Mới' })
    expect(registered.status).to.equal(200)
    expect(registered.body).to.have.all.keys('success', 'message')
    const early = await logIn('moi@example.com')
    expect([early.status, early.body.error]).to.deep.equal([403, 'EMAIL_NOT_VERIFIED'])
    expect((await logIn('moi@example.com', 'not the password')).status).to.equal(401)
    const token = await verifyToken('moi@example.com')
    const verified = await post('verify-email', { token })
    expect([verified.status, verified.body.success]).to.deep.equal([200, true])
    const { status, body } = await logIn('moi@example.com')
    expect(status).to.equal(200)
    const shown = await api.ask('GET', '/api/account', { headers: { authorization: `Bearer ${body.token}` } })
    expect(shown.body.data).to.deep.include({
      email: 'moi@example.com',
      name: 'Cửa hàng Mới',
      email_verified: true,
      plan: 'Free',
      plan_expires_at: null,
      usage: { transactions: 0, limit: 100 },
    })
    refusesToken(await post('verify-email', { token }))
  })

  it('give the same answer for an address that has an account, and notify its owner by mail once per hour', async () => {
    const fresh = await register('fresh@example.com')
    for (let time = 0; time < 3; time++) {
      const known = await register('owner@baoco.local')
      expect([known.status, known.body]).to.deep.equal([fresh.status, fresh.body])
    }
    const [mail] = await mails('owner@baoco.local', 1)
    expect(mail!.subject).to.equal('You already have an account')
    expect(mail!.text).to.include('https://baoco.example/forgot-password')
    expect((await logIn('owner@baoco.local')).status, 'the password stays').to.equal(401)
    expect((await logIn('owner@baoco.local', OWNERS_PASSWORD)).status).to.equal(200)
    api.clock.at = new Date(Date.now() + HOUR_MS + 1_000)
    await register('owner@baoco.local')
    await mails('owner@baoco.local', 2)
  })

  it('use the newest registration of an unconfirmed address, with its link and its password', async () => {
    await register('mine@example.com', { password: 'the stranger chose it', name: 'Stranger' })
    const strangers = await verifyToken('mine@example.com')
    await register('mine@example.com', { name: 'Owner' })
    const owners = await verifyToken('mine@example.com', 2)
    refusesToken(await post('verify-email', { token: strangers }))
    expect((await post('verify-email', { token: owners })).status).to.equal(200)
    expect((await logIn('mine@example.com', 'the stranger chose it')).status).to.equal(401)
    expect((await logIn('mine@example.com')).status).to.equal(200)
  })

  it('resend the link, which invalidates the previous one, until the address is confirmed', async () => {
    await register('again@example.com')
    const first = await verifyToken('again@example.com')
    const unknown = await post('resend-verify', { email: 'nobody@example.com' })
    const answer = await post('resend-verify', { email: 'AGAIN@example.com' })
    expect([answer.status, answer.body]).to.deep.equal([unknown.status, unknown.body])
    const second = await verifyToken('again@example.com', 2)
    refusesToken(await post('verify-email', { token: first }))
    expect((await post('verify-email', { token: second })).status).to.equal(200)
    expect((await post('resend-verify', { email: 'again@example.com' })).body).to.deep.equal(unknown.body)
    expect((await post('resend-verify', { email: 'owner@baoco.local' })).body).to.deep.equal(unknown.body)
    await post('forgot-password', { email: 'again@example.com' })
    await resetToken('again@example.com', 3)
  })

  it('accept a reset link once, which ends every login and session but not the API key', async () => {
    const email = 'forgetful@example.com'
    const { api_key } = await api.newAccount(email, 'Free', PASSWORD)
    const { body } = await logIn(email)
    const session = await api.ask('POST', '/api/session', { json: { email, password: PASSWORD } })
    const cookie = session.headers.get('set-cookie')!.split(';')[0]!
    const unknown = await post('forgot-password', { email: 'nobody@example.com' })
    const known = await post('forgot-password', { email })
    expect([known.status, known.body]).to.deep.equal([unknown.status, unknown.body])
    await post('forgot-password', { email })
    const [first, second] = (await mails(email, 2)).map(({ text }) => tokenIn(text, 'reset-password')) as [
      string,
      string,
    ]
    const short = await post('reset-password', { token: second, password: 'short' })
    expect(short.body.issues[0].path).to.equal('password')
    const both = await Promise.all(
      ['a newer password', 'another password'].map((password) => post('reset-password', { token: second, password })),
    )
    expect(both.map(({ status }) => status).sort(), 'single use, also at the same moment').to.deep.equal([200, 400])
    refusesToken(await post('reset-password', { token: first, password: 'a newer password' }))
    const chosen = both[0]!.status === 200 ? 'a newer password' : 'another password'
    expect((await logIn(email)).status).to.equal(401)
    expect((await logIn(email, chosen)).status).to.equal(200)
    const account = async (headers: Record<string, string>) =>
      (await api.ask('GET', '/api/account', { headers })).status
    expect(await account({ authorization: `Bearer ${body.token}` })).to.equal(401)
    expect(await account({ cookie })).to.equal(401)
    expect(await account({ 'x-api-key': api_key })).to.equal(200)
  })

  it('accept a confirmation link for 24 hours and a reset link for one hour, and neither as the other', async () => {
    const email = 'late@example.com'
    const start = Date.now()
    await register(email)
    const verify = await verifyToken(email)
    refusesToken(await post('reset-password', { token: verify, password: PASSWORD }))
    await post('forgot-password', { email })
    const reset = await resetToken(email, 2)
    refusesToken(await post('verify-email', { token: reset }))
    api.clock.at = new Date(start + HOUR_MS + 60_000)
    refusesToken(await post('reset-password', { token: reset, password: PASSWORD }))
    api.clock.at = new Date(start + 24 * HOUR_MS + 60_000)
    refusesToken(await post('verify-email', { token: verify }))
    api.clock.at = new Date(start + 24 * HOUR_MS - 60_000)
    expect((await post('verify-email', { token: verify })).status).to.equal(200)
  })

  it('refuse a token that is made up, altered or of another account', async () => {
    const userId = (await accountOfEmail(api.store, 'late@example.com'))!
    await post('forgot-password', { email: 'late@example.com' })
    const good = await resetToken('late@example.com', 3)
    for (const token of [
      '',
      'x',
      `bcr_${userId}.${'a'.repeat(43)}`,
      good.slice(0, -1),
      good.replace(`_${userId}.`, `_${api.owner.user_id}.`),
      good.replace(`_${userId}.`, '_999999.'),
      good.replace('bcr_', 'bcv_'),
      'x'.repeat(1_000),
    ])
      refusesToken(await post('reset-password', { token, password: PASSWORD }))
    expect((await post('reset-password', { token: good, password: PASSWORD })).status).to.equal(200)
  })

  it('store the affiliate code in the events, but no token', async () => {
    await register('referred@example.com', { ref: ' friend-1 ' })
    const token = await verifyToken('referred@example.com')
    const userId = (await accountOfEmail(api.store, 'referred@example.com'))!
    const [events] = await api.store.read([{ stream: accountStream(userId) }])
    expect(events![0]!.data).to.include({ ref: 'friend-1' })
    expect(JSON.stringify(events)).to.not.include(token.split('.')[1])
    expect(events!.map(({ type }) => type)).to.deep.equal([
      'AccountRegistered',
      'PasswordSet',
      'ReceiveUrlRotated',
      'MailTokenIssued',
    ])
  })

  it('limit the mails that a stranger can cause for one mailbox', async () => {
    const email = 'bombed@example.com'
    await api.newAccount(email)
    await Promise.all(Array.from({ length: 15 }, () => post('forgot-password', { email })))
    const answer = await post('forgot-password', { email })
    expect(answer.status).to.equal(200)
    const [events] = await api.store.read([{ stream: accountStream((await accountOfEmail(api.store, email))!) }])
    expect(events!.filter(({ type }) => type === 'MailTokenIssued')).to.have.lengthOf(10)
  })

  it('are created once if an address registers several times at the same moment', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => register('twice@example.com')))
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    expect(await accountOfEmail(api.store, 'twice@example.com')).to.be.a('number')
  })

  it('refuse an invalid registration, whether the address has an account or not', async () => {
    for (const [json, path] of [
      [{ email: 'x@example.com' }, 'password'],
      [{ password: PASSWORD }, 'email'],
      [{ email: 'owner@baoco.local', password: 'short' }, 'password'],
      [{ email: 'x@example.com', password: 'short' }, 'password'],
      [{ email: 'x@example.com', password: 'x'.repeat(201) }, 'password'],
      [{ email: 'no address', password: PASSWORD }, 'email'],
      [{ email: 'x@example.com', password: PASSWORD, operator: true }, 'operator'],
      [{ email: 'x@example.com', password: PASSWORD, name: 'a\nb' }, 'name'],
    ] as const) {
      const { status, body } = await post('register', json)
      expect([status, body.error], JSON.stringify(json)).to.deep.equal([400, 'VALIDATION_FAILED'])
      expect(body.issues[0].path).to.equal(path)
    }
    for (const path of ['resend-verify', 'forgot-password', 'verify-email', 'reset-password'])
      expect((await post(path, { user: 1 })).status, path).to.equal(400)
  })
})
