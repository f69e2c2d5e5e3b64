/** The live stream of events, for signed-in users and for the page of the counter. */
import { expect } from 'chai'
import { eventually } from '../../harness/eventually.ts'
import type { OpenApiDocument } from '../../harness/openapi/document.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured, statusChanged } from './captured.ts'

interface Sent {
  id?: string
  event?: string
  // oxlint-disable-next-line typescript/no-explicit-any -- of every shape
  data?: any
}

describe('the stream', () => {
  let api: ApiUnderTest
  const closes: (() => void)[] = []

  beforeEach(async () => {
    api = await openApi()
  })
  afterEach(async () => {
    for (const close of closes.splice(0)) close()
    await api.close()
  })

  const listen = async (path: string, headers: Record<string, string> = {}, at = api.url) => {
    const stopping = new AbortController()
    closes.push(() => stopping.abort())
    const response = await fetch(at + path, { headers, signal: stopping.signal })
    const sent: Sent[] = []
    let ended = false
    let lastId: string | undefined
    const read = async () => {
      let text = ''
      for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
        text += bytes
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const lines = text
            .slice(0, end)
            .split('\n')
            .map((each) => /^(\w+): (.*)$/.exec(each))
          const fields = Object.fromEntries(lines.flatMap((each) => (each ? [[each[1], each[2]]] : [])))
          lastId = (fields.id as string | undefined) ?? lastId
          if (fields.event) sent.push({ ...fields, data: JSON.parse(fields.data as string) })
          text = text.slice(end + 2)
        }
      }
    }
    const done =
      response.status === 200
        ? read()
            .catch(() => {})
            .then(() => (ended = true))
        : Promise.resolve()
    return { response, sent, isEnded: () => ended, lastId: () => lastId, done, stop: () => stopping.abort() }
  }
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

  it('of the counter contains amounts, times and order ids, starting with the last payments', async () => {
    const key = api.owner.api_key
    const before = await pay()
    await pay((await api.newAccount('beside@example.com')).user_id)
    await pay(api.owner.user_id, { transaction_type: 'debit' })
    const { status, body } = await api.ask('POST', '/api/counter', { key })
    expect([status, body.message]).to.deep.equal([201, 'The counter link works now.'])
    expect(body.data.url).to.match(/\/counter\/bcc_/)
    const { sent } = await listen(`/counter/${body.data.token}/stream`)
    const after = await pay()
    await pay(api.owner.user_id, { transaction_type: 'debit' })
    await pay(api.owner.user_id, { webhook_status: 'already_run', already_run_of: after })
    const last = await pay()
    await eventually(() => sent.length === 3)
    expect(sent[0]!.data.payments.map(({ id }: { id: number }) => id)).to.deep.equal([before])
    expect(sent.slice(1).map(({ data }) => data.id)).to.deep.equal([after, last])
    for (const shown of [...sent[0]!.data.payments, sent[1]!.data])
      expect(shown).to.have.all.keys('id', 'amount', 'currency', 'order_id', 'at')
    // The page opens the stream again, which begins with the payments that are left.
    await api.ask('DELETE', `/api/transactions/${last}`, { key })
    await eventually(() => sent.length === 4)
    expect(sent[3]).to.deep.include({ event: 'reset', data: {} })
    const again = await listen(`/counter/${body.data.token}/stream`)
    await eventually(() => again.sent.length === 1)
    expect(again.sent[0]!.data.payments.map(({ id }: { id: number }) => id)).to.deep.equal([after, before])
  })

  it('of the counter has the order id that only a copy of the notification brings', async () => {
    const user = api.owner.user_id
    const payment = await pay(user, { order_id: null, prefix: null, webhook_status: 'skipped' })
    const { token } = (await api.ask('POST', '/api/counter', { key: api.owner.api_key })).body.data
    const { sent } = await listen(`/counter/${token}/stream`)
    await eventually(() => sent.length === 1)
    expect(sent[0]!.data.payments[0]).to.deep.include({ id: payment, order_id: null })
    const brought = { order_id: 'DH1042', prefix: 'DH', rules: [] as number[], webhook_status: 'no_match' } as const
    const copy = await pay(user, { webhook_status: 'already_run', already_run_of: payment })
    await api.happened(user, payment, [
      { type: 'TransactionCompleted', data: { transaction_id: payment, completed_by: copy, ...brought } },
    ])
    await eventually(() => sent.length === 2)
    expect(sent[1]!.event).to.equal('reset')
    const again = await listen(`/counter/${token}/stream`)
    await eventually(() => again.sent.length === 1)
    expect(again.sent[0]!.data.payments[0]).to.deep.include({ id: payment, order_id: 'DH1042' })
  })

  it('of the counter has no payment that was held back, until its owner counts it, nor money that came back', async () => {
    const user = api.owner.user_id
    const ofStranger = await pay(user, { held: 'unconfirmed_account' })
    const before = await pay()
    const { token } = (await api.ask('POST', '/api/counter', { key: api.owner.api_key })).body.data
    const { sent } = await listen(`/counter/${token}/stream`)
    await pay(user, { held: 'unconfirmed_account', order_id: null, prefix: null, webhook_status: 'skipped' })
    const old = await pay(user, { held: 'old_notification' })
    const returned = {
      prefix: null,
      webhook_status: 'no_match',
      content: 'HOAN TRA GD CHUYEN TIEN SAI STK DH1042',
    } as const
    await pay(user, returned)
    const after = await pay()
    await eventually(() => sent.length === 2)
    expect(sent[0]!.data.payments.map(({ id }: { id: number }) => id)).to.deep.equal([before])
    expect(sent[1]!.data.id).to.equal(after)
    const matched = {
      rematched: true,
      order_id: 'DH1042',
      prefix: 'DH',
      rules: [] as number[],
      webhook_status: 'no_match',
    } as const
    const confirmed = { transaction_id: ofStranger, by: 'bulk', ...matched, released: true } as const
    await api.happened(user, ofStranger, [{ type: 'WebhookRetryRequested', data: confirmed }])
    await eventually(() => sent.length === 3)
    const byHand = { transaction_id: old, by: 'manual', ...matched } as const
    await api.happened(user, old, [{ type: 'WebhookRetryRequested', data: byHand }])
    await eventually(() => sent.length === 4)
    expect(sent.slice(2).map(({ event }) => event)).to.deep.equal(['reset', 'reset'])
    const again = await listen(`/counter/${token}/stream`)
    await eventually(() => again.sent.length === 1)
    const shown = again.sent[0]!.data.payments.map(({ id }: { id: number }) => id)
    expect(shown).to.deep.equal([after, old, before, ofStranger])
  })

  it('of the counter has no payment to a bank account that its owner has switched off', async () => {
    const { api_key: key, user_id: user } = api.owner
    const bank_account_id = await api.nextId()
    const named = { bank_code: 'VCB', account_number: '0011000415567' }
    const before = await pay()
    await api.decree(user, {
      type: 'BankAccountSeen',
      data: { user_id: user, bank_account_id, transaction_id: before, ...named },
    })
    const { token } = (await api.ask('POST', '/api/counter', { key })).body.data
    const first = await listen(`/counter/${token}/stream`)
    await eventually(() => first.sent.length === 1)
    await api.ask('PUT', `/api/bank-accounts/${bank_account_id}`, { key, json: { is_active: 0 } })
    // The page opens the stream again.
    await eventually(() => first.sent.length === 2)
    const { sent } = await listen(`/counter/${token}/stream`)
    await pay()
    await pay(user, { order_id: null, prefix: null, webhook_status: 'skipped' })
    const ofShop = await pay(user, { account_number: '99887766', webhook_status: 'pending', rules: [5] })
    const unmatched = await pay(user, { account_number: '99887766' })
    const ofOtherBank = await pay(user, { bank_code: 'BIDV' })
    await eventually(() => sent.length === 6)
    expect(first.sent.map(({ event }) => event).slice(0, 2)).to.deep.equal(['payments', 'reset'])
    expect(sent.map(({ event }) => event).slice(0, 5)).to.deep.equal([
      'payments',
      'reset',
      'reset',
      'transaction',
      'reset',
    ])
    expect([sent[0]!.data.payments, sent[3]!.data.id]).to.deep.equal([[], ofShop])
    // No bank account there is switched off, so the page need not start over.
    expect([sent[5]!.event, sent[5]!.data.id]).to.deep.equal(['transaction', ofOtherBank])
    const again = await listen(`/counter/${token}/stream`)
    await eventually(() => again.sent.length === 1)
    const shown = again.sent[0]!.data.payments
    expect(shown.map(({ id }: { id: number }) => id)).to.deep.equal([ofOtherBank, unmatched, ofShop])
    for (const each of shown) expect(each).to.have.all.keys('id', 'amount', 'currency', 'order_id', 'at')
  })

  it('of the counter begins with the last payments, although very many messages of a restored phone came later', async () => {
    const user = api.owner.user_id
    const payment = await pay()
    await Promise.all(Array.from({ length: 60 }, () => pay(user, { held: 'old_notification' })))
    const { token } = (await api.ask('POST', '/api/counter', { key: api.owner.api_key })).body.data
    const { sent } = await listen(`/counter/${token}/stream`)
    await eventually(() => sent.length === 1)
    expect(sent[0]!.data.payments.map(({ id }: { id: number }) => id)).to.deep.equal([payment])
  })

  it('of a counter needs its token, which opens nothing else and is invalid once there is a new one', async () => {
    const key = api.owner.api_key
    const { token } = (await api.ask('POST', '/api/counter', { key })).body.data
    const page = await api.ask('GET', `/counter/${token}`)
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-security-policy')).to.include("default-src 'none'").and.not.include('unsafe')
    expect(page.headers.get('cache-control')).to.equal('no-store')
    expect((await api.ask('GET', '/api/transactions', { key: token })).status).to.equal(401)
    const { sent, isEnded } = await listen(`/counter/${token}/stream`)
    const next = await api.ask('POST', '/api/counter', { key })
    expect([next.status, next.body.message]).to.deep.equal([201, 'The earlier counter link has ended.'])
    await eventually(() => isEnded(), { what: 'the end' })
    expect(sent.at(-1)).to.deep.include({ event: 'end', data: { reason: 'credentials' } })
    for (const path of [
      `/counter/${token}`,
      `/counter/${token}/stream`,
      '/counter/x',
      '/counter/bcc_1.aaaaaaaaaaaaaaaa',
    ])
      expect((await api.ask('GET', path)).status, path).to.equal(404)
  })
})
