/** The database's clock was ahead and was corrected. Times that it wrote lie further ahead than they ever can, and hold nothing. */
import { expect } from 'chai'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import { eventually } from '../../harness/eventually.ts'
import { status } from '../../harness/shop.ts'
import { openDeliverySetting, USER, type DeliverySetting, type Worker } from './setting.ts'

describe('after the clock of the database was ahead', () => {
  let setting: DeliverySetting
  let worker: Worker
  before(async () => {
    setting = await openDeliverySetting()
    worker = await setting.worker({ schedule: [3_600] })
  })
  after(() => setting.close())

  const endpoint = (url: string) => `http://127.0.0.1:${new URL(url).port}`
  const hold = (url: string, fields: Record<string, string>) =>
    setting.query(
      `INSERT INTO ops.endpoint (user_id, endpoint, failures, ${Object.keys(fields).join()})
       VALUES ($1, $2, 10, ${Object.values(fields).join()})`,
      [USER, endpoint(url)],
    )

  it('a limited rule is called', async () => {
    const rule = await setting.rule((await setting.shop()).url, { max_per_minute: 60 })
    await setting.query("INSERT INTO ops.pace (rule_id, free_at) VALUES ($1, now() + interval '1 hour')", [rule])
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
  })

  it('an endpoint with an open breaker is probed', async () => {
    const { url } = await setting.shop()
    const rule = await setting.rule(url)
    await hold(url, { opened_at: 'now()', probe_at: "now() + interval '1 hour'" })
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
  })

  it('an endpoint that asked to wait is called, if no server may ask for that long', async () => {
    const { url } = await setting.shop()
    const rule = await setting.rule(url)
    await hold(url, { not_before: "now() + interval '7 days'" })
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
  })

  it('an endpoint that asks to wait now gets no call until that time', async () => {
    const shop = await setting.shop(status(429, '', { 'retry-after': '3600' }))
    const rule = await setting.rule(shop.url)
    await hold(shop.url, { not_before: "now() + interval '7 days'" })
    await setting.capture([rule])
    const isHeld = "not_before BETWEEN now() + interval '50 minutes' AND now() + interval '1 hour'"
    await eventually(
      async () =>
        (await setting.query(`SELECT FROM ops.endpoint WHERE ${isHeld} AND endpoint = $1`, [endpoint(shop.url)]))
          .length,
    )
  })

  it('a first attempt is made at once, if the worker has not read the corrected clock yet', async () => {
    const other = await openDeliverySetting()
    try {
      const queue = openDeliveryQueue(other.database, other.byKey)
      const beat: typeof queue.beat = async (worker) => {
        const answer = await queue.beat(worker)
        return { ...answer, now: new Date(answer.now.getTime() + 3_600_000) }
      }
      const { started } = await other.worker({ queue: { ...queue, beat }, beatEvery: 60_000 })
      const rule = await other.rule((await other.shop()).url)
      await started
      const [transaction] = await other.capture([rule])
      await other.untilStatus(transaction!, 'success')
    } finally {
      await other.close()
    }
  })

  /** The last attempt is an hour in the future, and the next one is due a second later. */
  const WRONG = { claim: 'UPDATE ops.claim c SET claimed_at', result: 'UPDATE read_model.attempt c SET created_at' }

  const rules = { free: {}, ordered: { ordered: 1 }, limited: { max_per_minute: 600 } } as const

  for (const [what, fields] of Object.entries(rules)) {
    it(`a manual retry is made, if its rule is ${what}`, async () => {
      const rule = await setting.rule((await setting.shop()).url, { ...fields, is_active: 0 })
      const [transaction] = await setting.capture([rule], { age: 120 })
      await setting.projector.passed((await setting.store.end())!, 10_000)
      await setting.query(
        "UPDATE read_model.delivery SET lane = 'manual', due_at = now() + interval '1 hour' WHERE transaction_id = $1",
        [transaction],
      )
      await setting.query('UPDATE read_model.rule SET is_active = 1 WHERE rule_id = $1', [rule])
      await setting.untilStatus(transaction!, 'success')
    })

    it(`a first call over the quota is made, if its rule is ${what}`, async () => {
      const rule = await setting.rule((await setting.shop()).url, { ...fields, is_active: 0 })
      const [transaction] = await setting.capture([rule], { age: -7 * 86_400 })
      await setting.projector.passed((await setting.store.end())!, 10_000)
      await setting.query(
        "UPDATE read_model.delivery SET lane = 'retry', due_at = captured_at + interval '15 minutes' WHERE transaction_id = $1",
        [transaction],
      )
      await setting.query('UPDATE read_model.rule SET is_active = 1 WHERE rule_id = $1', [rule])
      await setting.untilStatus(transaction!, 'success')
    })

    it(`a retry is made at once only if its due time is later than any schedule allows, if its rule is ${what}`, async () => {
      const shop = await setting.shop(status(500))
      const rule = await setting.rule(shop.url, fields)
      const [transaction] = await setting.capture([rule])
      const isRetry = "lane = 'retry' AND transaction_id = $1"
      await eventually(
        async () => (await setting.query(`SELECT FROM read_model.delivery WHERE ${isRetry}`, [transaction])).length,
      )
      shop.answer(status(200))
      const putOff = (for_: string) =>
        setting.query(`UPDATE read_model.delivery SET due_at = now() + $2::interval WHERE ${isRetry}`, [
          transaction,
          for_,
        ])
      await putOff('1 day')
      const before = worker.looks
      await eventually(() => worker.looks >= before + 3)
      expect(shop.calls).to.have.length(1)
      await putOff('7 days')
      await setting.untilStatus(transaction!, 'success')
    })

    for (const [dated, setBack] of Object.entries(WRONG))
      it(`after a ${dated} that the wrong clock dated, a retry is made after its delay, and no other retry is made, if its rule is ${what}`, async () => {
        const shop = await setting.shop(status(500))
        const rule = await setting.rule(shop.url, { ...fields, ...('ordered' in fields && { ordered: 0 }) })
        const transactions = await setting.capture([rule], { count: 2 })
        const waiting = `SELECT FROM read_model.delivery WHERE lane = 'retry' AND transaction_id = ANY ($1)`
        await eventually(async () => (await setting.query(waiting, [transactions])).length === 2)
        const [transaction, other] = what === 'ordered' ? transactions : transactions.toReversed()
        if (what === 'ordered')
          await setting.account(USER, {
            type: 'RuleChanged',
            data: { user_id: USER, rule_id: rule, ordered: 1 },
          })
        shop.answer(status(200))
        await setting.query(
          `${setBack} = d.due_at - interval '1 second' FROM read_model.delivery d
         WHERE c.transaction_id = $1 AND d.transaction_id = c.transaction_id AND d.rule_id = c.rule_id`,
          [transaction],
        )
        const restarted = await setting.worker({ schedule: [3_600] })
        await setting.untilStatus(transaction!, 'success')
        await restarted.stop()
        expect(await setting.attempts(other!)).to.have.length(1)
      })
  }
})
