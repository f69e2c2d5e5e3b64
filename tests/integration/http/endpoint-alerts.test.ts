/** Alerts about endpoints that do not answer, and about webhooks that theirs refuses. */
import { expect } from 'chai'
import { updateEndpoints } from '../../../adapters/postgres/delivery-queue/endpoints.ts'
import { lastingEndpointAlerts, openBreakers } from '../../../projections/rule/breaker-queries.ts'
import { lastingRefusals, refusedRules } from '../../../projections/rule/refusal-queries.ts'
import type { ScheduledJob } from '../../../workflows/scheduled/scheduled-work.ts'
import { watchEndpoints } from '../../../workflows/scheduled/watch-endpoints.ts'
import { watchRefusals } from '../../../workflows/scheduled/watch-refusals.ts'
import { eventually } from '../../harness/eventually.ts'
import { withAlerts } from './alerts-setting.ts'
import type { ApiUnderTest } from './api-under-test.ts'
import { attempted, captured } from './captured.ts'
import { shownAlerts } from './shown-alerts.ts'

describe('alerts about endpoints', () => {
  let api: ApiUnderTest
  let key: string
  let user_id: number
  const { alerts, mails, newRule } = withAlerts((account) => {
    ;({ api, key, user_id } = account)
  })

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

  describe('that refuse a webhook', () => {
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
})
