/** Alerts, from their cause to the list, the mail and the webhook of the owner. */
import { expect } from 'chai'
import type { Database } from '../../../adapters/database/database.ts'
import { updateEndpoints } from '../../../adapters/postgres/delivery-queue/endpoints.ts'
import { listAlerts } from '../../../projections/alert/queries.ts'
import { lastingEndpointAlerts, openBreakers } from '../../../projections/rule/breaker-queries.ts'
import { lastingRefusals, refusedRules } from '../../../projections/rule/refusal-queries.ts'
import type { ScheduledJob } from '../../../workflows/scheduled/scheduled-work.ts'
import { watchEndpoints } from '../../../workflows/scheduled/watch-endpoints.ts'
import { watchRefusals } from '../../../workflows/scheduled/watch-refusals.ts'
import { eventually } from '../../harness/eventually.ts'
import { openShop } from '../../harness/shop.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'
import { shownAlerts } from './shown-alerts.ts'
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
  let key: string
  let user_id: number

  before(async () => {
    api = await openApi({}, 'real')
  })
  after(async () => {
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
  const mails = async () => (await api.outbox.list()).filter(({ to }) => to.startsWith('u'))
  const newRule = async (url = 'https://shop.example/hook'): Promise<number> =>
    (await api.ask('POST', '/api/webhooks', { key, json: { name: 's', url } })).body.data.id

  /** Reports an endpoint as a delivery worker does: failures in a row of this many deliveries, or an answer. */
  const tell = (failures: number, deliveries = 3, endpoint = 'https://shop.example:443') =>
    updateEndpoints(api.database, [
      {
        user_id,
        endpoint,
        failures,
        answered: failures === 0,
        failing: Array.from({ length: failures === 0 ? 0 : deliveries }, (_, index) => `${index}/1`),
        wait: null,
        byHand: false,
      },
    ])
  const failing = async () => (await alerts()).filter(({ kind }) => kind === 'endpoint_failing')
  let minutesLater: number
  const later = (at: string): string => new Date(Date.parse(at) + minutesLater * 60_000).toISOString()
  let watch: ScheduledJob
  beforeEach(() => {
    minutesLater = 0
    watch = watchEndpoints({
      open: () => openBreakers(api.database),
      lasting: async () =>
        (await lastingEndpointAlerts(api.database))
          .filter((alert) => alert.user_id === user_id)
          .map((alert) => ({ ...alert, looked_at: later(alert.looked_at) })),
      alerts: shownAlerts(api),
    })
  })
  /** @param minutes  how much later than the last look it seems to be */
  const look = (minutes = 0) => {
    minutesLater += minutes
    return watch.run(new AbortController().signal)
  }

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

  it('report an endpoint with an open breaker until it answers, and agree with the rule and the operator status', async () => {
    const rule_id = await newRule()
    const id = await api.nextId()
    await api.happened(user_id, id, [
      captured(user_id, id, { rules: [rule_id], webhook_status: 'pending' }),
      attempted(id, { attempt_id: await api.nextId(), rule_id, http_status: 0, error: 'timeout' }),
    ])
    const healthOfRule = async () => (await api.ask('GET', '/api/webhooks', { key })).body.data[0].health
    const breakers = async (): Promise<{ user_id: number; endpoint: string; since: string }[]> => {
      const { body } = await api.ask('GET', '/api/operator/status', { key: api.owner.api_key })
      return body.data.breakers.filter((breaker: { user_id: number }) => breaker.user_id === user_id)
    }
    // Nine failures raise no alert, and neither does any number of failures of one delivery.
    await tell(9)
    expect(await look()).to.equal(null)
    await tell(0)
    await tell(12, 1)
    expect(await look()).to.equal(null)
    expect(await breakers()).to.deep.equal([])

    await tell(10)
    expect(await look()).to.deep.equal({ raised: 1, ended: 0 })
    const alert = await eventually(async () => (await failing())[0])
    expect(alert).to.deep.include({ subject: 'https://shop.example', until: null })
    expect(alert.text).to.include('22 calls in a row, the last with no answer (timeout)')
    const { breaker, open_since: since } = await healthOfRule()
    expect([breaker, since]).to.deep.equal(['open', alert.since])
    expect(await breakers()).to.deep.equal([{ user_id, endpoint: 'https://shop.example', since }])
    await eventually(async () => (await mails()).some(({ text }) => text.includes(alert.text)), { what: 'the mail' })

    await tell(5)
    expect(await look()).to.equal(null)
    await tell(0)
    expect(await breakers()).to.deep.equal([])
    expect((await healthOfRule()).breaker).to.equal('closed')
    expect(await look()).to.equal(null)
    expect(await look(9)).to.equal(null)
    expect(await look(2)).to.deep.equal({ raised: 0, ended: 1 })
    await eventually(async () => (await failing())[0]!.until !== null)

    await tell(10)
    expect(await look()).to.deep.equal({ raised: 1, ended: 0 })
    await eventually(async () => (await failing()).length === 2)
  })

  describe('about a webhook that is refused', () => {
    const statuses = [302, 401, 403, 404]
    const openWatch = () => {
      const { run } = watchRefusals({
        refused: async () => (await refusedRules(api.database)).filter((rule) => rule.user_id === user_id),
        lasting: async () =>
          (await lastingRefusals(api.database))
            .filter((alert) => alert.user_id === user_id)
            .map((alert) => ({ ...alert, looked_at: later(alert.looked_at) })),
        alerts: shownAlerts(api),
      })
      /** @param minutes  how much later than the last run it seems to be */
      return (minutes = 0) => {
        minutesLater += minutes
        return run(new AbortController().signal)
      }
    }
    const watchRules = () => openWatch()()
    /** Calls of as many payments, in turn. */
    const answer = async (rule_id: number, calls: readonly number[], payments = 3): Promise<void> => {
      const ids: number[] = []
      for (let n = 0; n < payments; n++) ids.push(await api.nextId())
      for (const id of ids)
        await api.happened(user_id, id, [
          captured(user_id, id, { rules: [rule_id], webhook_status: 'pending', account_number: null }),
        ])
      for (const [n, http_status] of calls.entries())
        await api.happened(user_id, ids[n % payments]!, [
          attempted(ids[n % payments]!, {
            attempt_id: await api.nextId(),
            rule_id,
            attempt: 1 + Math.floor(n / payments),
            http_status,
            error: http_status === 200 ? null : `http_${http_status}`,
            outcome: http_status === 200 ? 'delivered' : 'retrying',
          }),
        ])
    }

    it('name the webhook and the answer after ten calls for three payments', async () => {
      const rule_id = await newRule()
      await answer(rule_id, [200, ...Array<number>(9).fill(403)])
      expect(await watchRules()).to.equal(null)
      await answer(rule_id, [403])
      expect(await watchRules()).to.deep.equal({ raised: 1, ended: 0 })
      const alert = await eventually(async () => (await failing())[0])
      expect(alert).to.deep.include({ subject: `rule:${rule_id}`, until: null })
      expect(alert.text).to.include(`“s” (${rule_id})`).and.to.include('none of the last 10 calls')
      expect(alert.text).to.include('The last answer was 403.')
      await eventually(async () => (await mails()).some(({ text }) => text.includes(alert.text)), { what: 'the mail' })
      expect(await look(), 'the watch over servers leaves it alone').to.equal(null)
    })

    it('end at once if its owner changes the address, and are raised for none that is paused or new', async () => {
      const rule_id = await newRule()
      await answer(rule_id, [...statuses, ...statuses, 404, 503])
      expect(await watchRules(), 'the server has failed last').to.equal(null)
      await answer(rule_id, [404])
      expect(await watchRules()).to.deep.equal({ raised: 1, ended: 0 })
      await eventually(async () => (await failing()).length === 1)
      await api.ask('PUT', `/api/webhooks/${rule_id}`, { key, json: { url: 'https://shop.example/new' } })
      expect(await watchRules()).to.deep.equal({ raised: 0, ended: 1 })
      await answer(rule_id, Array<number>(10).fill(404))
      await api.ask('PUT', `/api/webhooks/${rule_id}`, { key, json: { is_active: 0 } })
      expect(await watchRules()).to.equal(null)
    })

    it('are mailed to a shop with one payment a day, too', async () => {
      const rule_id = await newRule()
      await answer(rule_id, Array<number>(9).fill(401))
      const earlier = (table: string, column: string, days: number) =>
        api.database.query(
          `UPDATE read_model.${table} SET ${column} = ${column} - make_interval(days => $2) WHERE rule_id = $1`,
          [rule_id, days],
        )
      await earlier('rule', 'active_since', 5)
      await earlier('attempt', 'created_at', 3)
      await answer(rule_id, [401])
      expect(await watchRules()).to.deep.equal({ raised: 1, ended: 0 })
      const { text } = await eventually(async () => (await failing())[0])
      await eventually(async () => (await mails()).some((mail) => mail.text.includes(text)), { what: 'the mail' })
    })

    it('last until a call is accepted, though the server fails meanwhile, and leave room for others', async () => {
      const rule_id = await newRule()
      await answer(rule_id, Array<number>(10).fill(404))
      const run = openWatch()
      expect(await run()).to.deep.equal({ raised: 1, ended: 0 })
      await eventually(async () => (await failing()).length === 1)
      expect(await refusedRules(api.database), 'it would be among the oldest 1,000 for ever').to.deep.equal([])
      await answer(rule_id, [503])
      expect(await run(20)).to.equal(null)
      expect(await run(20), 'no call was accepted').to.equal(null)
      await answer(rule_id, [200])
      expect(await run(20)).to.equal(null)
      expect(await run(20)).to.deep.equal({ raised: 0, ended: 1 })
    })

    it('are not raised for two payments that are refused again and again', async () => {
      await answer(await newRule(), Array<number>(12).fill(404), 2)
      expect(await watchRules()).to.equal(null)
    })
  })

  it('report an endpoint that fails and works by turns in one mail, and send another when it works again', async () => {
    await newRule()
    const { email } = (await api.ask('GET', '/api/account', { key })).body.data
    const subjects = async () =>
      (await api.outbox.list()).filter(({ to }) => to === email).map(({ subject }) => subject)
    for (let turn = 0; turn < 10; turn++) {
      await tell(10)
      await look(1)
      await eventually(async () => (await failing()).length === 1)
      await tell(0)
      await look(1)
    }
    await look(11)
    await eventually(async () => (await failing())[0]!.until !== null)
    await eventually(async () => (await subjects()).includes('Baoco: an endpoint is working again'))
    expect((await subjects()).filter((subject) => subject.includes('endpoint'))).to.have.members([
      'Baoco: an endpoint keeps failing',
      'Baoco: an endpoint is working again',
    ])
  })

  it('end with the last rule that uses the endpoint', async () => {
    const rule_id = await newRule()
    await tell(10)
    await look()
    await eventually(async () => (await failing()).length === 1)
    await api.ask('DELETE', `/api/webhooks/${rule_id}`, { key })
    expect(await look()).to.deep.equal({ raised: 0, ended: 1 })
    await eventually(async () => (await failing())[0]!.until !== null)
  })

  it('end if the state of the endpoint is lost, and are raised again if it still fails', async () => {
    await newRule()
    await tell(10)
    await look()
    await eventually(async () => (await failing()).length === 1)
    await api.database.query('DELETE FROM ops.endpoint WHERE user_id = $1', [user_id])
    expect(await look()).to.equal(null)
    expect(await look(11)).to.deep.equal({ raised: 0, ended: 1 })
    await eventually(async () => (await failing())[0]!.until !== null)
    await tell(10)
    expect(await look()).to.deep.equal({ raised: 1, ended: 0 })
    await eventually(async () => (await failing()).map(({ until }) => until === null).join() === 'true,false')
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
