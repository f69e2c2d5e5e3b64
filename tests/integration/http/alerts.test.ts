/** Alerts, from their cause to the list, the mail and the owner's own address. */
import { expect } from 'chai'
import { openOutbox, type Outbox } from '../../../adapters/mail-out/outbox.ts'
import { openDatabase, type Database } from '../../../adapters/postgres/database.ts'
import type { TransactionEventData } from '../../../domain/transaction/events.ts'
import { eventually } from '../../support/eventually.ts'
import { openShop } from '../../support/shop.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { attempted, captured } from './captured.ts'

interface Alert {
  kind: string
  subject: string
  text: string
  since: string
  until: string | null
}

describe('alerts', () => {
  let api: ApiUnderTest
  let database: Database
  let outbox: Outbox
  let key: string
  let user_id: number

  before(async () => {
    api = await openApi({}, 'real')
    database = openDatabase(api.databaseUrl)
    outbox = openOutbox(database)
  })
  after(async () => {
    await database.close()
    await api.close()
  })
  beforeEach(async () => {
    const account = await api.newAccount(`u${Math.random()}@example.com`)
    key = account.api_key
    user_id = account.user_id
  })

  const alerts = async (): Promise<Alert[]> => (await api.ask('GET', '/api/alerts', { key })).body.data
  const theOne = (what: (alert: Alert) => boolean = () => true) =>
    eventually(async () => (await alerts()).filter(what)[0], { what: 'the alert' })
  const mails = async () => (await outbox.list()).filter(({ to }) => to.startsWith('u'))
  const newRule = async (url = 'https://shop.example/hook'): Promise<number> =>
    (await api.ask('POST', '/api/webhooks', { key, json: { name: 's', url } })).body.data.id

  const attempts = async (
    count: number,
    rule_id: number,
    given: Partial<TransactionEventData['WebhookAttempted']> = {},
  ): Promise<void> => {
    for (let number = 0; number < count; number++) {
      const id = await api.nextId()
      await api.happened(user_id, id, [
        captured(user_id, id, { rules: [rule_id], webhook_status: 'pending' }),
        attempted(id, { attempt_id: await api.nextId(), rule_id, sent_at: new Date().toISOString(), ...given }),
      ])
    }
  }

  it('tell of a paused rule until it is active again', async () => {
    const rule_id = await newRule()
    await api.decree(user_id, { type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: 'x' } })
    const alert = await theOne()
    expect(alert).to.deep.include({ kind: 'rule_paused', subject: `rule:${rule_id}`, until: null })
    await eventually(async () => (await mails()).some(({ text }) => text.includes(alert.text)), { what: 'the mail' })
    await api.ask('PUT', `/api/webhooks/${rule_id}`, { key, json: { is_active: 1 } })
    expect((await theOne(({ until }) => until !== null)).subject).to.equal(`rule:${rule_id}`)
    await api.decree(user_id, { type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: 'y' } })
    await theOne(({ until }) => until === null)
    expect(await alerts()).to.have.lengthOf(2)
    await api.ask('DELETE', `/api/webhooks/${rule_id}`, { key })
    await eventually(async () => (await alerts()).every(({ until }) => until !== null))
  })

  it('tell of an endpoint that fails ten times in a row, until it succeeds', async () => {
    const rule_id = await newRule()
    await attempts(9, rule_id)
    await attempts(1, rule_id, { http_status: 404, error: 'http_404' })
    await attempts(9, rule_id, { http_status: 0, error: 'timeout' })
    // What was our doing, or the rule's, says nothing of it.
    for (const error of ['stopped', 'not_formed', 'private_address', 'invalid_url'])
      await attempts(1, rule_id, { http_status: 0, error })
    // Another endpoint's failures do not count here.
    await attempts(5, rule_id, { url: 'https://other.example/' })
    const failing = async () => (await alerts()).filter(({ kind }) => kind === 'endpoint_failing')
    expect(await failing()).to.deep.equal([])
    await attempts(1, rule_id, { http_status: 503, error: 'http_503' })
    const alert = await eventually(async () => (await failing())[0])
    expect(alert).to.deep.include({ kind: 'endpoint_failing', subject: 'https://shop.example', until: null })
    expect(alert.text).to.include('10 calls in a row')
    await attempts(3, rule_id)
    expect(await failing()).to.have.lengthOf(1)
    await attempts(1, rule_id, { http_status: 200, error: null, outcome: 'delivered' })
    await eventually(async () => (await failing())[0]!.until !== null)
  })

  it('take one delivery that fails ten times for one order, not for the endpoint', async () => {
    const rule_id = await newRule()
    const id = await api.nextId()
    await api.happened(user_id, id, [captured(user_id, id, { rules: [rule_id], webhook_status: 'pending' })])
    for (let attempt = 1; attempt <= 12; attempt++)
      await api.happened(user_id, id, [attempted(id, { attempt_id: await api.nextId(), rule_id, attempt })])
    await attempts(2, rule_id)
    await theOne(({ kind }) => kind === 'endpoint_failing')
  })

  it('end with the last rule that led to the endpoint', async () => {
    const rule_id = await newRule()
    await attempts(10, rule_id)
    await theOne(({ kind }) => kind === 'endpoint_failing')
    await api.ask('DELETE', `/api/webhooks/${rule_id}`, { key })
    await theOne(({ kind, until }) => kind === 'endpoint_failing' && Date.parse(until!) <= Date.now())
  })

  it('tell of a bank account when it is first seen, by its last digits', async () => {
    const id = await api.nextId()
    await api.happened(user_id, id, [captured(user_id, id)])
    const alert = await theOne()
    expect(alert.kind).to.equal('new_bank_account')
    expect(alert.text).to.include('5567').and.not.to.include('0011000415567')
    expect(Date.parse(alert.until!) - Date.parse(alert.since)).to.equal(7 * 86_400_000)
    const bank_account_id = Number(alert.subject.split(':')[1])
    await api.ask('PUT', `/api/bank-accounts/${bank_account_id}`, { key, json: { is_active: 0 } })
    await theOne(({ until }) => until !== null && Date.parse(until) <= Date.now())
  })

  it('tell of a quota until the month is over, or a plan was bought', async () => {
    const month = new Date(Date.now() + 7 * 3_600_000).toISOString().slice(0, 7)
    await api.decree(user_id, { type: 'QuotaWarned', data: { user_id, month, transactions: 80, limit: 100 } })
    const alert = await theOne()
    expect(alert).to.deep.include({ kind: 'quota_80', subject: `month:${month}` })
    expect(new Date(Date.parse(alert.until!) + 7 * 3_600_000).toISOString()).to.match(/-01T00:00:00\.000Z$/)
    await api.decree(user_id, { type: 'PlanChanged', data: { user_id, plan: 'Basic', expires_at: null } })
    await theOne(({ until }) => Date.parse(until!) <= Date.now())
  })

  it('call the address that was set, when they begin and when they end', async () => {
    const shop = await openShop()
    const set = await api.ask('PUT', '/api/account/alerts', { key, json: { webhook_url: shop.url } })
    expect(set.body).to.deep.equal({ success: true, data: { webhook_url: shop.url } })
    const rule_id = await newRule()
    await api.decree(user_id, { type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: 'x' } })
    await api.ask('PUT', `/api/webhooks/${rule_id}`, { key, json: { is_active: 1 } })
    await eventually(() => shop.calls.length === 2, { what: 'two calls' })
    const bodies = shop.calls.map(({ body }) => JSON.parse(body) as { event: string; kind: string; id: number })
    expect(bodies.map(({ event }) => event).sort()).to.deep.equal(['alert_ended', 'alert_raised'])
    expect(new Set(bodies.map(({ id, kind }) => `${kind} ${id}`))).to.have.lengthOf(1)
    const off = await api.ask('PUT', '/api/account/alerts', { key, json: { webhook_url: null } })
    expect(off.body.data).to.deep.equal({ webhook_url: null })
    expect((await api.ask('GET', '/api/account/alerts', { key })).body.data).to.deep.equal({ webhook_url: null })
    await shop.close()
  })

  it('are sent only where webhooks may go', async () => {
    for (const webhook_url of ['ftp://x.example/', 'https://user:password@x.example/', 'no url', 5])
      expect((await api.ask('PUT', '/api/account/alerts', { key, json: { webhook_url } })).status).to.equal(400)
  })

  it('are seen by their owner alone', async () => {
    const rule_id = await newRule()
    await api.decree(user_id, { type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: 'x' } })
    await theOne()
    const stranger = await api.newAccount(`s${Math.random()}@example.com`)
    expect((await api.ask('GET', '/api/alerts', { key: stranger.api_key })).body.data).to.deep.equal([])
    expect((await api.ask('GET', '/api/alerts')).status).to.equal(401)
  })
})
