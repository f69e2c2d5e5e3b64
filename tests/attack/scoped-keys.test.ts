/**
 * Attack: a scoped key in the wrong hands, because a shop plugin's server was broken into or a script's key leaked. The key must not do
 * more
 * than its scopes allow, must not show secrets, and must not get more scopes. `tests/integration/openapi/authorisation.test.ts` tests
 * every operation.
 */
import { expect } from 'chai'
import { once } from 'node:events'
import { connect } from 'node:net'
import { maskOf } from '../../adapters/http/openapi/secrets.ts'
import { Delivery } from '../../adapters/http/resources/transactions.ts'
import { HOUR_MS } from '../../domain/time.ts'
import { BASE_URL, openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import { attempted, captured } from '../integration/http/captured.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { openShop, type Shop } from '../harness/shop.ts'

const SCOPES = ['read', 'write', 'connect', 'receive']

describe('attack: a scoped key', () => {
  let api: ApiUnderTest
  let shop: Shop
  before(async () => {
    api = await openApi({}, 'real')
    shop = await openShop()
  })
  afterEach(() => {
    api.clock.at = null
  })
  after(async () => {
    await shop.close()
    await api.close()
  })

  let accounts = 0
  const newKey = async () => (await api.newAccount(`scoped${++accounts}@example.com`)).api_key
  const make = (key: string, scopes: string[], more: object = {}) =>
    api.ask('POST', '/api/account/api-keys', { key, json: { name: 'plugin', scopes, ...more } })
  const scoped = async (key: string, ...scopes: string[]): Promise<string> =>
    (await make(key, scopes)).body.data.api_key
  const lacksScope = ({ status, body }: Awaited<ReturnType<typeof make>>, ...named: string[]) => {
    expect([status, body.error]).to.deep.equal([403, 'SCOPE_MISSING'])
    for (const each of named) expect(body.message).to.include(`\`${each}\``)
  }

  it('is shown once, listed without its text, and void once it is deleted', async () => {
    const own = await newKey()
    const made = await make(own, ['receive', 'read', 'read'])
    expect(made.status).to.equal(201)
    const { api_key: key, ...listed } = made.body.data
    expect(key).to.match(/^bck_\d+\.[\w-]{40,}$/)
    expect(listed).to.deep.include({
      name: 'plugin',
      scopes: ['read', 'receive'],
      expires_at: null,
      last_used_at: null,
    })
    const list = await api.ask('GET', '/api/account/api-keys', { key: own })
    expect(list.body.data).to.deep.equal([listed])
    expect((await api.ask('GET', '/api/webhooks', { key })).status).to.equal(200)
    expect((await api.ask('DELETE', `/api/account/api-keys/${listed.id}`, { key: own })).status).to.equal(200)
    expect((await api.ask('GET', '/api/webhooks', { key })).status).to.equal(401)
    expect((await api.ask('GET', '/api/account/api-keys', { key: own })).body.data).to.deep.equal([])
  })

  it('cannot make, list or delete keys, whatever its scopes', async () => {
    const own = await newKey()
    const made = await make(own, SCOPES)
    const { id, api_key: key } = made.body.data
    lacksScope(await make(key, ['read']))
    lacksScope(await api.ask('GET', '/api/account/api-keys', { key }))
    lacksScope(await api.ask('DELETE', `/api/account/api-keys/${id}`, { key }))
    lacksScope(await api.ask('POST', '/api/account/api-key/rotate', { key }))
    lacksScope(await api.ask('POST', '/api/receive-url/rotate', { key }))
  })

  it('is refused if the account has 20, even with parallel calls', async () => {
    const own = await newKey()
    const statuses = (await Promise.all(Array.from({ length: 25 }, () => make(own, ['read'])))).map(
      ({ status }) => status,
    )
    expect(statuses.filter((status) => status === 201)).to.have.length(20)
    const over = await make(own, ['read'])
    expect([over.status, over.body.error, over.body.limit]).to.deep.equal([403, 'API_KEY_LIMIT_REACHED', 20])
  })

  it('becomes void when it expires', async () => {
    const own = await newKey()
    const expires_at = new Date(Date.now() + HOUR_MS).toISOString()
    const { api_key: key } = (await make(own, SCOPES, { expires_at })).body.data
    const text = { json: { sender: 'Vietcombank', text: 'hello' }, key }
    expect((await api.ask('GET', '/api/account', { key })).status).to.equal(200)
    expect((await api.ask('POST', '/api/receive/sms', text)).status).to.equal(200)
    api.clock.at = new Date(Date.parse(expires_at))
    expect((await api.ask('GET', '/api/account', { key })).status).to.equal(401)
    expect((await api.ask('POST', '/api/receive/sms', text)).status).to.equal(401)
    const past = await make(own, ['read'], { expires_at: new Date(Date.now() - 1).toISOString() })
    expect(past.body.issues[0].path).to.equal('expires_at')
  })

  it('is void for a call whose body arrives after the key was deleted', async () => {
    const own = await newKey()
    const { id, api_key: key } = (await make(own, ['write'])).body.data
    const body = JSON.stringify({ name: 'later', type: 'custom', payment_prefix: 'LATER' })
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
    const head = `POST /api/systems HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Type: application/json\r\n`
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`)
    await eventually(
      async () => (await api.ask('GET', '/api/account/api-keys', { key: own })).body.data[0].last_used_at,
      { what: 'the key is checked before the body' },
    )
    expect((await api.ask('DELETE', `/api/account/api-keys/${id}`, { key: own })).status).to.equal(200)
    socket.write(body.slice(-1))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    expect(String(answer)).to.match(/^HTTP\/1.1 401 /)
    expect((await api.ask('GET', '/api/systems', { key: own })).body.data).to.deep.equal([])
  })

  it('with connect and read connects a shop, gets only the secret of its own rule, and changes nothing', async () => {
    const own = await newKey()
    const url = shop.url
    const other = await api.ask('POST', '/api/webhooks', { key: own, json: { name: 'another', url } })
    const key = await scoped(own, 'connect', 'read')
    const json = { type: 'woocommerce', site_url: 'https://shop.example', webhook_url: url, payment_prefix: 'SHOP' }
    const connected = await api.ask('POST', '/api/systems/connect', { key, json })
    expect(connected.status).to.equal(201)
    const { rule } = connected.body.data
    expect(rule.secret_key).to.match(/^[0-9a-f]{48}$/)
    const rules = (await api.ask('GET', '/api/webhooks', { key })).body.data as { id: number; secret_key: unknown }[]
    expect(rules.map(({ id, secret_key }) => [id, secret_key])).to.have.deep.members([
      [rule.id, null],
      [other.body.data.id, null],
    ])
    const owners = (await api.ask('GET', '/api/webhooks', { key: own })).body.data as { secret_key: unknown }[]
    for (const { secret_key } of owners) expect(secret_key).to.match(/^[0-9a-f]{48}$/)
    lacksScope(await api.ask('PUT', `/api/webhooks/${rule.id}`, { key, json: { url } }), 'write')
    lacksScope(await api.ask('DELETE', `/api/systems/${connected.body.data.system.id}`, { key }), 'write')
    lacksScope(await api.ask('POST', '/api/receive/sms', { key, json: { text: 'x' } }), 'receive')
  })

  it('with only connect reads the account and nothing else', async () => {
    const key = await scoped(await newKey(), 'connect')
    expect((await api.ask('GET', '/api/account', { key })).status).to.equal(200)
    lacksScope(await api.ask('GET', '/api/transactions', { key }), 'read')
    lacksScope(await api.ask('GET', '/api/stream', { key }), 'read')
  })

  it('with write writes without seeing secrets, and what it sends back does not change them', async () => {
    const own = await newKey()
    const key = await scoped(own, 'write')
    const made = await api.ask('POST', '/api/webhooks', { key, json: { name: 'theirs', url: shop.url } })
    expect([made.status, made.body.data.secret_key]).to.deep.equal([201, null])
    const before = (await api.ask('GET', '/api/webhooks', { key: own })).body.data[0].secret_key
    const changed = await api.ask('PUT', `/api/webhooks/${made.body.data.id}`, {
      key,
      json: { ...made.body.data, name: 'renamed' },
    })
    expect([changed.status, changed.body.data.name, changed.body.data.secret_key]).to.deep.equal([200, 'renamed', null])
    expect((await api.ask('GET', '/api/webhooks', { key: own })).body.data[0].secret_key).to.equal(before)
    expect((await api.ask('GET', '/api/receive-url', { key })).body.data.url).to.equal(null)
  })

  it('with read sees no token of an inbox, and no text that an inbox received', async () => {
    const { api_key: own, user_id } = await api.newAccount(`scoped${++accounts}@example.com`)
    const inbox = (await api.ask('POST', '/api/inbox', { key: own })).body.data as { id: number; url: string }
    const { token } = (await api.ask('POST', '/api/inbox', { key: own })).body.data
    const json = { name: 'try', url: inbox.url }
    const rule = (await api.ask('POST', '/api/webhooks', { key: own, json })).body.data
    expect((await api.ask('POST', `/api/webhooks/${rule.id}/test?sample=1`, { key: own })).status).to.equal(200)
    expect(
      (await api.ask('PUT', '/api/account/alerts', { key: own, json: { webhook_url: inbox.url } })).status,
    ).to.equal(200)
    const id = await api.nextId()
    await api.happened(user_id, id, [
      captured(user_id, id, { webhook_status: 'failed', rules: [rule.id] }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: rule.id, url: inbox.url }),
    ])
    const [read, write] = [await scoped(own, 'read'), await scoped(own, 'write')]
    const masked = inbox.url.replace(/bci_.*/, 'bci_…')
    const paths = ['inbox', `inbox/${inbox.id}`, 'webhooks', `webhooks/${rule.id}/logs`, 'account/alerts',
      `transactions/${id}`, `transactions/${id}/history`, 'transactions', 'alerts', 'notifications', 'undelivered'] // prettier-ignore
    for (const path of paths) {
      const { status, body } = await api.ask('GET', `/api/${path}`, { key: read })
      expect(status, path).to.equal(200)
      expect(JSON.stringify(body), path).not.to.match(/bci_\d/)
    }
    const get = async (path: string, key: string) => (await api.ask('GET', `/api/${path}`, { key })).body.data
    expect((await get(`inbox/${inbox.id}`, read)).calls.at(-1)).to.include({ method: 'POST', body: null })
    expect((await get(`inbox/${inbox.id}`, own)).calls.at(-1).body).to.include('bank_code')
    expect((await get('webhooks', read))[0].url).to.equal(masked)
    expect((await get('webhooks', own))[0].url).to.equal(inbox.url)
    expect((await get(`transactions/${id}`, read)).deliveries[0].webhook_url).to.equal(masked)
    expect((await get(`transactions/${id}`, own)).deliveries[0].webhook_url).to.equal(inbox.url)
    const request = { method: 'POST', url: `${BASE_URL}/inbox/${token}`, headers: {}, body: null }
    const delivery = maskOf(Delivery)!({ webhook_url: 'https://a.example/', request })
    expect(delivery).to.deep.equal({ webhook_url: 'https://a.example/', request: { ...request, url: masked } })

    // A hidden URL that is sent back stays as it is.
    const changed = await api.ask('PUT', `/api/webhooks/${rule.id}`, { key: write, json: { url: masked, name: 'new' } })
    expect([changed.status, changed.body.data.url, changed.body.data.name]).to.deep.equal([200, masked, 'new'])
    expect((await get('webhooks', own))[0]).to.include({ url: inbox.url, name: 'new' })
    const secret = (await get('account/alerts', own)).secret_key
    const alerts = await api.ask('PUT', '/api/account/alerts', { key: write, json: { webhook_url: masked } })
    expect([alerts.status, alerts.body.data.webhook_url]).to.deep.equal([200, masked])
    expect(await get('account/alerts', own)).to.deep.equal({ webhook_url: inbox.url, secret_key: secret })
  })

  it('never reads the bank’s own texts', async () => {
    const key = await scoped(await newKey(), 'read', 'write')
    expect((await api.ask('GET', '/api/transactions?include_raw=0', { key })).status).to.equal(200)
    for (const path of ['transactions?include_raw=1', 'notifications?include_raw=1', 'transactions?include%5Fraw=1'])
      lacksScope(await api.ask('GET', `/api/${path}`, { key }))
  })

  it('with receive submits notifications like a phone, in every position for a token', async () => {
    const own = await newKey()
    const made = await make(own, ['receive'])
    const { id, api_key: key } = made.body.data
    const accepted = [
      { 'x-api-key': key },
      { 'x-device-token': key },
      { authorization: `Apikey ${key}` },
      { authorization: `Bearer ${key}` },
    ]
    for (const [index, headers] of accepted.entries()) {
      const json = { sender: 'Vietcombank', text: vietcombankText(700_000 + index, `DH${7_000 + index}`) }
      const { status, body } = await api.ask('POST', '/api/receive/sms', { headers, json })
      expect([status, typeof body.data.id], JSON.stringify(body)).to.deep.equal([200, 'number'])
      const shown = await eventually(async () => {
        const one = await api.ask('GET', `/api/transactions/${body.data.id}`, { key: own })
        return one.status === 200 && one
      })
      expect(shown.body.data.source_type).to.equal('sms')
    }
    const forged = await api.ask('POST', '/api/receive/sms', {
      key,
      json: { sender: '0901234567', text: vietcombankText(5, 'DH1') },
    })
    expect(forged.body.data).to.deep.equal({ ignored: true, reason: 'unknown_sender' })
    const items = [{ type: 'sms', sender: 'Vietcombank', text: vietcombankText(700_009, 'DH7009') }]
    const batch = await api.ask('POST', '/api/receive/batch', { key, json: { items } })
    expect(batch.body.data[0].id).to.be.a('number')
    expect((await api.ask('POST', '/api/receive/sms', { key: own, json: items[0] })).status, 'the own key').to.equal(
      401,
    )
    const listed = (await api.ask('GET', '/api/account/api-keys', { key: own })).body.data[0]
    expect(Date.parse(listed.last_used_at)).to.be.within(Date.now() - 60_000, Date.now())
    await eventually(async () => {
      const rows = await api.database.query('SELECT 1 FROM ops.api_key_use WHERE api_key_id = $1', [id])
      return rows.length === 1
    })
  })

  it('does not open another account', async () => {
    const key = await scoped(await newKey(), ...SCOPES)
    const other = await api.newAccount('other@example.com')
    expect((await api.ask('GET', '/api/account', { key: key.replace(/_\d+/, `_${other.user_id}`) })).status).to.equal(
      401,
    )
  })
})
