/** Authentication: passwords, login tokens, the API key in its three places, and a bad credential next to a good one. */
import { expect } from 'chai'
import { SignJWT } from 'jose'
import { newToken } from '../../../workflows/accounts/secrets.ts'
import { textOfQr } from '../../harness/qr-code.ts'
import { JWT_SECRET, openApi, OWNERS_PASSWORD, type ApiUnderTest } from './api-under-test.ts'

describe('authentication', () => {
  let api: ApiUnderTest
  let token: string
  let key: string

  const logIn = (email: string, password: string) => api.ask('POST', '/api/auth/login', { json: { email, password } })
  const account = (headers: Record<string, string>, query = '') => api.ask('GET', `/api/account${query}`, { headers })

  /** As earlier versions registered an account. */
  const newAccountWithoutUrl = async (email: string): Promise<{ user_id: number; api_key: string }> => {
    const user_id = await api.nextId()
    const { token: api_key, hash: key_hash } = newToken('api_key', user_id)
    const registered_at = new Date().toISOString()
    for (const event of [
      { type: 'AccountRegistered', data: { user_id, email, name: null, operator: false, registered_at } },
      { type: 'EmailVerified', data: { user_id } },
      { type: 'ApiKeyRotated', data: { user_id, key_hash } },
    ] as const)
      await api.decree(user_id, event)
    return { user_id, api_key }
  }

  before(async () => {
    api = await openApi()
    key = api.owner.api_key
  })
  after(() => api.close())

  it('logs in with email and password, and ignores case and outer blanks of the email', async () => {
    const { status, body } = await logIn('  OWNER@baoco.local ', OWNERS_PASSWORD)
    expect(status).to.equal(200)
    expect(body).to.have.all.keys('success', 'token')
    token = body.token
    expect((await account({ authorization: `Bearer ${token}` })).body.data).to.deep.include({
      id: api.owner.user_id,
      email: 'owner@baoco.local',
      email_verified: true,
      plan: 'Pro',
      plan_expires_at: null,
      usage: { transactions: 0, limit: null },
    })
  })

  it('reveals nothing about an account to a caller without its password', async () => {
    const stranger = await api.newAccount('locked@example.com')
    await api.decree(stranger.user_id, { type: 'AccountLocked', data: { user_id: stranger.user_id, reason: 'test' } })
    for (const [email, password] of [
      ['owner@baoco.local', 'wrong password'],
      ['nobody@baoco.local', OWNERS_PASSWORD],
      ['locked@example.com', 'wrong password'],
    ] as const) {
      const { status, body, headers } = await logIn(email, password)
      expect(status).to.equal(401)
      expect(body).to.deep.equal({ success: false, error: 'UNAUTHORIZED', message: 'The email or password is wrong.' })
      expect(headers.get('www-authenticate')).to.match(/^Bearer/)
    }
    const locked = await logIn('locked@example.com', OWNERS_PASSWORD)
    expect(locked.status).to.equal(403)
    expect(locked.body.error).to.equal('ACCOUNT_LOCKED')
    const withKey = await account({ 'x-api-key': stranger.api_key })
    expect([withKey.status, withKey.body.error]).to.deep.equal([403, 'ACCOUNT_LOCKED'])
  })

  it('accepts the API key in three places', async () => {
    for (const [headers, query] of [
      [{ 'x-api-key': key }, ''],
      [{ authorization: `Apikey ${key}` }, ''],
      [{ authorization: `apikey ${key}` }, ''],
      [{}, `?api_key=${key}`],
    ] as const)
      expect((await account(headers, query)).status).to.equal(200)
  })

  it('uses the first credential, even if it is bad and another one is good', async () => {
    for (const [headers, query] of [
      [{}, ''],
      [{ authorization: 'Bearer x', 'x-api-key': key }, ''],
      [{ authorization: `Basic ${Buffer.from('a:b').toString('base64')}`, 'x-api-key': key }, ''],
      [{ authorization: `Bearer ${key}` }, ''],
      [{ 'x-api-key': 'bck_1.nonsensenonsensenonsense' }, `?api_key=${key}`],
      [{ 'x-api-key': '' }, `?api_key=${key}`],
      [{}, `?api_key=${key}&api_key=${key}`],
      [{}, `?api_key=`],
      [{ 'x-api-key': `${key}x` }, ''],
      [{ 'x-api-key': key.replace(/^bck_\d+/, 'bck_999999') }, ''],
      [{ 'x-api-key': api.owner.receive_token }, ''],
    ] as [Record<string, string>, string][]) {
      const { status, body } = await account(headers, query)
      expect(status, JSON.stringify([headers, query])).to.equal(401)
      expect(body.error).to.equal('UNAUTHORIZED')
    }
    expect((await account({ authorization: `Bearer ${token}`, 'x-api-key': 'bad' })).status).to.equal(200)
  })

  it('says how credentials are sent to a caller who sends none, or an API key in place of a token', async () => {
    const messageFor = async (headers: Record<string, string>) => (await account(headers)).body.message
    const wrong = 'The credentials are missing or invalid.'
    for (const headers of [{}, { authorization: key }, { authorization: `Bearer ${key}` }] as Record<string, string>[])
      expect(await messageFor(headers)).to.equal(
        `${wrong} Send an API key as X-Api-Key, or the token of a login as Authorization: Bearer.`,
      )
    expect(await messageFor({ 'x-api-key': 'bck_1.nonsensenonsensenonsense' })).to.equal(
      `${wrong} Check the API key, or log in again.`,
    )
  })

  it('says what a phone or a script sends, the same for each token that opens nothing', async () => {
    for (const headers of [
      {},
      { 'x-api-key': key },
      { 'x-api-key': 'bck_999999.nonsensenonsensenonsense' },
      { 'x-device-token': 'nonsense' },
    ] as Record<string, string>[])
      expect((await api.ask('POST', '/api/receive/sms', { headers, body: 'x' })).body.message).to.equal(
        'The credentials are missing or invalid. Send the token of a paired phone as X-Device-Token, ' +
          'or an API key with the scope `receive` as X-Api-Key.',
      )
  })

  it('refuses tokens that are forged, expired, without expiry, or of another algorithm or version', async () => {
    const secret = Buffer.from(JWT_SECRET)
    const sub = String(api.owner.user_id)
    const form = (claims: Record<string, unknown>, alg = 'HS256') => new SignJWT(claims).setProtectedHeader({ alg })
    const now = Math.floor(Date.now() / 1000)
    const good = await form({ sub, version: 1, exp: now + 60 }).sign(secret)
    expect((await account({ authorization: `Bearer ${good}` })).status).to.equal(200)
    const [head, body, signature] = good.split('.') as [string, string, string]
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const bad = [
      await form({ sub, version: 1, exp: now + 60 }).sign(Buffer.from('another secret of thirty-two bytes')),
      await form({ sub, version: 1, exp: now + 60 }, 'HS512').sign(Buffer.concat([secret, secret])),
      await form({ sub, version: 1 }).sign(secret),
      await form({ version: 1, exp: now + 60 }).sign(secret),
      await form({ sub, version: 1, exp: now - 1 }).sign(secret),
      // Issued by a clock that was ahead.
      await form({ sub, version: 1, exp: now + 8 * 86_400 + 60 }).sign(secret),
      await form({ sub, version: 2, exp: now + 60 }).sign(secret),
      await form({ sub, exp: now + 60 }).sign(secret),
      await form({ sub: '0', version: 1, exp: now + 60 }).sign(secret),
      await form({ sub: '1e3', version: 1, exp: now + 60 }).sign(secret),
      `${none}.${body}.`,
      `${head}.${Buffer.from(JSON.stringify({ sub, version: 1, exp: now + 999 })).toString('base64url')}.${signature}`,
      'a.b.c',
    ]
    for (const each of bad) expect((await account({ authorization: `Bearer ${each}` })).status, each).to.equal(401)
  })

  it('expires tokens after 7 days', async () => {
    api.clock.at = new Date(Date.now() + 7 * 86_400_000 - 60_000)
    expect((await account({ authorization: `Bearer ${token}` })).status).to.equal(200)
    api.clock.at = new Date(Date.now() + 7 * 86_400_000 + 60_000)
    expect((await account({ authorization: `Bearer ${token}` })).status).to.equal(401)
    api.clock.at = null
  })

  it('invalidates the old key at once when it is rotated', async () => {
    const mine = await api.newAccount('rotator@example.com')
    const rotated = await api.ask('POST', '/api/account/api-key/rotate', { key: mine.api_key })
    expect(rotated.status).to.equal(200)
    expect(rotated.body.data.api_key).to.match(/^bck_.{40,}/)
    expect((await account({ 'x-api-key': mine.api_key })).status).to.equal(401)
    expect((await account({ 'x-api-key': rotated.body.data.api_key })).status).to.equal(200)
  })

  it('invalidates all tokens when the password changes, but not the API key', async () => {
    const mine = await api.newAccount('forgetful@example.com')
    const { body } = await logIn('forgetful@example.com', OWNERS_PASSWORD)
    const { user_id } = mine
    await api.decree(user_id, { type: 'PasswordSet', data: { user_id, password_hash: 'x', token_version: 2 } })
    expect((await account({ authorization: `Bearer ${body.token}` })).status).to.equal(401)
    expect((await account({ 'x-api-key': mine.api_key })).status).to.equal(200)
  })

  it('shows the personal URL and rotates it', async () => {
    const shown = await api.ask('GET', '/api/receive-url', { key })
    expect(shown.body.data).to.deep.equal({
      url: `https://baoco.example/api/receive/u/${api.owner.receive_token}`,
      trust_sms_app_titles: false,
      last_heard_at: null,
      usual_pause_s: null,
      silent_since: null,
    })
    const rotated = await api.ask('POST', '/api/receive-url/rotate', { key, json: {} })
    expect(rotated.body.data.url).to.match(/^https:\/\/baoco\.example\/api\/receive\/u\/bcu_\d+\.[\w-]{40,}$/)
    expect((await api.ask('GET', '/api/receive-url', { key })).body).to.deep.equal(rotated.body)
    expect((await api.ask('POST', new URL(shown.body.data.url).pathname, { body: 'x' })).status).to.equal(401)
    expect((await api.ask('POST', new URL(rotated.body.data.url).pathname, { body: 'x' })).status).to.equal(200)
  })

  it('gives an account of an earlier version its personal URL once, when it is first read, and none to an owner who has removed it', async () => {
    const early = await newAccountWithoutUrl('early@example.com')
    const first = await api.ask('GET', '/api/receive-url', { key: early.api_key })
    expect(first.status).to.equal(200)
    expect(first.body.data.url).to.match(/^https:\/\/baoco\.example\/api\/receive\/u\/bcu_\d+\.[\w-]{40,}$/)
    expect((await api.ask('GET', '/api/receive-url', { key: early.api_key })).body).to.deep.equal(first.body)
    expect((await api.ask('POST', new URL(first.body.data.url).pathname, { body: 'x' })).status).to.equal(200)

    const [drawn, changed] = [
      await newAccountWithoutUrl('drawn@example.com'),
      await newAccountWithoutUrl('put@example.com'),
    ]
    expect((await api.ask('GET', '/api/receive-url/qr', { key: drawn.api_key })).body.data.qr_svg).to.contain('<svg')
    const json = { trust_sms_app_titles: true }
    const { body } = await api.ask('PUT', '/api/receive-url', { key: changed.api_key, json })
    expect(body.data).to.include(json)

    // Two readers at once get the same one.
    const raced = await newAccountWithoutUrl('raced@example.com')
    const read = () => api.ask('GET', '/api/receive-url', { key: raced.api_key })
    const [one, two] = await Promise.all([read(), read()])
    expect(one.body).to.deep.equal(two.body)

    const { user_id, api_key } = await api.newAccount('ended@example.com')
    await api.decree(user_id, { type: 'ReceiveUrlRevoked', data: { user_id } })
    expect((await api.ask('GET', '/api/receive-url', { key: api_key })).status).to.equal(404)
    expect((await api.ask('PUT', '/api/receive-url', { key: api_key, json })).status).to.equal(404)
    expect((await api.ask('POST', '/api/receive-url/rotate', { key: api_key, json: {} })).status).to.equal(200)
  })

  it('draws the personal URL as a QR code, for its owner only', async () => {
    const { body } = await api.ask('GET', '/api/receive-url', { key })
    const drawn = await api.ask('GET', '/api/receive-url/qr', { key })
    expect(textOfQr(drawn.body.data.qr_svg)).to.equal(body.data.url)
    const json = { name: 'plugin', scopes: ['read'] }
    const scoped = await api.ask('POST', '/api/account/api-keys', { key, json })
    const seen = await api.ask('GET', '/api/receive-url/qr', { key: scoped.body.data.api_key })
    expect(seen.body.data).to.deep.equal({ qr_svg: null })
  })

  it('refuses a malformed login', async () => {
    for (const json of [
      {},
      { email: 'a@b.c' },
      { email: 1, password: [] },
      { email: 'a@b.c', password: 'x', admin: true },
      [],
    ]) {
      const { status, body } = await api.ask('POST', '/api/auth/login', { json })
      expect(status).to.equal(400)
      expect(body.error).to.equal('VALIDATION_FAILED')
      expect(body.issues).to.be.an('array').that.is.not.empty
    }
  })
})
