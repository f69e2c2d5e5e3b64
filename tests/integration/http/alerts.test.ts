/** Alerts, from their cause to the list, the mail and the webhook of the owner. */
import { expect } from 'chai'
import type { Database } from '../../../adapters/database/database.ts'
import { listAlerts } from '../../../projections/alert/queries.ts'
import { eventually } from '../../harness/eventually.ts'
import { openShop } from '../../harness/shop.ts'
import { withAlerts, type Alert } from './alerts-setting.ts'
import type { ApiUnderTest } from './api-under-test.ts'
import { captured } from './captured.ts'

describe('alerts', () => {
  let api: ApiUnderTest
  let key: string
  let user_id: number
  const { alerts, theOne, mails, newRule } = withAlerts((account) => {
    ;({ api, key, user_id } = account)
  })

  it('report a paused rule until it is active again', async () => {
    const rule_id = await newRule()
    await api.decree(user_id, { type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: 'x' } })
    const alert = await theOne()
    expect(alert).to.deep.include({ kind: 'rule_paused', subject: `rule:${rule_id}`, until: null })
    expect(alert.text, 'the name that its owner gave it').to.include(`“s” (${rule_id})`)
    await eventually(async () => (await mails()).some(({ text }) => text.includes(alert.text)), { what: 'the mail' })
    await api.ask('PUT', `/api/webhooks/${rule_id}`, { key, json: { name: 'still paused' } })
    const renamedAt = Date.now()
    await api.ask('PUT', `/api/webhooks/${rule_id}`, { key, json: { is_active: 1 } })
    const ended = await theOne(({ until }) => until !== null)
    expect(ended.subject).to.equal(`rule:${rule_id}`)
    expect(Date.parse(ended.until!)).to.be.at.least(renamedAt)
    await api.decree(user_id, { type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: 'y' } })
    await theOne(({ until }) => until === null)
    expect(await alerts()).to.have.lengthOf(2)
    await api.ask('DELETE', `/api/webhooks/${rule_id}`, { key })
    await eventually(async () => (await alerts()).every(({ until }) => until !== null))
  })

  it('report a paused mailbox until it is changed or removed', async () => {
    for (const type of ['MailAccountChanged', 'MailAccountRemoved'] as const) {
      const data = { user_id, mail_account_id: await api.nextId() }
      await api.decree(user_id, { type: 'MailAccountPaused', data: { ...data, reason: 'Its server sent too much.' } })
      const alert = await theOne(({ until }) => until === null)
      expect(alert).to.deep.include({ kind: 'mailbox_paused', subject: `mail_account:${data.mail_account_id}` })
      await api.decree(user_id, { type, data })
      await eventually(async () => (await alerts()).every(({ until }) => until !== null))
    }
  })

  it('report a new bank account by its last digits', async () => {
    const id = await api.nextId()
    await api.happened(user_id, id, [captured(user_id, id)])
    const alert = await theOne()
    expect(alert.kind).to.equal('new_bank_account')
    expect(alert.text).to.include('5567').and.not.to.include('0011000415567')
    expect(Date.parse(alert.until!) - Date.parse(alert.since)).to.equal(7 * 86_400_000)
    const bank_account_id = Number(alert.subject.split(':')[1])
    await api.ask('PUT', `/api/bank-accounts/${bank_account_id}`, { key, json: { is_active: 0 } })
    await theOne(({ until }) => until !== null && Date.parse(until) <= Date.now())
    // One that waits for its confirmation has an alert without an end.
    const seen = {
      user_id,
      bank_account_id: id,
      bank_code: 'VCB',
      account_number: '00998',
      transaction_id: id,
      waits: true,
    }
    await api.decree(user_id, { type: 'BankAccountSeen', data: seen })
    expect((await theOne(({ subject }) => subject === `bank_account:${id}`)).until).to.equal(null)
  })

  it('report a contradiction until the transaction that counts is deleted', async () => {
    const [first, copy] = await api.nextIds(2)
    await api.happened(user_id, first!, [captured(user_id, first!)])
    const contradicting = { webhook_status: 'already_run', already_run_of: first!, contradicts: 'DH9' } as const
    await api.happened(user_id, copy!, [captured(user_id, copy!, contradicting)])
    const ofFirst = ({ subject }: Alert): boolean => subject === `transaction:${first}`
    const alert = await theOne(ofFirst)
    expect(alert.kind).to.equal('contradicting_copy')
    expect(Date.parse(alert.until!)).to.be.greaterThan(Date.now())
    await api.ask('DELETE', `/api/transactions/${first}`, { key })
    await theOne((each) => ofFirst(each) && Date.parse(each.until!) <= Date.now())
  })

  it('report a quota until the month ends or a plan is bought', async () => {
    const month = new Date(Date.now() + 7 * 3_600_000).toISOString().slice(0, 7)
    await api.decree(user_id, { type: 'QuotaWarned', data: { user_id, month, transactions: 80, limit: 100 } })
    const alert = await theOne()
    expect(alert).to.deep.include({ kind: 'quota_80', subject: `month:${month}` })
    expect(new Date(Date.parse(alert.until!) + 7 * 3_600_000).toISOString()).to.match(/-01T00:00:00\.000Z$/)
    await api.decree(user_id, { type: 'PlanChanged', data: { user_id, plan: 'Free', expires_at: null } })
    const boughtAt = Date.now()
    await api.decree(user_id, { type: 'PlanChanged', data: { user_id, plan: 'Basic', expires_at: null } })
    const { until } = await theOne((each) => Date.parse(each.until!) <= Date.now())
    expect(Date.parse(until!)).to.be.at.least(boughtAt)
  })

  it('call the webhook that was set when they begin and when they end', async () => {
    const shop = await openShop()
    const set = await api.ask('PUT', '/api/account/alerts', { key, json: { webhook_url: shop.url } })
    expect(set.body.data).to.include({ webhook_url: shop.url })
    expect(set.body.data.secret_key).to.match(/^[0-9a-f]{48}$/)
    const rule_id = await newRule()
    await api.decree(user_id, { type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: 'x' } })
    await api.ask('PUT', `/api/webhooks/${rule_id}`, { key, json: { is_active: 1 } })
    await eventually(() => shop.calls.length === 2, { what: 'two calls' })
    const bodies = shop.calls.map(({ body }) => JSON.parse(body) as { event: string; kind: string; id: number })
    expect(bodies.map(({ event }) => event).sort()).to.deep.equal(['alert_ended', 'alert_raised'])
    expect(new Set(bodies.map(({ id, kind }) => `${kind} ${id}`))).to.have.lengthOf(1)
    const off = await api.ask('PUT', '/api/account/alerts', { key, json: { webhook_url: null } })
    expect(off.body.data).to.deep.equal({ webhook_url: null, secret_key: null })
    expect((await api.ask('GET', '/api/account/alerts', { key })).body.data).to.deep.equal(off.body.data)
    await shop.close()
  })

  it('are sent only to URLs that webhooks may use', async () => {
    for (const webhook_url of ['ftp://x.example/', 'https://user:password@x.example/', 'no url', 5])
      expect((await api.ask('PUT', '/api/account/alerts', { key, json: { webhook_url } })).status).to.equal(400)
  })

  it('are listed without reading the many that have ended', async () => {
    const insert = (from: number, to: number, until: string) =>
      api.database.query(
        `INSERT INTO read_model.alert (id, user_id, kind, subject, text, since, until)
         SELECT 1000000000 + n, $1, 'old_notification', 'transaction:' || n, '', now() - make_interval(mins => n::integer), ${until}
         FROM generate_series($2::bigint, $3::bigint) n`,
        [user_id, from, to],
      )
    await insert(user_id * 10_000, user_id * 10_000 + 4_000, "now() - interval '1 hour'")
    // Older than all of these, and still open.
    await insert(user_id * 10_000 + 5_000, user_id * 10_000 + 5_000, 'NULL')
    await insert(user_id * 10_000 + 5_001, user_id * 10_000 + 5_001, "now() + interval '1 day'")
    await api.database.query('ANALYZE read_model.alert')
    const listed = await alerts()
    expect(listed).to.have.length(200)
    expect(listed.slice(0, 3).map(({ until }) => until === null || Date.parse(until) > Date.now())).to.deep.equal([
      true,
      true,
      false,
    ])
    interface Plan {
      'Relation Name'?: string
      'Actual Rows': number
      'Rows Removed by Filter'?: number
      Plans?: Plan[]
    }
    const looked = (plan: Plan): number =>
      (plan['Relation Name'] ? plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) : 0) +
      (plan.Plans ?? []).reduce((sum, each) => sum + looked(each), 0)
    let rows = 0
    const explain: Pick<Database, 'query'> = {
      query: async (text, values) => {
        const [{ 'QUERY PLAN': plans }] = (await api.database.query(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
          values,
        )) as [{ 'QUERY PLAN': [{ Plan: Plan }] }]
        rows = looked(plans[0].Plan)
        return []
      },
    }
    await listAlerts(explain, user_id, new Date())
    expect(rows).to.be.within(202, 210)
  })

  it('are visible only to their owner', async () => {
    const rule_id = await newRule()
    await api.decree(user_id, { type: 'RulePaused', data: { user_id, rule_id, reason: 'gone', caused_by: 'x' } })
    await theOne()
    const stranger = await api.newAccount(`s${Math.random()}@example.com`)
    expect((await api.ask('GET', '/api/alerts', { key: stranger.api_key })).body.data).to.deep.equal([])
    expect((await api.ask('GET', '/api/alerts')).status).to.equal(401)
  })
})
