import { expect } from 'chai'
import type { AccountEvent } from '../../../domain/account/events.ts'
import { retry } from '../../../domain/transaction/decide.ts'
import { endpointHealth } from '../../../projections/rule/health-queries.ts'
import { eventually } from '../../harness/eventually.ts'
import { hang, openShop, status, type Answer } from '../../harness/shop.ts'
import { openDeliverySetting, USER, type DeliverySetting, type WorkerOptions } from './setting.ts'

/** A schedule that outlasts every test. The first two retries follow at once. */
const LONG = [0.01, 0.01, 3_600]

describe('an endpoint that fails', () => {
  let setting: DeliverySetting
  beforeEach(async () => (setting = await openDeliverySetting()))
  afterEach(() => setting.close())

  const worker = (options: WorkerOptions = {}) => setting.worker({ schedule: LONG, ...options })
  const endpoints = () =>
    setting.query<{ failures: number; opened_at: string | null; not_before: string | null }>(
      'SELECT * FROM ops.endpoint',
    )
  const captured = async (rules: number[], options: { count?: number } = {}) => {
    const transactions = await setting.capture(rules, options)
    await setting.projector.passed((await setting.store.end())!, 10_000)
    return transactions
  }
  const untilOpen = () => eventually(async () => (await endpoints())[0]?.opened_at, { what: 'the breaker opens' })
  const failing = async (options?: WorkerOptions) => {
    const shop = await setting.shop(status(503))
    const rule = await setting.rule(shop.url)
    const workers = await worker(options)
    const failed = await setting.capture([rule], { count: 5 })
    await untilOpen()
    return { shop, rule, workers, failed }
  }
  /** Waits until the deliveries that failed are in the queue again and no call is in flight. */
  const untilQuiet = async (calls: unknown[]) => {
    let before = -1
    await eventually(() => before === (before = calls.length) || new Promise((go) => setTimeout(() => go(false), 300)))
  }

  it('gets no more calls after ten failures of several deliveries, is first probed 30 s later, and waiting deliveries keep their attempt numbers', async () => {
    const { shop, rule, workers } = await failing()
    await untilQuiet(shop.calls)
    const before = shop.calls.length
    const waiting = await captured([rule], { count: 20 })
    const other = await setting.shop()
    const fine = await setting.capture([await setting.rule(other.url)], { count: 20 })
    for (const id of fine) await setting.untilStatus(id, 'success')
    await setting.query("UPDATE read_model.delivery SET due_at = now() - interval '1 minute' WHERE status = 'open'")
    const looked = workers.looks
    await eventually(() => workers.looks >= looked + 2, { what: 'a look that began after that' })
    expect(shop.calls.length).to.equal(before)
    const health = (await endpointHealth(setting.database, USER)).get(rule)
    expect(health).to.include({ breaker: 'open', not_before: null })
    expect(health!.failures_in_a_row).to.be.at.least(10)
    expect(Date.parse(health!.next_probe_at!) - Date.parse(health!.open_since!)).to.equal(30_000)
    for (const id of waiting) expect(await setting.attempts(id)).to.deep.equal([])
  })

  it('is probed by one delivery at a time, and gets the others once it answers', async () => {
    const { shop, failed } = await failing({ probeEvery: 0.5 })
    await untilQuiet(shop.calls)
    shop.answer(status(200))
    await setting.query("UPDATE read_model.delivery SET due_at = now() WHERE status = 'open'")
    for (const id of failed) await setting.untilStatus(id, 'success')
    await eventually(async () => (await endpoints()).every(({ opened_at }) => opened_at === null))
  })

  const retryByHand = async (rule: number, transaction: number) => {
    const account = { rules: new Map([[rule, {}]]) } as never
    await setting.command(transaction, (state) =>
      retry(state, { by: 'manual', at: new Date(), account, find: () => null }),
    )
  }

  it('is called at once for a manual retry', async () => {
    const shop = await setting.shop(status(503))
    const rule = await setting.rule(shop.url)
    await worker({ schedule: [0.01, 0.01] })
    const failed = await setting.capture([rule], { count: 6 })
    for (const id of failed) await setting.untilStatus(id, 'failed')
    await untilOpen()
    shop.answer(status(200))
    await retryByHand(rule, failed[0]!)
    await setting.untilStatus(failed[0]!, 'success', 5_000)
    await eventually(async () => (await endpoints()).every(({ opened_at }) => opened_at === null))
  })

  it('gets the first calls of the last minute at once when its breaker closes', async () => {
    const { shop, rule, failed } = await failing()
    const [held] = await captured([rule])
    shop.answer(status(200))
    await retryByHand(rule, failed[0]!)
    await setting.untilStatus(held!, 'success')
  })

  it('gets one last attempt per delivery when the whole schedule has passed, and the delivery then fails', async () => {
    const { shop, rule } = await failing()
    await untilQuiet(shop.calls)
    const [never] = await captured([rule])
    await setting.query(
      "UPDATE read_model.delivery SET first_due_at = now() - interval '2 hours', captured_at = now() - interval '2 hours', due_at = now() - interval '2 hours' WHERE transaction_id = $1",
      [never],
    )
    await setting.query("UPDATE read_model.rule SET active_since = now() - interval '2 hours'")
    await setting.untilStatus(never!, 'failed')
    const attempts = await setting.attempts(never!)
    expect(attempts.map(({ attempt, outcome }) => [attempt, outcome])).to.deep.equal([[1, 'exhausted']])
  })

  describe('and whose rule was held while the whole schedule passed', () => {
    const changed = (rule_id: number, fields: object): AccountEvent => ({
      type: 'RuleChanged',
      data: { user_id: USER, rule_id, ...fields },
    })
    const resumed = (rule: number) => changed(rule, { is_active: 1 })
    const BY: Record<string, { held: (rule: number) => AccountEvent; released: (rule: number) => AccountEvent }> = {
      'its owner': { held: (rule) => changed(rule, { is_active: 0 }), released: resumed },
      'a 410': {
        held: (rule_id) => ({ type: 'RulePaused', data: { user_id: USER, rule_id, reason: 'gone', caused_by: 'x' } }),
        released: resumed,
      },
      'a lock of its account': {
        held: () => ({ type: 'AccountLocked', data: { user_id: USER, reason: 'abuse' } }),
        released: () => ({ type: 'AccountUnlocked', data: { user_id: USER } }),
      },
    }
    for (const [what, { held, released }] of Object.entries(BY))
      it(`is probed once after the hold by ${what} ends, and each delivery has the rest of its schedule`, async () => {
        const { shop, rule, workers, failed } = await failing({ schedule: [...LONG, 3_600], probeEvery: 1 })
        const [never] = await captured([rule])
        await setting.account(USER, held(rule))
        await untilQuiet(shop.calls)
        await setting.query(
          "UPDATE read_model.delivery SET first_due_at = now() - interval '3 hours', captured_at = now() - interval '3 hours', due_at = now() - interval '2 hours'",
        )
        const before = shop.calls.length
        await setting.account(USER, released(rule))
        await eventually(() => shop.calls.length > before, { what: 'a probe' })
        const looked = workers.looks
        await eventually(() => workers.looks >= looked + 2, { what: 'a look that began after that' })
        const outcomes = await Promise.all(failed.map((id) => setting.attempts(id)))
        expect(outcomes.flat().map(({ outcome }) => outcome)).to.not.include('exhausted')
        shop.answer(status(200))
        // A probe that failed meanwhile is due later again.
        const dueNow = "UPDATE read_model.delivery SET due_at = now() WHERE status = 'open' RETURNING 1"
        await eventually(async () => (await setting.query(dueNow)).length === 0, { what: 'no open delivery' })
        for (const id of [...failed, never!]) await setting.untilStatus(id, 'success')
      })
  })

  describe('and that nobody called while the whole schedule passed', () => {
    const AWAY: Record<string, { stops: boolean; what: string }> = {
      'no process ran': { stops: true, what: 'stopped' },
      'the process was suspended': { stops: false, what: 'suspended' },
    }
    for (const [why, { stops }] of Object.entries(AWAY))
      it(`is probed, and each delivery has the rest of its schedule: ${why}`, async () => {
        const options = { schedule: [...LONG, 3_600], probeEvery: 1, beatEvery: 60_000 }
        const { shop, rule, workers, failed } = await failing(options)
        const [never] = await captured([rule])
        await untilQuiet(shop.calls)
        if (stops) await workers.stop()
        const before = shop.calls.length
        await setting.query(`WITH worked AS (
            UPDATE ops.worker SET beaten_at = beaten_at - interval '3 hours', ended_at = ended_at - interval '3 hours'
          ), ruled AS (UPDATE read_model.rule SET active_since = active_since - interval '3 hours')
          UPDATE read_model.delivery SET first_due_at = first_due_at - interval '3 hours',
            captured_at = captured_at - interval '3 hours', due_at = due_at - interval '3 hours'`)
        const present = stops ? await worker(options) : workers
        await eventually(() => shop.calls.length > before, { what: 'a probe' })
        const looked = present.looks
        await eventually(() => present.looks >= looked + 2, { what: 'a look that began after that' })
        const outcomes = await Promise.all(failed.map((id) => setting.attempts(id)))
        expect(outcomes.flat().map(({ outcome }) => outcome)).to.not.include('exhausted')
        shop.answer(status(200))
        // A probe that failed meanwhile is due later again.
        const dueNow = "UPDATE read_model.delivery SET due_at = now() WHERE status = 'open' RETURNING 1"
        await eventually(async () => (await setting.query(dueNow)).length === 0, { what: 'no open delivery' })
        for (const id of [...failed, never!]) await setting.untilStatus(id, 'success')
      })
  })

  it('opens its breaker for all workers, and only one of them probes', async () => {
    const shop = await setting.shop(status(500))
    const rule = await setting.rule(shop.url)
    for (let number = 0; number < 3; number++) await worker({ probeEvery: 1 })
    await setting.capture([rule], { count: 12 })
    await untilOpen()
    await untilQuiet(shop.calls)
    await setting.query("UPDATE read_model.delivery SET due_at = now() - interval '1 minute' WHERE status = 'open'")
    const from = shop.calls.length
    const began = Date.now()
    await eventually(() => shop.calls.length - from >= 2)
    expect(shop.calls.length - from).to.be.at.most(1 + Math.ceil((Date.now() - began) / 1000))
  })

  it('does not open its breaker for failures of two deliveries or for 4xx answers', async () => {
    const answer: Answer = ({ body }, response) => response.writeHead(body.includes('text of') ? 404 : 500).end()
    const shop = await setting.shop(answer)
    const rule = await setting.rule(shop.url)
    await worker({ schedule: Array<number>(15).fill(0.01) })
    const failed = await setting.capture([rule], { count: 4 })
    for (const id of failed) await setting.untilStatus(id, 'failed')
    expect(await endpoints()).to.deep.equal([])
    shop.answer(status(500))
    for (const id of await setting.capture([rule], { count: 2 })) await setting.untilStatus(id, 'failed')
    expect((await endpoints()).map(({ opened_at }) => opened_at)).to.deep.equal([null])
  })

  it('gets no call from any of its deliveries until the time in Retry-After', async () => {
    const shop = await setting.shop(status(429, '', { 'retry-after': '3600' }))
    const rule = await setting.rule(shop.url)
    await worker()
    await setting.capture([rule])
    const [row] = await eventually(async () => {
      const rows = await endpoints()
      return rows[0]?.not_before ? rows : null
    })
    expect(Date.parse(row!.not_before!) - Date.now()).to.be.within(3_500_000, 3_600_000)
    shop.answer(status(200))
    const [held] = await setting.capture([rule])
    const [fine] = await setting.capture([await setting.rule((await setting.shop()).url)])
    await setting.untilStatus(fine!, 'success')
    expect(await setting.attempts(held!)).to.deep.equal([])
    await setting.query('UPDATE ops.endpoint SET not_before = now()')
    await setting.untilStatus(held!, 'success')
  })

  it('gets its calls before the time in Retry-After if a manual retry has succeeded', async () => {
    const shop = await setting.shop(status(429, '', { 'retry-after': '3600' }))
    const rule = await setting.rule(shop.url)
    await worker()
    const [refused] = await setting.capture([rule])
    await eventually(async () => (await endpoints())[0]?.not_before && (await setting.attempts(refused!)).length === 1)
    shop.answer(status(200))
    const [held] = await captured([rule])
    await retryByHand(rule, refused!)
    for (const id of [refused!, held!]) await setting.untilStatus(id, 'success')
  })

  it('has its claimed but not started attempts returned to the queue', async () => {
    const shop = await setting.shop(hang)
    const rule = await setting.rule(shop.url)
    const limits = { perEndpoint: 12, waitingPerEndpoint: 100 }
    await worker({ limits: { first: limits, retry: limits } })
    const all = await setting.capture([rule], { count: 60 })
    await eventually(() => shop.calls.length === 12)
    await shop.close()
    await untilOpen()
    await eventually(async () => (await setting.query('SELECT FROM ops.claim c JOIN read_model.delivery d USING (transaction_id, rule_id) WHERE c.attempt > d.attempt')).length === 0) // prettier-ignore
    const attempts = await Promise.all(all.map((id) => setting.attempts(id)))
    expect(attempts.filter((each) => each.length === 0).length, 'deliveries that kept their number').to.be.above(20)
    const again = await openShop()
    await setting.account(USER, { type: 'RuleChanged', data: { user_id: USER, rule_id: rule, url: again.url } })
    await setting.query("UPDATE read_model.delivery SET due_at = now() WHERE status = 'open'")
    for (const id of all) await setting.untilStatus(id, 'success')
    await again.close()
  })
})
