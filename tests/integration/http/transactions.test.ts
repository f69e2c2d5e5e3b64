/** One transaction: the detail, retry, bulk retry and delete (interface, section 4.2). */
import { expect } from 'chai'
import { formCall } from '../../../workflows/deliver/form-call.ts'
import { RENDERER } from '../../../domain/webhook/payload/render.ts'
import type { TransactionRow } from '../../../domain/webhook/payload/transaction-row.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured, statusChanged } from './captured.ts'

const PERSONAL = ['description', 'raw_data', 'balance_after', 'counterpart_account', 'account_name']

describe('one transaction', () => {
  let api: ApiUnderTest
  let key: string
  let user: number
  let rule: number

  before(async () => {
    api = await openApi()
    key = api.owner.api_key
    user = api.owner.user_id
    const { body } = await api.ask('POST', '/api/webhooks', {
      key,
      json: { name: 'shop', url: 'https://shop.example/hook' },
    })
    rule = body.data.id
  })
  after(() => api.close())

  const failed = async (created_at = new Date().toISOString(), owner = user, rules = [rule]): Promise<number> => {
    const id = await api.nextId()
    await api.happened(owner, id, [
      captured(owner, id, { rules, webhook_status: 'pending', created_at }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: rules[0]! }),
      statusChanged(id, 'pending', 'failed'),
    ])
    return id
  }
  const show = async (id: number, query = '') =>
    (await api.ask('GET', `/api/transactions/${id}${query}`, { key })).body.data

  it('shows its deliveries', async () => {
    const id = await failed()
    const shown = await show(id)
    expect(shown).to.include({ id, webhook_status: 'failed' })
    expect(shown).not.to.have.any.keys(...PERSONAL)
    expect(await show(id, '?include_raw=1')).to.include.all.keys(...PERSONAL)
    expect(shown.deliveries).to.have.lengthOf(1)
    expect(shown.deliveries[0]).to.deep.include({
      webhook_rule_id: rule,
      webhook_url: 'https://shop.example/hook',
      http_status: 500,
      response_body: 'not now',
      attempt: 1,
      sent_at: '2026-03-10T05:00:01.000Z',
      duration_ms: 12,
      outcome: 'exhausted',
      error: 'http_500',
      next_attempt_at: null,
      request: null,
    })
    expect(shown.deliveries[0].id).to.be.a('number')
  })

  it('shows the request of a delivery, and its body, which has personal data, only with include_raw=1', async () => {
    const [id, attempt_id] = [await api.nextId(), await api.nextId()]
    const event = captured(user, id, { rules: [rule], webhook_status: 'pending' })
    const account = (await api.accounts.find(user))!
    const formed = formCall(
      {
        ...{ transaction_id: id, rule_id: rule, attempt: 1, isReplay: false, rule: account.rules.get(rule)! },
        transaction: { ...event.data, id } as unknown as TransactionRow,
      },
      'test',
      (sealed) => api.vault.open(sealed),
      new Date(),
    )
    const { call, timestamp, body_sha256 } = formed
    const account_revision = api.accounts.confirmed(user, Infinity)!.revision
    const attempt = { attempt_id, rule_id: rule, timestamp, body_sha256, account_revision, renderer: RENDERER }
    await api.happened(user, id, [event, attempted(id, attempt)])
    expect((await show(id)).deliveries[0].request).to.deep.equal({ ...call, body: null })
    expect((await show(id, '?include_raw=1')).deliveries[0].request).to.deep.equal(call)
  })

  it('is queued again if it failed, is due at once if it waits, and is refused if it succeeded', async () => {
    const id = await failed()
    const { status, body } = await api.ask('POST', `/api/transactions/${id}/retry`, { key })
    expect(status).to.equal(200)
    expect(body).to.have.all.keys('success', 'message')
    expect((await show(id)).webhook_status).to.equal('pending')
    const again = await api.ask('POST', `/api/transactions/${id}/retry`, { key })
    expect([again.status, again.body.message]).to.deep.equal([200, 'The transaction is queued again.'])
    expect((await show(id)).webhook_status).to.equal('pending')
    const waiting = await api.nextId()
    await api.happened(user, waiting, [captured(user, waiting, { rules: [rule], webhook_status: 'pending' })])
    const first = await api.ask('POST', `/api/transactions/${waiting}/retry`, { key })
    expect([first.status, first.body.message]).to.deep.equal([
      200,
      'Nothing was changed: the transaction is already being sent, or it is over the monthly quota and is sent later.',
    ])
    await api.happened(user, id, [statusChanged(id, 'pending', 'success')])
    const late = await api.ask('POST', `/api/transactions/${id}/retry`, { key })
    expect([late.status, late.body.error]).to.deep.equal([409, 'CONFLICT'])
  })

  it('is sent again if it succeeded and the owner asks for that', async () => {
    const id = await api.nextId()
    await api.happened(user, id, [
      captured(user, id, { rules: [rule], webhook_status: 'pending' }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: rule, outcome: 'delivered', http_status: 200 }),
      statusChanged(id, 'pending', 'success'),
    ])
    const retry = (json: object) => api.ask('POST', `/api/transactions/${id}/retry`, { key, json })
    expect((await retry({ again: false })).status).to.equal(409)
    const { status, body } = await retry({ again: true })
    expect([status, body.message]).to.deep.equal([200, 'The transaction is queued again.'])
    expect((await show(id)).webhook_status).to.equal('pending')
    const { body: history } = await api.ask('GET', `/api/transactions/${id}/history`, { key })
    expect(history.data.map(({ text }: { text: string }) => text)).to.include(
      `manual retry requested: sent once more after a success, rule ${rule}`,
    )
  })

  it('shows in the list how its deliveries stand, rule by rule', async () => {
    const mine = await api.newAccount('counts@example.com')
    const rules: number[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      const json = { name, url: `https://${name}.example/` }
      rules.push((await api.ask('POST', '/api/webhooks', { key: mine.api_key, json })).body.data.id)
    }
    const [dead, fine, waiting, removed] = rules as [number, number, number, number, number]
    const id = await api.nextId()
    await api.happened(mine.user_id, id, [
      captured(mine.user_id, id, { rules, webhook_status: 'pending' }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: dead }),
      attempted(id, { attempt_id: await api.nextId(), rule_id: fine, outcome: 'delivered' }),
      attempted(id, {
        attempt_id: await api.nextId(),
        rule_id: waiting,
        outcome: 'retrying',
        next_attempt_at: '2099-01-01T00:00:00.000Z',
      }),
      { type: 'DeliveryEnded', data: { transaction_id: id, rule_id: removed, reason: 'rule_deleted' } },
    ])
    const unmatched = await api.nextId()
    await api.happened(mine.user_id, unmatched, [captured(mine.user_id, unmatched)])
    const { data } = (await api.ask('GET', '/api/transactions', { key: mine.api_key })).body
    expect(data.map(({ deliveries }: { deliveries: object }) => deliveries)).to.deep.equal([
      { pending: 0, retrying: 0, success: 0, failed: 0 },
      { pending: 2, retrying: 1, success: 1, failed: 1 },
    ])
  })

  it('is matched again against the current rules if it had no match', async () => {
    const id = await api.nextId()
    await api.happened(user, id, [captured(user, id)])
    expect((await api.ask('POST', `/api/transactions/${id}/retry`, { key, json: {} })).status).to.equal(200)
    expect((await show(id)).webhook_status).to.equal('pending')
    const foreign = await api.nextId()
    await api.happened(user, foreign, [
      captured(user, foreign, { content: 'ZZ99999', order_id: 'ZZ99999', prefix: null }),
    ])
    const retried = await api.ask('POST', `/api/transactions/${foreign}/retry`, { key })
    expect(retried.status).to.equal(200)
    expect(retried.body.message).to.equal('The transaction still matches no rule: nothing is sent.')
    expect((await show(foreign)).webhook_status).to.equal('no_match')
  })

  it('says that nothing is sent if all rules that still exist have succeeded, and is not counted as queued in bulk', async () => {
    const mine = await api.newAccount('rules-gone@example.com')
    const ask = (method: string, path: string, json?: unknown) => api.ask(method, path, { key: mine.api_key, json })
    const make = async (url: string): Promise<number> =>
      (await ask('POST', '/api/webhooks', { name: 's', url })).body.data.id
    const [stays, goes] = [await make('https://a.example/'), await make('https://b.example/')]
    const both = [await api.nextId(), await api.nextId()]
    for (const id of both)
      await api.happened(mine.user_id, id, [
        captured(mine.user_id, id, { rules: [stays, goes], webhook_status: 'pending' }),
        attempted(id, { attempt_id: await api.nextId(), rule_id: stays, outcome: 'delivered', http_status: 200 }),
        attempted(id, { attempt_id: await api.nextId(), rule_id: goes }),
        statusChanged(id, 'pending', 'failed'),
      ])
    await ask('DELETE', `/api/webhooks/${goes}`)
    expect((await ask('POST', `/api/transactions/${both[0]}/retry`)).body).to.deep.equal({
      success: true,
      message: 'Nothing is sent: all rules that the transaction matches have succeeded.',
    })
    expect((await ask('POST', '/api/webhooks/bulk-retry')).body).to.deep.equal({ success: true, count: 0 })
    for (const id of both)
      expect((await ask('GET', `/api/transactions/${id}`)).body.data.webhook_status).to.equal('success')
  })

  it('accepts no unknown field for a retry', async () => {
    const id = await failed()
    const { status, body } = await api.ask('POST', `/api/transactions/${id}/retry`, { key, json: { force: true } })
    expect(status).to.equal(400)
    expect(body.issues).to.deep.equal([{ path: 'force', message: 'Unknown field.' }])
  })

  it('is retried in bulk if it is among the oldest 100 that failed in the last 7 days', async () => {
    const mine = await api.newAccount('bulk@example.com')
    const made = await api.ask('POST', '/api/webhooks', {
      key: mine.api_key,
      json: { name: 's', url: 'https://s.example/' },
    })
    const day = 86_400_000
    const old = await failed(new Date(Date.now() - 7 * day - 60_000).toISOString(), mine.user_id, [made.body.data.id])
    const ofAnother = await failed(new Date(Date.now() - 6.5 * day).toISOString())
    const all: number[] = []
    for (let number = 0; number < 101; number++)
      all.push(
        await failed(new Date(Date.now() - 6 * day + number * 1000).toISOString(), mine.user_id, [made.body.data.id]),
      )
    const retried = await api.ask('POST', '/api/webhooks/bulk-retry', { key: mine.api_key })
    expect(retried.body).to.deep.equal({ success: true, count: 100 })
    const statusOf = async (id: number) =>
      (await api.ask('GET', `/api/transactions/${id}`, { key: mine.api_key })).body.data.webhook_status
    expect(await statusOf(all[0]!)).to.equal('pending')
    expect(await statusOf(all[99]!)).to.equal('pending')
    expect(await statusOf(all[100]!)).to.equal('failed')
    expect(await statusOf(old)).to.equal('failed')
    expect((await show(ofAnother)).webhook_status).to.equal('failed')
    expect((await api.ask('POST', '/api/webhooks/bulk-retry', { key: mine.api_key })).body.count).to.equal(1)
    expect((await api.ask('POST', '/api/webhooks/bulk-retry', { key: mine.api_key })).body.count).to.equal(0)
  })

  it('is gone with its deliveries and its personal data when it is deleted', async () => {
    const id = await failed()
    const { status, body } = await api.ask('DELETE', `/api/transactions/${id}`, { key })
    expect(status).to.equal(200)
    expect(body).to.have.all.keys('success', 'message')
    expect((await api.ask('GET', `/api/transactions/${id}`, { key })).status).to.equal(404)
    expect((await api.ask('DELETE', `/api/transactions/${id}`, { key })).status).to.equal(404)
    const listed = (await api.ask('GET', '/api/transactions', { key })).body.data as { id: number }[]
    expect(listed.map((each) => each.id)).not.to.include(id)
    const logs = (await api.ask('GET', `/api/webhooks/${rule}/logs`, { key })).body.data as { transaction_id: number }[]
    expect(logs.map((each) => each.transaction_id)).not.to.include(id)
    const [events] = await api.store.read([{ stream: `transaction-${id}` }])
    expect(events!.map(({ type }) => type)).to.deep.equal(['TransactionDeleted'])
  })
})
