import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import type { AccountEvent } from '../../../domain/account/events.ts'
import type { DeliveryQueue } from '../../../workflows/deliver/queue.ts'
import { eventually } from '../../harness/eventually.ts'
import { hang, status, type Shop } from '../../harness/shop.ts'
import { openDeliverySetting, SECRET, USER, vault, type DeliverySetting, type WorkerOptions } from './setting.ts'

const NEW_SECRET = SECRET.toUpperCase()

/** Calls in flight at the slow shop. All others wait in the worker. */
const SLOTS = 2
const FEW_SLOTS = { perEndpoint: SLOTS }

describe('a rule that changes while claimed deliveries wait in a worker', () => {
  let setting: DeliverySetting
  let shop: Shop
  let rule: number
  /** The shop answers the calls that it has and those that follow. */
  let answer: () => void
  beforeEach(async () => {
    setting = await openDeliverySetting()
    const late: (() => void)[] = []
    shop = await setting.shop((_call, response) => void late.push(() => response.end('ok')))
    answer = () => {
      shop.answer(status(200))
      for (const each of late) each()
    }
    rule = await setting.rule(shop.url)
  })
  afterEach(() => setting.close())

  const countClaims = async () => (await setting.query('SELECT FROM ops.claim')).length
  const transactionsOf = ({ calls }: Shop) =>
    calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id)
  const deliverAll = async (transactions: readonly number[]) => {
    for (const transaction of transactions) await setting.untilStatus(transaction, 'success')
  }
  const dueNow = () => setting.query("UPDATE read_model.delivery SET due_at = now() WHERE status = 'open'")
  const change = (...facts: AccountEvent[]) => setting.account(USER, ...facts)
  const changed = (fields: object): AccountEvent => ({
    type: 'RuleChanged',
    data: { user_id: USER, rule_id: rule, ...fields },
  })

  /** Ten deliveries are claimed. The shop has two of them and does not answer. */
  const tenClaimed = async (options: WorkerOptions = {}) => {
    const worker = await setting.worker({ limits: { first: FEW_SLOTS }, ...options })
    await worker.started
    const transactions = await setting.capture([rule], { count: 10 })
    await eventually(async () => shop.calls.length === SLOTS && (await countClaims()) === 10, { what: 'ten claims' })
    return { worker, transactions }
  }

  it('is no longer called once it is paused, and gets the waiting calls when it is switched on again', async () => {
    const { transactions } = await tenClaimed()
    await change(changed({ is_active: 0 }))
    await eventually(async () => (await countClaims()) === SLOTS, { what: 'the claims are given back' })
    answer()
    await deliverAll(transactionsOf(shop))
    expect(shop.calls).to.have.length(SLOTS)
    await change(changed({ is_active: 1 }))
    await dueNow()
    await deliverAll(transactions)
    expect(transactionsOf(shop).toSorted((a, b) => a - b)).to.deep.equal(transactions)
  })

  it('gets no waiting calls while its account is locked', async () => {
    const { transactions } = await tenClaimed()
    await change({ type: 'AccountLocked', data: { user_id: USER, reason: 'abuse' } })
    await eventually(async () => (await countClaims()) === SLOTS, { what: 'the claims are given back' })
    answer()
    await deliverAll(transactionsOf(shop))
    expect(shop.calls).to.have.length(SLOTS)
    await change({ type: 'AccountUnlocked', data: { user_id: USER } })
    await deliverAll(transactions)
    expect(shop.calls).to.have.length(10)
  })

  it('has its waiting deliveries ended if it is deleted', async () => {
    const { transactions } = await tenClaimed()
    await change({ type: 'RuleDeleted', data: { user_id: USER, rule_id: rule } })
    const begun = transactionsOf(shop)
    for (const transaction of transactions.filter((each) => !begun.includes(each)))
      await setting.untilStatus(transaction, 'no_match')
    expect(shop.calls).to.have.length(SLOTS)
    answer()
    await deliverAll(begun)
    expect(shop.calls).to.have.length(SLOTS)
  })

  it('gets the waiting calls at its new url at once, although the old one still does not answer', async () => {
    const { transactions } = await tenClaimed()
    const next = await setting.shop()
    await change(changed({ url: next.url }))
    const begun = transactionsOf(shop)
    await deliverAll(transactions.filter((each) => !begun.includes(each)))
    answer()
    await deliverAll(begun)
    expect(shop.calls).to.have.length(SLOTS)
    expect(next.calls).to.have.length(10 - SLOTS)
    for (const { headers } of next.calls) expect(headers['x-webhook-attempt']).to.equal('1')
  })

  it('gets them there even if the first claim after the change fails', async () => {
    const queue = openDeliveryQueue(setting.database, setting.byKey)
    let fails = false
    let failures = 0
    const claimFirst: DeliveryQueue['claimFirst'] = (...wanted) => {
      if (!fails) return queue.claimFirst(...wanted)
      fails = false
      failures++
      return Promise.reject(new Error('Connection terminated'))
    }
    const { transactions } = await tenClaimed({ queue: { ...queue, claimFirst } })
    const other = await setting.shop()
    fails = true
    await change(changed({ url: other.url }))
    await eventually(() => other.calls.length === 10 - SLOTS, { what: 'the others are sent to the new url' })
    expect(failures).to.equal(1)
    answer()
    await deliverAll(transactions)
  })

  it('gets them there once the worker may claim again, if its heartbeats failed during the change', async () => {
    const queue = openDeliveryQueue(setting.database, setting.byKey)
    let isFailing = false
    let failures = 0
    const beat: DeliveryQueue['beat'] = (worker) => {
      if (!isFailing) return queue.beat(worker)
      failures++
      return Promise.reject(new Error('Connection terminated'))
    }
    const { transactions } = await tenClaimed({ queue: { ...queue, beat } })
    const next = await setting.shop()
    isFailing = true
    await eventually(() => failures > 3, { what: 'the worker is silent' })
    await change(changed({ url: next.url }))
    await eventually(async () => (await countClaims()) === SLOTS, { what: 'the claims are given back' })
    isFailing = false
    await eventually(() => next.calls.length === 10 - SLOTS, { what: 'the others are sent to the new url' })
    answer()
    await deliverAll(transactions)
    expect(shop.calls).to.have.length(SLOTS)
  })

  it('has the waiting calls signed with its new secret only, once the rotation is finished', async () => {
    const queue = openDeliveryQueue(setting.database, setting.byKey)
    let givenBack = 0
    const { transactions } = await tenClaimed({
      queue: {
        ...queue,
        giveBack: async (worker, claims) => {
          await queue.giveBack(worker, claims)
          givenBack += claims.length
        },
      },
    })
    const previous_until = new Date(Date.now() + 3_600_000).toISOString()
    const secrets = { sealed_secret: vault.seal(NEW_SECRET), sealed_previous: vault.seal(SECRET), previous_until }
    await change(
      { type: 'RuleSecretRotated', data: { user_id: USER, rule_id: rule, ...secrets } },
      { type: 'RuleSecretRotationFinished', data: { user_id: USER, rule_id: rule } },
    )
    await eventually(() => givenBack === 10 - SLOTS, { what: 'the claims are given back' })
    answer()
    await deliverAll(transactions)
    expect(shop.calls).to.have.length(10)
    for (const { headers, body } of shop.calls.slice(SLOTS)) {
      expect(await verify(NEW_SECRET, body, headers['x-webhook-signature']!)).to.equal(true)
      expect(headers['webhook-signature']!.split(' ')).to.have.length(1)
    }
  })

  it('gets its waiting retries at the new url', async () => {
    const limits = { retry: FEW_SLOTS }
    shop.answer(status(500))
    await setting.worker({ limits, schedule: [0.5, 3_600] })
    const transactions = await setting.capture([rule], { count: 6 })
    await eventually(() => shop.calls.length === 6)
    shop.answer(hang)
    await eventually(() => shop.calls.length === 6 + SLOTS, { what: 'two retries' })
    const next = await setting.shop()
    await change(changed({ url: next.url }))
    const hanging = transactionsOf(shop).slice(6)
    await deliverAll(transactions.filter((each) => !hanging.includes(each)))
    expect(shop.calls).to.have.length(6 + SLOTS)
    for (const { headers } of next.calls) expect(headers['x-webhook-attempt']).to.equal('2')
  })

  describe('during a call that then fails', () => {
    /** The first call has begun. The next one would come after an hour. */
    const called = async () => {
      await setting.worker({ schedule: [3_600] })
      const [transaction] = await setting.capture([rule])
      await eventually(() => shop.calls.length === 1)
      return transaction!
    }
    beforeEach(() => shop.answer((_call, response) => void fail.push(() => response.writeHead(500).end())))
    const fail: (() => void)[] = []
    afterEach(() => fail.splice(0))

    it('has the delivery ended at once if it was deleted', async () => {
      const transaction = await called()
      await change({ type: 'RuleDeleted', data: { user_id: USER, rule_id: rule } })
      fail[0]!()
      await setting.untilStatus(transaction, 'no_match')
    })

    it('gets the retry at once at its new url', async () => {
      const transaction = await called()
      const next = await setting.shop()
      await change(changed({ url: next.url }))
      fail[0]!()
      await setting.untilStatus(transaction, 'success')
      expect(next.calls[0]!.headers['x-webhook-attempt']).to.equal('2')
    })

    it('gets the retry as soon as it is switched on again, if it was paused', async () => {
      const transaction = await called()
      await change(changed({ is_active: 0 }))
      fail[0]!()
      await eventually(async () => (await setting.attempts(transaction)).length === 1)
      shop.answer(status(200))
      await change(changed({ is_active: 1 }))
      await setting.untilStatus(transaction, 'success')
    })
  })

  describe('looked up', () => {
    /** A queue that counts the looks at rules, and makes one of its methods fail once. */
    const watchedQueue = ({ fails }: { fails?: 'presentRules' | 'giveBack' } = {}) => {
      const queue = openDeliveryQueue(setting.database, setting.byKey, { schedule: [0.05, 0.1] })
      const looks: number[][] = []
      let toFail = fails
      const orFail = async (name: typeof fails, work: () => Promise<void>): Promise<void> => {
        if (toFail === name) {
          toFail = undefined
          // It is done, and its answer is lost.
          await work()
          throw new Error('the connection was lost')
        }
        await work()
      }
      const watched: DeliveryQueue = {
        ...queue,
        presentRules: async (rules) => {
          looks.push([...rules])
          await orFail('presentRules', () => Promise.resolve())
          return queue.presentRules(rules)
        },
        giveBack: (...wanted) => orFail('giveBack', () => queue.giveBack(...wanted)),
      }
      return { queue: watched, looks }
    }

    it('is one statement for all that wait', async () => {
      const { queue, looks } = watchedQueue()
      const other = await setting.rule(shop.url)
      await setting.worker({ queue, limits: { first: FEW_SLOTS } })
      await setting.capture([rule, other], { count: 10 })
      await eventually(() => looks.length >= 2, { what: 'two looks' })
      expect(looks.at(-1)!.toSorted((a, b) => a - b)).to.deep.equal([rule, other])
    })

    it('waits for a database that is away, while calls continue', async () => {
      const { queue } = watchedQueue()
      const { transactions } = await tenClaimed({
        queue: { ...queue, presentRules: () => Promise.reject(new Error('the database is away')) },
      })
      answer()
      await deliverAll(transactions)
      expect(shop.calls).to.have.length(10)
    })

    for (const fails of ['presentRules', 'giveBack'] as const)
      it(`loses nothing and sends nothing twice if the answer to ${fails} is lost`, async () => {
        const { queue } = watchedQueue({ fails })
        const { transactions } = await tenClaimed({ queue })
        const next = await setting.shop()
        await change(changed({ url: next.url }))
        await eventually(async () => (await countClaims()) === SLOTS || next.calls.length > 0, { what: 'given back' })
        await dueNow()
        answer()
        await deliverAll(transactions)
        expect([shop.calls.length, next.calls.length]).to.deep.equal([SLOTS, 10 - SLOTS])
      })
  })
})
