/** The live stream of events for signed-in users. */
import { expect } from 'chai'
import { eventually } from '../../harness/eventually.ts'
import type { OpenApiDocument } from '../../harness/openapi/document.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured, statusChanged } from './captured.ts'
import { openListeners } from './stream-listeners.ts'

describe('the stream', () => {
  let api: ApiUnderTest
  const listeners = openListeners()

  beforeEach(async () => {
    api = await openApi()
  })
  afterEach(async () => {
    listeners.close()
    await api.close()
  })

  const listen = (path: string, headers: Record<string, string> = {}, at = api.url) =>
    listeners.listen(at + path, headers)
  const mine = (more: Record<string, string> = {}) => listen('/api/stream', { 'x-api-key': api.owner.api_key, ...more })
  const pay = async (user = api.owner.user_id, given: Parameters<typeof captured>[2] = {}): Promise<number> => {
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id, given)])
    return id
  }

  it('sends short messages without personal data, once the API can show what they report', async () => {
    const { response, sent } = await mine()
    expect(response.headers.get('content-type')).to.include('text/event-stream')
    expect(response.headers.get('cache-control')).to.equal('no-store, no-transform')
    expect(response.headers.get('x-accel-buffering')).to.equal('no')
    const id = await pay()
    await api.happened(api.owner.user_id, id, [
      attempted(id, { attempt_id: await api.nextId(), rule_id: 5 }),
      statusChanged(id, 'pending', 'failed'),
    ])
    await eventually(() => sent.length === 3)
    expect(sent.map(({ event, data }) => [event, data.what, data.id])).to.deep.equal([
      ['transaction', 'captured', id],
      ['attempt', 'exhausted', id],
      ['transaction', 'status', id],
    ])
    expect(sent[0]!.data).to.include({ amount: '150000.00', order_id: 'DH1042', transaction_type: 'credit' })
    expect((await api.ask('GET', `/api/transactions/${id}`, { key: api.owner.api_key })).status).to.equal(200)
    for (const each of sent) expect(JSON.stringify(each).length).to.be.below(450)
    for (const secret of ['0011000415567', 'TRAN B', 'SD TK', '1250000', 'shop.example'])
      expect(JSON.stringify(sent)).not.to.include(secret)
  })

  it('sends nothing about other users', async () => {
    const other = await api.newAccount('other@example.com')
    const { sent } = await mine()
    await pay(other.user_id)
    const id = await pay()
    await eventually(() => sent.length > 0)
    expect(sent.map(({ data }) => data.id)).to.deep.equal([id])
  })

  it('continues after the last received message, in order and without repeats', async () => {
    const first = await mine()
    await pay()
    const last = await eventually(() => first.sent[0]?.id)
    first.stop()
    const missed = [await pay(), await pay()]
    const again = await mine({ 'last-event-id': last })
    const next = await pay()
    await eventually(() => again.sent.length === 3)
    expect(again.sent.map(({ data }) => data.id)).to.deep.equal([...missed, next])
    const bySince = await listen(`/api/stream?since=${encodeURIComponent(last)}`, { 'x-api-key': api.owner.api_key })
    await eventually(() => bySince.sent.length === 3)
    const twice = await listen('/api/stream?since=1&since=2', { 'x-api-key': api.owner.api_key })
    expect(twice.response.status).to.equal(400)
    const { paths } = (await api.ask('GET', '/api/openapi.json')).body as OpenApiDocument
    for (const path of ['/api/stream', '/counter/{token}/stream'])
      expect(paths[path]!.get!.parameters?.map(({ name }) => name)).to.include('since')
  })

  it('sends a reset if the last received message is too old or of another store', async () => {
    const [first] = await api.store.readAll(null, 1)
    const { sent } = await mine()
    await pay()
    const epoch = (await eventually(() => sent[0]?.id)).split('.')[0]!
    const restarted = await api.another({ mostRead: 1 })
    for (const [lastId, url] of [
      [`${epoch}.${first!.checkpoint}`, restarted.url],
      ['deadbeef.5', api.url],
      [`${epoch}.nonsense`, api.url],
      ['x', api.url],
    ] as const) {
      const again = await listen('/api/stream', { 'x-api-key': api.owner.api_key, 'last-event-id': lastId }, url)
      await eventually(() => again.sent[0]?.event === 'reset', { what: lastId })
      again.stop()
      await again.done
    }
  })

  it('continues in another process and after a restart, in order, without a gap or a repeat', async () => {
    const key = { 'x-api-key': api.owner.api_key }
    const before = await api.another()
    const first = await listen('/api/stream', key, before.url)
    const seen = await pay()
    await eventually(() => first.sent.length === 1)
    await before.stop()
    await first.done
    expect(first.sent.map(({ event, data }) => data.id ?? event)).to.deep.equal([seen, 'bye'])
    const other = await api.newAccount('other@example.com')
    const missed = [await pay(), await pay()]
    await pay(other.user_id)
    const after = await api.another()
    const again = await Promise.all(
      [1, 2].map(() => listen('/api/stream', { ...key, 'last-event-id': first.lastId()! }, after.url)),
    )
    const next = await pay()
    for (const { sent } of again) {
      await eventually(() => sent.length === 3)
      expect(sent.map(({ data }) => data.id)).to.deep.equal([...missed, next])
    }
  })

  it('gives a listener an id before its first event, so that it can continue from there', async () => {
    const first = await mine()
    const id = await eventually(first.lastId)
    first.stop()
    const missed = await pay()
    const again = await mine({ 'last-event-id': id })
    await eventually(() => again.sent.length === 1)
    expect(again.sent[0]!.data.id).to.equal(missed)
  })

  it('reads few events of the store at a time for a listener that comes back after a restart', async () => {
    const first = await mine()
    const id = await eventually(first.lastId)
    first.stop()
    const transaction = await api.nextId()
    const changed = { transaction_id: transaction, from: 'pending', to: 'failed' } as const
    const events = Array.from({ length: 250 }, () => ({ type: 'WebhookStatusChanged', data: changed }) as const)
    await api.happened(api.owner.user_id, transaction, [captured(api.owner.user_id, transaction), ...events])
    const { readAll } = api.store
    const read: number[] = []
    api.store.readAll = async (after, limit) => {
      const found = await readAll(after, limit)
      read.push(found.length)
      return found
    }
    const after = await api.another()
    const again = await listen('/api/stream', { 'x-api-key': api.owner.api_key, 'last-event-id': id }, after.url)
    await eventually(() => again.sent.length === 1)
    api.store.readAll = readAll
    again.stop()
    expect(read.reduce((sum, each) => sum + each, 0)).to.be.above(250)
    expect(Math.max(...read)).to.be.at.most(100)
  })

  it('sends one reset instead of very many events, after which a listener can continue', async () => {
    const first = await mine()
    const id = await eventually(first.lastId)
    const transaction = await api.nextId()
    const attempts = await Promise.all(
      Array.from({ length: 120 }, async () => attempted(transaction, { attempt_id: await api.nextId(), rule_id: 5 })),
    )
    first.stop()
    await api.happened(api.owner.user_id, transaction, [captured(api.owner.user_id, transaction), ...attempts])
    const again = await mine({ 'last-event-id': id })
    await eventually(() => again.sent.length === 1)
    expect(again.sent[0]!.event).to.equal('reset')
    again.stop()
    const next = await pay()
    const last = await mine({ 'last-event-id': again.sent[0]!.id! })
    await eventually(() => last.sent.length === 1)
    expect(last.sent[0]!.data.id).to.equal(next)
  })

  it('ends when its credential expires', async () => {
    const expires_at = new Date(Date.now() + 86_400_000)
    const { body } = await api.ask('POST', '/api/account/api-keys', {
      key: api.owner.api_key,
      json: { name: 'page', scopes: ['read'], expires_at: expires_at.toISOString() },
    })
    api.clock.at = new Date(expires_at.getTime() - 300)
    const { response, sent, isEnded } = await listen('/api/stream', { 'x-api-key': body.data.api_key })
    expect(response.status).to.equal(200)
    await eventually(() => isEnded(), { what: 'the end' })
    expect(sent.at(-1)).to.deep.include({ event: 'end', data: { reason: 'credentials' } })
  })

  it('requires credentials, and allows at most five streams per user', async () => {
    expect((await listen('/api/stream')).response.status).to.equal(401)
    // A new link ends the account's streams.
    const { token } = (await api.ask('POST', '/api/counter', { key: api.owner.api_key })).body.data
    const open = await Promise.all(Array.from({ length: 5 }, () => mine()))
    expect(open.map(({ response }) => response.status)).to.deep.equal([200, 200, 200, 200, 200])
    expect((await mine()).response.status).to.equal(429)
    expect((await listen(`/counter/${token}/stream`)).response.status, 'the counter has its own').to.equal(200)
    const other = await api.newAccount('other@example.com')
    expect((await listen('/api/stream', { 'x-api-key': other.api_key })).response.status).to.equal(200)
    open[0]!.stop()
    await eventually(async () => (await mine()).response.status === 200, { what: 'room again' })
  })

  it('ends when the key is rotated, and when the account is locked', async () => {
    const key = await mine()
    await api.ask('POST', '/api/account/api-key/rotate', { key: api.owner.api_key })
    await eventually(() => key.isEnded(), { what: 'the end' })
    expect(key.sent.at(-1)).to.deep.include({ event: 'end', data: { reason: 'credentials' } })
    const other = await api.newAccount('other@example.com')
    const locked = await listen('/api/stream', { 'x-api-key': other.api_key })
    const { token } = (await api.ask('POST', '/api/counter', { key: other.api_key })).body.data
    const counter = await listen(`/counter/${token}/stream`)
    await api.decree(other.user_id, { type: 'AccountLocked', data: { user_id: other.user_id, reason: 'test' } })
    await eventually(() => locked.isEnded() && counter.isEnded(), { what: 'the end' })
    for (const path of [`/counter/${token}`, `/counter/${token}/stream`])
      expect((await api.ask('GET', path)).status, path).to.equal(403)
  })

  it('ends if the credential ended while the stream was being opened', async () => {
    const end = api.store.end.bind(api.store)
    const { token } = (await api.ask('POST', '/api/counter', { key: api.owner.api_key })).body.data
    for (const [path, headers, last] of [
      ['/api/stream', { 'x-api-key': api.owner.api_key }, '/api/account/api-key/rotate'],
      [`/counter/${token}/stream`, {}, '/api/counter'],
    ] as const) {
      const other = await api.another()
      let isAsked = false
      let goOn = () => {}
      api.store.end = () => {
        isAsked = true
        return new Promise((resolve) => (goOn = () => resolve(end())))
      }
      const opening = listen(path, headers, other.url)
      await eventually(() => isAsked)
      api.store.end = end
      const { status, body } = await api.ask('POST', last, { key: api.owner.api_key })
      expect(status).to.be.below(300)
      if (body.data.api_key) api.owner.api_key = body.data.api_key
      goOn()
      const { response, isEnded, sent } = await opening
      if (response.status === 200) await eventually(() => isEnded(), { what: `the end of ${path}` })
      expect(
        sent.filter(({ event }) => event === 'payments'),
        path,
      ).to.deep.equal([])
      expect([200, 401, 404], path).to.include(response.status)
    }
  })

  it('sends a bye message when the process stops', async () => {
    const { sent, done } = await mine()
    await api.close()
    await done
    expect(sent.at(-1)!.event).to.equal('bye')
    api = await openApi()
  })
})
