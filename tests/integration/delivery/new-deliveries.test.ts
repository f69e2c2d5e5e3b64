/** The queue's claims for a transaction that the read models do not have, and the deliveries that it leaves to them. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import { PLAN_LIMITS } from '../../../domain/account/plan.ts'
import { DAY_MS } from '../../../domain/time.ts'
import type { DeliveryQueue, NewDelivery } from '../../../workflows/deliver/queue.ts'
import { openDeliverySetting, USER, type DeliverySetting } from './setting.ts'

const URL_OF_NOBODY = 'http://127.0.0.1:1/'
const [ONE, TWO] = [randomUUID(), randomUUID()]
const MOST = PLAN_LIMITS.Free.transactions!

describe('the queue, when a worker requests new deliveries', () => {
  let setting: DeliverySetting
  let queue: DeliveryQueue
  let rule: number
  before(async () => {
    setting = await openDeliverySetting()
    queue = openDeliveryQueue(setting.database, setting.byKey)
    rule = await setting.rule(URL_OF_NOBODY)
  })
  after(() => setting.close())

  const newDelivery = async (rule_id: number, more: Partial<NewDelivery> = {}): Promise<NewDelivery> => {
    const [transaction_id] = await setting.ids.next(1)
    const captured_at = new Date().toISOString()
    return { transaction_id: transaction_id!, rule_id, user_id: USER, captured_at, uncounted: 1, ...more }
  }
  /** Asks for a new delivery of this rule. */
  const ask = async (rule_id: number, more: Partial<NewDelivery> = {}, fullRules: number[] = []) => {
    const wanted = await newDelivery(rule_id, more)
    const { claimed, left } = await queue.claimNew(ONE, [wanted], fullRules)
    expect([...claimed.map(({ transaction_id }) => transaction_id), ...left]).to.deep.equal([wanted.transaction_id])
    return claimed.length > 0 ? 'claimed' : 'left'
  }

  it('claims those that no worker has claimed', async () => {
    const wanted = await newDelivery(rule)
    const { claimed, left } = await queue.claimNew(ONE, [wanted], [])
    expect(claimed).to.have.length(1)
    expect(claimed[0]).to.deep.include({
      transaction_id: wanted.transaction_id,
      rule_id: rule,
      endpoint: { name: 'http://127.0.0.1:1', watched: false, isPassedThrough: false },
    })
    expect(claimed[0]!.rule).to.include({ url: URL_OF_NOBODY, ordered: false, max_per_minute: null })
    expect(left).to.deep.equal([])
  })

  it('neither claims nor leaves what another worker has claimed', async () => {
    const wanted = await newDelivery(rule)
    await queue.claimNew(ONE, [wanted], [])
    const { claimed, left } = await queue.claimNew(TWO, [wanted], [])
    expect([claimed, left]).to.deep.equal([[], []])
  })

  it('leaves those of ordered and limited rules, each transaction once', async () => {
    const gated = [
      await setting.rule(URL_OF_NOBODY, { ordered: 1 }),
      await setting.rule(URL_OF_NOBODY, { max_per_minute: 600 }),
    ]
    for (const each of gated) expect(await ask(each)).to.equal('left')
    const wanted = await newDelivery(rule)
    const of = (rules: number[]) => rules.map((rule_id) => ({ ...wanted, rule_id }))
    const { claimed, left } = await queue.claimNew(ONE, of([...gated, rule]), [])
    expect(claimed.map(({ rule_id }) => rule_id)).to.deep.equal([rule])
    expect(left).to.deep.equal([wanted.transaction_id])
  })

  it('leaves those whose endpoint gets no calls now, or got none a minute ago', async () => {
    for (const [index, [column, time, answer]] of (
      [
        ['opened_at', 'now()', 'left'],
        ['not_before', "now() + interval '1 minute'", 'left'],
        ['closed_at', "now() - interval '30 seconds'", 'left'],
        ['closed_at', "now() - interval '2 minutes'", 'claimed'],
      ] as const
    ).entries()) {
      const endpoint = `http://127.0.0.1:${2 + index}`
      const itsRule = await setting.rule(`${endpoint}/`)
      const insert = `INSERT INTO ops.endpoint (user_id, endpoint, ${column}) VALUES ($1, $2, ${time})`
      await setting.query(insert, [USER + 1, endpoint])
      expect(await ask(itsRule), `${column} of another user`).to.equal('claimed')
      await setting.query(insert, [USER, endpoint])
      expect(await ask(itsRule), `${column} ${time}`).to.equal(answer)
    }
  })

  it('leaves those of full rules and of locked accounts', async () => {
    const other = await setting.rule(URL_OF_NOBODY)
    expect(await ask(rule, {}, [other])).to.equal('claimed')
    expect(await ask(rule, {}, [other, rule])).to.equal('left')
    const user_id = 20
    const locked = await setting.rule(URL_OF_NOBODY, { user: user_id })
    expect(await ask(locked, { user_id })).to.equal('claimed')
    await setting.account(user_id, { type: 'AccountLocked', data: { user_id, reason: 'polling' } })
    expect(await ask(locked, { user_id })).to.equal('left')
  })

  describe('of a user with a limited plan', () => {
    const onPlan = async (user_id: number, plan: 'Free' | 'Pro', expires_at: string | null = null) => {
      const itsRule = await setting.rule(URL_OF_NOBODY, { user: user_id })
      await setting.account(user_id, { type: 'PlanChanged', data: { user_id, plan, expires_at } })
      return (more: Partial<NewDelivery>) => ask(itsRule, { user_id, ...more })
    }

    it('adds what is not counted yet to what is counted, by user', async () => {
      const [asked, other] = [await onPlan(30, 'Free'), await onPlan(31, 'Free')]
      await setting.capture([], { user: 30, count: MOST - 2 })
      await setting.projector.passed((await setting.store.end())!, 30_000)
      expect(await asked({ uncounted: 2 })).to.equal('claimed')
      expect(await asked({ uncounted: 3 })).to.equal('left')
      expect(await other({ uncounted: MOST })).to.equal('claimed')
      expect(await other({ uncounted: MOST + 1 })).to.equal('left')
      const lastMonth = new Date(Date.now() - 31 * DAY_MS).toISOString()
      expect(await asked({ uncounted: 3, captured_at: lastMonth })).to.equal('claimed')
    })

    it('looks at the plan at the time of the capture', async () => {
      const now = Date.now()
      const asked = await onPlan(32, 'Pro', new Date(now).toISOString())
      const at = (ago: number) => ({ uncounted: MOST + 1, captured_at: new Date(now - ago).toISOString() })
      expect(await asked(at(1_000))).to.equal('claimed')
      expect(await asked(at(-1_000))).to.equal('left')
    })
  })
})
