/**
 * Attacks on accounts by a stranger who knows an email address. The stranger registers it first, requests links so that the owner's links
 * expire, or once knew the password and keeps what was made with it.
 */
import { expect } from 'chai'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { eventually } from '../harness/eventually.ts'

const PASSWORD = 'the owner chose this'
const STRANGERS = 'the stranger chose it'

describe('attack: accounts', () => {
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
  const logIn = (email: string, password = PASSWORD, more: object = {}) => post('login', { email, password, ...more })
  /** Returns the tokens of links to a page in mails to an address, oldest first, once there are that many. */
  const links = (email: string, page: string, count: number): Promise<string[]> =>
    eventually(async () => {
      const found = (await api.outbox.list())
        .filter(({ to }) => to === email)
        .reverse()
        .flatMap(({ text }) => new RegExp(`/${page}\\?token=(\\S+)`).exec(text)?.[1] ?? [])
      return found.length === count && found
    })

  it('a stranger who registers an address first never gets the password of the account that its owner confirms', async () => {
    const email = 'victim@example.com'
    await post('register', { email, password: STRANGERS, name: 'Stranger', ref: 'theirs' })
    const [strangers] = await links(email, 'verify-email', 1)
    await post('register', { email, password: PASSWORD })
    const [, owners] = await links(email, 'verify-email', 2)
    expect((await post('verify-email', { token: strangers })).status).to.equal(400)
    expect((await post('verify-email', { token: owners })).status).to.equal(200)
    expect((await logIn(email, STRANGERS)).status).to.equal(401)
    const { status, body } = await logIn(email)
    expect(status).to.equal(200)
    const shown = await api.ask('GET', '/api/account', { headers: { authorization: `Bearer ${body.token}` } })
    expect(shown.body.data.name, 'nor is the stranger’s name kept').to.equal(null)
  })

  it('a stranger who also used up the mails of the hour holds only void links', async () => {
    const email = 'flooded@example.com'
    for (let time = 0; time < 11; time++) await post('register', { email, password: STRANGERS })
    const strangers = await links(email, 'verify-email', 10)
    await post('register', { email, password: PASSWORD })
    // Mails are sent in the order of the events: when this one is there, the one before was refused within the hour.
    await post('register', { email: 'later@example.com', password: PASSWORD })
    await links('later@example.com', 'verify-email', 1)
    for (const token of strangers) expect((await post('verify-email', { token })).status).to.equal(400)
    api.clock.at = new Date(Date.now() + 3_601_000)
    await post('resend-verify', { email })
    const [token] = (await links(email, 'verify-email', 11)).slice(-1)
    expect((await post('verify-email', { token })).status).to.equal(200)
    expect((await logIn(email, STRANGERS)).status).to.equal(401)
    expect((await logIn(email)).status).to.equal(200)
  })

  it('a stranger cannot use another spelling of a mailbox, which would have limits of its own', async () => {
    // The mail server of the operator removes or maps these characters, so all mails would reach spelled@example.com.
    const spellings = [
      '<spelled@example.com>', '<<spelled@example.com', 'spelled@example.com>', 'spelled@\uff45xample.com', 'spelled@example\u3002com',
      '"spelled"@example.com', '"spe\\lled"@example.com', 'spelled@example.com.',
      'spelled@example.com(1)', 'spelled@(1)example.com', 'spelled@example.com,', 'spelled@example.com;', 'spelled@"example".com', 'spelled@exa\\mple.com',
      'spelled@example\uff0ecom', 'spelled@example\uff61com', 'spelled@exam\u00adple.com', 'spelled@example.com\u200b', 'spelled@exam\ufe0fple.com',
    ] // prettier-ignore
    for (const email of spellings) {
      const { status, body } = await post('register', { email, password: STRANGERS })
      expect([status, body.issues?.[0].path], JSON.stringify(email)).to.deep.equal([400, 'email'])
    }
    for (const email of [
      "o'brien+shop@example.com",
      'lan@cửa-hàng.vn',
      'lan@xn--ca-hng-mta5m.vn',
      'l\u00e2n@example.com',
    ])
      expect((await post('register', { email, password: PASSWORD })).status, email).to.equal(200)
  })

  it('a stranger who requests links does not void the owner’s: three are valid, and one use ends them all', async () => {
    const email = 'forgetful@example.com'
    await api.newAccount(email, 'Free', PASSWORD)
    for (let time = 0; time < 4; time++) await post('forgot-password', { email })
    const [first, second, third, fourth] = await links(email, 'reset-password', 4)
    const reset = (token: string | undefined) => post('reset-password', { token, password: 'a newer password' })
    expect((await reset(first)).status, 'the fourth ended the oldest').to.equal(400)
    expect((await reset(second)).status).to.equal(200)
    expect([(await reset(third)).status, (await reset(fourth)).status]).to.deep.equal([400, 400])
  })

  it('a registration by a stranger does not void the owner’s reset link', async () => {
    const email = 'unconfirmed@example.com'
    await post('register', { email, password: STRANGERS })
    await post('forgot-password', { email })
    const [token] = await links(email, 'reset-password', 1)
    await post('register', { email, password: STRANGERS })
    expect((await post('reset-password', { token, password: PASSWORD })).status).to.equal(200)
    expect((await logIn(email, STRANGERS)).status).to.equal(401)
    expect((await logIn(email)).status).to.equal(200)
  })

  /** Makes an account with one of every kind of access, as somebody who knew the password could have made it. */
  const everythingOf = async (email: string) => {
    const { api_key: key, receive_token } = await api.newAccount(email, 'Pro', PASSWORD)
    const jwt: string = (await logIn(email)).body.token
    const session = await api.ask('POST', '/api/session', { json: { email, password: PASSWORD } })
    const cookie = session.headers.get('set-cookie')!.split(';')[0]!
    const scoped = await api.ask('POST', '/api/account/api-keys', { key, json: { name: 'plugin', scopes: ['write'] } })
    const invited = await api.ask('POST', '/api/devices', { key, json: { name: 'phone' } })
    const paired = await api.ask('POST', '/api/receive/pair', { json: { code: invited.body.data.pairing_code } })
    const open = await api.ask('POST', '/api/devices', { key, json: { name: 'not paired yet' } })
    const counter = await api.ask('POST', '/api/counter', { key })
    const mailbox = {
      email: `mails-of-${email}`, host: 'imap.example.com', port: 993, tls: true, username: email, password: 'secret',
    } // prettier-ignore
    await api.ask('POST', '/api/mail-accounts', { key, json: mailbox })
    const trust = { trusted_senders: ['0912345678', 'My bank'], without_sender: true }
    await api.ask('PUT', '/api/account/trusted-senders', { key, json: trust })
    await api.ask('PUT', '/api/receive-url', { key, json: { trust_sms_app_titles: true } })
    const account = async (headers: Record<string, string>) =>
      (await api.ask('GET', '/api/account', { headers })).status
    /** Returns the answer that each kind of access gets now. */
    const answers = async () => ({
      api_key: await account({ 'x-api-key': key }),
      scoped: await account({ 'x-api-key': scoped.body.data.api_key }),
      jwt: await account({ authorization: `Bearer ${jwt}` }),
      session: await account({ cookie }),
      personal_url: (await api.ask('POST', `/api/receive/u/${receive_token}`, { body: 'hello' })).status,
      device: (
        await api.ask('POST', '/api/receive/sms', {
          json: { text: 'hello' },
          headers: { 'x-device-token': paired.body.data.device_token },
        })
      ).status,
      counter: (await api.ask('GET', `/counter/${counter.body.data.token}`)).status,
    })
    const pairLater = () => api.ask('POST', '/api/receive/pair', { json: { code: open.body.data.pairing_code } })
    return { answers, pairLater }
  }
  const ALL_OPEN = { api_key: 200, scoped: 200, jwt: 200, session: 200, personal_url: 200, device: 200, counter: 200 }
  const ALL_ENDED = { api_key: 401, scoped: 401, jwt: 401, session: 401, personal_url: 401, device: 401, counter: 404 }
  const ENDED = {
    api_key: true, scoped_keys: 1, personal_url: true, devices: 1, counter: true, mail_accounts: 1, trusted_senders: 2,
  } // prettier-ignore

  /** Nothing that a stranger connected or trusted reports a payment any more. */
  const expectNoTrust = async (headers: Record<string, string>): Promise<void> => {
    const of = async (path: string) => (await api.ask('GET', path, { headers })).body.data
    const [mailbox] = await of('/api/mail-accounts')
    expect(mailbox.last_error).to.match(/^Somebody else had access .* The mailbox is paused\./)
    expect(await of('/api/account/trusted-senders')).to.deep.equal({ trusted_senders: [], without_sender: false })
    await api.ask('POST', '/api/receive-url/rotate', { headers })
    expect((await of('/api/receive-url')).trust_sms_app_titles).to.equal(false)
  }

  it('a reset ends sessions and JWTs, and with end_everything all access that a stranger may have made', async () => {
    const email = 'robbed@example.com'
    const { answers, pairLater } = await everythingOf(email)
    expect(await answers()).to.deep.equal(ALL_OPEN)
    await post('forgot-password', { email })
    const [first] = await links(email, 'reset-password', 1)
    const plain = await post('reset-password', { token: first, password: PASSWORD })
    expect(plain.body).to.not.have.property('ended')
    expect(await answers()).to.deep.equal({ ...ALL_OPEN, jwt: 401, session: 401 })
    await post('forgot-password', { email })
    const [, second] = await links(email, 'reset-password', 2)
    const reset = await post('reset-password', { token: second, password: PASSWORD, end_everything: true })
    expect([reset.status, reset.body.ended]).to.deep.equal([200, ENDED])
    expect(await answers()).to.deep.equal(ALL_ENDED)
    expect((await pairLater()).status, 'an invitation ends too').to.equal(401)
    const { token } = (await logIn(email)).body
    const rotated = await api.ask('POST', '/api/account/api-key/rotate', {
      headers: { authorization: `Bearer ${token}` },
    })
    const { api_key } = rotated.body.data
    expect((await api.ask('GET', '/api/account', { key: api_key })).status, 'a new key opens it').to.equal(200)
    await expectNoTrust({ 'x-api-key': api_key })
  })

  it('a login with end_everything does the same, over the API or the dashboard, and the new login is valid', async () => {
    const byJwt = await everythingOf('bylogin@example.com')
    const { body } = await logIn('bylogin@example.com', PASSWORD, { end_everything: true })
    expect(body.ended).to.deep.equal(ENDED)
    expect(await byJwt.answers()).to.deep.equal(ALL_ENDED)
    const account = await api.ask('GET', '/api/account', { headers: { authorization: `Bearer ${body.token}` } })
    expect(account.status).to.equal(200)

    const bySession = await everythingOf('bysession@example.com')
    const json = { email: 'bysession@example.com', password: PASSWORD, end_everything: true }
    const session = await api.ask('POST', '/api/session', { json })
    expect(session.body.ended).to.deep.equal(ENDED)
    expect(await bySession.answers()).to.deep.equal(ALL_ENDED)
    const cookie = session.headers.get('set-cookie')!.split(';')[0]!
    expect((await api.ask('GET', '/api/account', { headers: { cookie } })).status).to.equal(200)
  })

  it('a login with a wrong password ends nothing', async () => {
    const { answers } = await everythingOf('guarded@example.com')
    expect((await logIn('guarded@example.com', 'wrong password', { end_everything: true })).status).to.equal(401)
    expect(await answers()).to.deep.equal(ALL_OPEN)
  })
})
