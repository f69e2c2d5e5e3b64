/** Inboxes: opening, setting the answer, calls over HTTP and by our own sender, and reading the calls. */
import { expect } from 'chai'
import { openInboxCalls, sweepInboxCalls } from '../../../adapters/inbox/calls.ts'
import { signedHeaders } from '../../../domain/webhook/signature.ts'
import { BASE_URL, openApi, type ApiUnderTest } from './api-under-test.ts'

interface Call {
  at: string
  method: string
  headers: Record<string, string>
  body: string
  verified: boolean
}

interface Inbox {
  id: number
  url: string
  answer: number
  delay_ms: number
  calls: Call[]
}

describe('inboxes', () => {
  let api: ApiUnderTest
  let key: string
  let user_id: number

  before(async () => {
    api = await openApi()
  })
  after(async () => {
    await api.close()
  })
  beforeEach(async () => {
    const account = await api.newAccount(`u${Math.random()}@example.com`)
    key = account.api_key
    user_id = account.user_id
  })

  const opened = async (): Promise<{ id: number; token: string; url: string }> => {
    const { status, body } = await api.ask('POST', '/api/inbox', { key })
    expect(status).to.equal(201)
    return body.data
  }
  const listed = async (): Promise<Inbox[]> => (await api.ask('GET', '/api/inbox', { key })).body.data
  const change = (id: number, json: object) => api.ask('PUT', `/api/inbox/${id}`, { key, json })
  const newRule = async (url: string): Promise<{ id: number; secret_key: string }> =>
    (await api.ask('POST', '/api/webhooks', { key, json: { name: 'try', url } })).body.data
  const call = (token: string, method = 'POST', body: string | Buffer = '{}', headers: Record<string, string> = {}) =>
    api.ask(method, `/inbox/${token}`, { body, headers: { 'content-type': 'application/json', ...headers } })
  const signed = (secret: string, body: string) =>
    signedHeaders({ secret, body, webhookId: 'msg_1_1', timestamp: 1, attempt: 1 })

  it('are opened with a token and a URL, and listed newest first', async () => {
    const [first, second] = [await opened(), await opened()]
    expect(first).to.have.all.keys('id', 'token', 'url')
    expect(first.url).to.equal(`${BASE_URL}/inbox/${first.token}`)
    const inbox = (id: number, url: string) => ({ id, url, answer: 200, delay_ms: 0, calls: [] })
    expect(await listed()).to.deep.equal([inbox(second.id, second.url), inbox(first.id, first.url)])
    const { body } = await api.ask('GET', `/api/inbox/${first.id}`, { key })
    expect(body.data).to.deep.equal(inbox(first.id, first.url))
  })

  it('keep POST and PUT calls unchanged, newest first', async () => {
    const { id, token } = await opened()
    expect((await call(token, 'POST', '{"a":1}', { 'x-mine': 'yes' })).body).to.deep.equal({ success: true })
    expect((await call(token, 'PUT', 'không phải JSON', { 'content-type': 'text/plain' })).status).to.equal(200)
    const [inbox] = await listed()
    expect(inbox!.id).to.equal(id)
    expect(inbox!.calls.map(({ method, body, verified }) => ({ method, body, verified }))).to.deep.equal([
      { method: 'PUT', body: 'không phải JSON', verified: false },
      { method: 'POST', body: '{"a":1}', verified: false },
    ])
    expect(inbox!.calls[1]!.headers).to.include({ 'x-mine': 'yes', 'content-type': 'application/json' })
    expect(Date.parse(inbox!.calls[0]!.at)).to.be.closeTo(Date.now(), 60_000)
  })

  it('answer as configured: 500, then 200 with a delay', async () => {
    const { id, token } = await opened()
    const changed = await change(id, { answer: 500 })
    expect(changed.body.data).to.include({ id, answer: 500, delay_ms: 0 })
    const { status, body } = await call(token)
    expect([status, body.success]).to.deep.equal([500, false])
    await change(id, { answer: 200, delay_ms: 300 })
    const began = performance.now()
    expect((await call(token)).status).to.equal(200)
    expect(performance.now() - began).to.be.at.least(290)
    expect((await listed())[0]!.calls).to.have.lengthOf(2)
  })

  it('accept only the answers 200 and 500 and delays up to 30 seconds', async () => {
    const { id } = await opened()
    for (const wrong of [{ answer: 404 }, { answer: '200' }, { delay_ms: -1 }, { delay_ms: 30_001 }, { colour: 1 }])
      expect((await change(id, wrong)).status, JSON.stringify(wrong)).to.equal(400)
    expect((await change(id, { delay_ms: 30_000 })).status).to.equal(200)
    const { calls: _, ...shown } = (await listed())[0]!
    expect((await change(id, shown)).body.data).to.deep.equal(shown)
    expect((await change(id, {})).body.data).to.deep.equal(shown)
  })

  it('show whether a call is signed with the secret of a rule that calls them', async () => {
    const [one, other] = [await opened(), await opened()]
    const rule = await newRule(one.url)
    const body = '{"order_id":"DH1"}'
    await call(one.token, 'POST', body, signed(rule.secret_key, body))
    await call(one.token, 'POST', `${body} `, signed(rule.secret_key, body))
    await call(one.token, 'POST', body, signed('ab'.repeat(24), body))
    await call(other.token, 'POST', body, signed(rule.secret_key, body))
    const [atOther, atOne] = await listed()
    expect(atOne!.calls.map(({ verified }) => verified)).to.deep.equal([false, false, true])
    expect(atOther!.calls.map(({ verified }) => verified)).to.deep.equal([false])
  })

  it('are called by Baoco’s sender without a network, with the method of the rule', async () => {
    const { id, token, url } = await opened()
    const rule = await newRule(url)
    await api.ask('PUT', `/api/webhooks/${rule.id}`, { key, json: { http_method: 'PUT' } })
    // Nothing listens at BASE_URL.
    const test = await api.ask('POST', `/api/webhooks/${rule.id}/test`, { key })
    expect(test.body).to.include({ success: true, http_code: 200, response_body: '{"success":true}' })
    const [{ method, body, verified }] = (await listed())[0]!.calls as [Call]
    expect([method, verified, JSON.parse(body).event]).to.deep.equal(['PUT', true, 'test'])
    await api.ask('POST', `/api/webhooks/${rule.id}/test?sample=1`, { key })
    const [{ headers }] = (await listed())[0]!.calls as [Call]
    expect(headers['x-webhook-event'], 'the names are in lower case, as over HTTP').to.equal('test')
    await change(id, { answer: 500 })
    expect((await api.ask('POST', `/api/webhooks/${rule.id}/test`, { key })).body).to.include({ http_code: 500 })
    await api.ask('DELETE', `/api/inbox/${id}`, { key })
    expect((await api.ask('POST', `/api/webhooks/${rule.id}/test`, { key })).body).to.include({ http_code: 404 })
    expect((await call(token)).status).to.equal(404)
  })

  it('are allowed targets, unlike other URLs of this server', async () => {
    const { url } = await opened()
    const statusOf = async (target: string) =>
      (await api.ask('POST', '/api/webhooks', { key, json: { name: 'x', url: target } })).status
    expect(await statusOf(`${url}?shop=1`)).to.equal(201)
    for (const wrong of [
      `${BASE_URL}/api/inbox`,
      `${BASE_URL}/inbox/`,
      `${url}/more`,
      `${BASE_URL}/inbox/../api/receive/u/x`,
      url.replace('https://', 'https://user:password@'),
    ])
      expect(await statusOf(wrong), wrong).to.equal(400)
    const alerts = await api.ask('PUT', '/api/account/alerts', { key, json: { webhook_url: url } })
    expect(alerts.status).to.equal(200)
  })

  it('keep the last 50 calls', async () => {
    const { token } = await opened()
    for (let number = 1; number <= 52; number++) await call(token, 'POST', String(number))
    const [{ calls }] = (await listed()) as [Inbox]
    expect(calls.map(({ body }) => Number(body))).to.deep.equal(Array.from({ length: 50 }, (_, index) => 52 - index))
    const [{ count }] = (await api.database.query(
      'SELECT count(*)::int AS count FROM ops.inbox_call WHERE user_id = $1',
      [user_id],
    )) as [{ count: number }]
    expect(count).to.equal(50)
  })

  it('keep no credentials, and only the beginning of long values', async () => {
    const { token } = await opened()
    const headers = {
      authorization: 'Bearer x',
      cookie: 'baoco_session=x',
      'x-api-key': 'x',
      'x-long': 'y'.repeat(5_000),
    }
    await call(token, 'POST', Buffer.from(`\0${'ă'.repeat(20_000)}`), headers)
    const [{ calls }] = (await listed()) as [Inbox]
    expect(calls[0]!.headers).to.not.have.any.keys('authorization', 'cookie', 'x-api-key')
    expect(calls[0]!.headers['x-long']).to.have.lengthOf(1_024)
    expect(calls[0]!.body).to.match(/^ă+\ufffd?$/)
    expect(Buffer.byteLength(calls[0]!.body)).to.be.within(16_000, 16_400)
  })

  it('forget calls older than a week, and calls of inboxes and accounts that no longer exist', async () => {
    const { id, token } = await opened()
    await call(token, 'POST', 'old')
    await api.database.query("UPDATE ops.inbox_call SET at = now() - interval '8 days' WHERE inbox_id = $1", [id])
    await call(token, 'POST', 'new')
    const gone = { user_id: 999_999_999, inbox_id: 999_999_998, method: 'POST', headers: {}, body: '', verified: true }
    await openInboxCalls(api.database).keep(gone)
    expect(await sweepInboxCalls(api.database).run(new AbortController().signal)).to.deep.equal({ swept: 2 })
    expect((await listed())[0]!.calls.map(({ body }) => body)).to.deep.equal(['new'])
    expect((await api.ask('DELETE', `/api/inbox/${id}`, { key })).status).to.equal(200)
    expect(await api.database.query('SELECT FROM ops.inbox_call WHERE inbox_id = $1', [id])).to.have.length(0)
  })

  it('are limited to ten per account, even if they are opened in parallel', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.ask('POST', '/api/inbox', { key })))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([...Array(10).fill(201), 409, 409])
    await api.ask('DELETE', `/api/inbox/${(await listed())[0]!.id}`, { key })
    expect((await api.ask('POST', '/api/inbox', { key })).status).to.equal(201)
  })

  it('are visible only to their owner, and can be called only with their token', async () => {
    const { id, token } = await opened()
    const stranger = await api.newAccount(`s${Math.random()}@example.com`)
    expect((await api.ask('GET', '/api/inbox', { key: stranger.api_key })).body.data).to.deep.equal([])
    for (const method of ['GET', 'PUT', 'DELETE'])
      expect(
        (await api.ask(method, `/api/inbox/${id}`, { key: stranger.api_key, ...(method === 'PUT' && { json: {} }) }))
          .status,
      ).to.equal(404)
    for (const wrong of [`${token}x`, token.replace(/_\d+/, '_999999'), 'x', '%00'])
      expect((await call(wrong)).status, wrong).to.equal(404)
    expect((await listed())[0]!.calls).to.deep.equal([])
  })
})
