/** The session of the dashboard: a cookie instead of a token, only for our own pages. */
import { expect } from 'chai'
import { makeSignInLink } from '../../../adapters/postgres/ops/sign-in-links.ts'
import { openApi, OWNERS_PASSWORD, type ApiUnderTest } from './api-under-test.ts'

const OURS = 'https://baoco.example'

describe('the session', () => {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi()
  })
  after(() => api.close())

  const begin = (password = OWNERS_PASSWORD, email = 'owner@baoco.local') =>
    api.ask('POST', '/api/session', { json: { email, password } })
  const cookieOf = ({ headers }: { headers: Headers }): string => headers.get('set-cookie')!.split(';')[0]!
  const newCookie = async () => cookieOf(await begin())

  it('is a cookie that scripts cannot read and other sites cannot send', async () => {
    const { status, body, headers } = await begin()
    expect(status).to.equal(200)
    expect(body).to.have.all.keys('success', 'message')
    expect(headers.get('set-cookie')).to.match(
      /^__Host-baoco_session=[\w.-]+; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
    )
    const plain = await openApi({ baseUrl: 'http://localhost:8080' })
    const answer = await plain.ask('POST', '/api/session', {
      json: { email: 'owner@baoco.local', password: OWNERS_PASSWORD },
    })
    await plain.close()
    expect(answer.headers.get('set-cookie')).to.match(
      /^baoco_session=[\w.-]+; Path=\/api; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    )
  })

  it('starts only with the right password', async () => {
    const wrong = await begin('wrong password')
    expect([wrong.status, wrong.headers.get('set-cookie')]).to.deep.equal([401, null])
  })

  it('starts once by a link, within an hour, and not after a new password', async () => {
    const someone = await api.newAccount('linked@example.com')
    const make = async () => makeSignInLink(api.database, (await api.accounts.find(someone.user_id))!)
    const follow = (token: string) => api.ask('POST', '/api/session/link', { json: { token } })
    const token = await make()
    const rows = await api.database.query('SELECT * FROM ops.sign_in_link')
    expect(JSON.stringify(rows)).not.to.include(token).and.not.include(token.split('.')[1])
    const [one, other] = await Promise.all([follow(token), follow(token)])
    expect([one.status, other.status].sort()).to.deep.equal([200, 400])
    const { headers } = one.status === 200 ? one : other
    const read = await api.ask('GET', '/api/account', { headers: { cookie: cookieOf({ headers }) } })
    expect(read.body.data.id).to.equal(someone.user_id)

    const late = await make()
    await api.database.query(`UPDATE ops.sign_in_link SET expires_at = now() - interval '1 second'`)
    const refused = await follow(late)
    expect([refused.status, refused.body.issues[0].path]).to.deep.equal([400, 'token'])
    expect(refused.headers.get('set-cookie')).to.equal(null)

    const old = await make()
    const { token_version } = (await api.accounts.find(someone.user_id))!
    await api.decree(someone.user_id, {
      type: 'LoginsEnded',
      data: { user_id: someone.user_id, token_version: token_version + 1 },
    })
    expect((await follow(old)).status).to.equal(400)

    const locked = await make()
    await api.decree(someone.user_id, { type: 'AccountLocked', data: { user_id: someone.user_id, reason: 'test' } })
    expect((await follow(locked)).status).to.equal(403)
    for (const bad of ['', 'x', 'bcs_1.x']) expect((await follow(bad)).status, bad).to.equal(400)
  })

  it('gives the same access as a login', async () => {
    const cookie = await newCookie()
    const read = await api.ask('GET', '/api/account', { headers: { cookie: `a=b; ${cookie}; c=d` } })
    expect([read.status, read.body.data.id]).to.deep.equal([200, api.owner.user_id])
    const written = await api.ask('POST', '/api/systems', {
      headers: { cookie, origin: OURS },
      json: { name: 'Shop', type: 'custom', payment_prefix: 'SE' },
    })
    expect(written.status).to.equal(201)
    const here = await api.ask('POST', '/api/systems', {
      headers: { cookie, origin: api.url },
      json: { name: 'Shop', type: 'custom', payment_prefix: 'SF' },
    })
    expect(here.status, 'the address that was called is ours too').to.equal(201)
  })

  it('refuses changes from a page of another site', async () => {
    const cookie = await newCookie()
    for (const origin of [
      undefined,
      'null',
      'https://evil.example',
      'http://baoco.example',
      'https://shop.baoco.example',
    ]) {
      for (const [method, path] of [
        ['POST', '/api/account/api-key/rotate'],
        ['PUT', '/api/webhooks/1'],
        ['DELETE', '/api/webhooks/1'],
        ['DELETE', '/api/session'],
      ] as const) {
        const { status, body } = await api.ask(method, path, { headers: { cookie, ...(origin && { origin }) } })
        expect([status, body.error], `${method} ${path} from ${origin}`).to.deep.equal([403, 'FORBIDDEN_ORIGIN'])
      }
    }
    expect(
      (await api.ask('GET', '/api/account', { headers: { cookie, origin: 'https://evil.example' } })).status,
    ).to.equal(200)
  })

  it('is found among any number of cookies, but not within the name or the value of another one', async () => {
    const cookie = await newCookie()
    const read = (sent: string) => api.ask('GET', '/api/account', { headers: { cookie: sent } })
    for (const found of [
      `a=b;${cookie} ;c=d`,
      `${cookie.split('=')[0]}=; ${cookie}`,
      `${'a;'.repeat(30_000)}${cookie}`,
    ])
      expect((await read(found)).status, found.slice(0, 40)).to.equal(200)
    for (const other of [`x${cookie}`, `x ${cookie}`, `a=${cookie}`])
      expect((await read(other)).status, other.slice(0, 40)).to.equal(401)
  })

  it('ends for every copy of its cookie', async () => {
    const cookie = await newCookie()
    const other = await newCookie()
    const ended = await api.ask('DELETE', '/api/session', { headers: { cookie, origin: OURS } })
    expect([ended.status, ended.body.success]).to.deep.equal([200, true])
    expect(ended.headers.get('set-cookie')).to.match(/^__Host-baoco_session=; Path=\/; Max-Age=0;/)
    const account = async (headers: Record<string, string>) =>
      (await api.ask('GET', '/api/account', { headers })).status
    expect(await account({ cookie })).to.equal(401)
    expect(await account({ cookie: other }), 'another browser stays logged in').to.equal(200)
    expect((await api.ask('DELETE', '/api/session', { headers: { origin: OURS } })).status).to.equal(401)
  })

  it('of a deleted account ends without an error', async () => {
    const { user_id } = await api.newAccount('left@example.com', 'Free', OWNERS_PASSWORD)
    const cookie = cookieOf(await begin(OWNERS_PASSWORD, 'left@example.com'))
    await api.decree(user_id, { type: 'AccountDeleted', data: { user_id } })
    expect((await api.ask('DELETE', '/api/session', { headers: { cookie, origin: OURS } })).status).to.equal(200)
  })

  it('is remembered as ended only until it would have expired', async () => {
    const cookies = [await newCookie(), await newCookie()]
    api.clock.at = new Date(Date.now() + 8 * 86_400_000)
    const late = await newCookie()
    for (const cookie of [...cookies, late])
      await api.ask('DELETE', '/api/session', { headers: { cookie, origin: OURS } })
    api.clock.at = null
    const { ended_sessions } = (await api.accounts.find(api.owner.user_id))!
    expect(ended_sessions.size).to.equal(1)
  })

  it('cannot replace the token of a login, and is not replaced by it', async () => {
    const cookie = await newCookie()
    const session = cookie.split('=')[1]!
    const { body } = await api.ask('POST', '/api/auth/login', {
      json: { email: 'owner@baoco.local', password: OWNERS_PASSWORD },
    })
    const account = async (headers: Record<string, string>) =>
      (await api.ask('GET', '/api/account', { headers })).status
    expect(await account({ authorization: `Bearer ${session}` })).to.equal(401)
    expect(await account({ cookie: `__Host-baoco_session=${body.token}` })).to.equal(401)
    expect(await account({ cookie: '__Host-baoco_session=x' })).to.equal(401)
  })

  it('is used only if the request has no other credential', async () => {
    const cookie = await newCookie()
    const account = async (headers: Record<string, string>, query = '') =>
      (await api.ask('GET', `/api/account${query}`, { headers: { cookie, ...headers } })).status
    expect(await account({ 'x-api-key': 'bad' })).to.equal(401)
    expect(await account({ authorization: 'Bearer bad' })).to.equal(401)
    expect(await account({}, '?api_key=bad')).to.equal(401)
    expect(await account({}, '?api_key=a&api_key=b')).to.equal(401)
    expect(await account({}, '?api_key=')).to.equal(200)
  })

  it('is refused for a locked account', async () => {
    const { user_id } = await api.newAccount('locked@example.com')
    const cookie = cookieOf(await begin(OWNERS_PASSWORD, 'locked@example.com'))
    await api.decree(user_id, { type: 'AccountLocked', data: { user_id, reason: 'test' } })
    const { status, body } = await api.ask('GET', '/api/account', { headers: { cookie } })
    expect([status, body.error]).to.deep.equal([403, 'ACCOUNT_LOCKED'])
  })
})
