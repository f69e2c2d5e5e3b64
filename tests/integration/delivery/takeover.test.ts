import { expect } from 'chai'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import type { DeliveryQueue } from '../../../workflows/deliver/queue.ts'
import { eventually } from '../../harness/eventually.ts'
import { hang, status } from '../../harness/shop.ts'
import { holdable, openDeliverySetting, type DeliverySetting } from './setting.ts'

/** The parts of a worker that dies between a call and its record. Its results are lost, and its heartbeats stop. */
const mortal = (setting: DeliverySetting) => {
  const held = holdable(setting.store)
  const queue = openDeliveryQueue(setting.database, setting.byKey)
  let isDead = false
  const dies = <Answer>(answer: () => Promise<Answer>): Promise<Answer> =>
    isDead ? Promise.reject(new Error('dead')) : answer()
  return {
    store: held.store,
    queue: {
      ...queue,
      beat: (worker: string) => dies(() => queue.beat(worker)),
      signOff: (worker: string) => dies(() => queue.signOff(worker)),
      claimNew: (...args: Parameters<DeliveryQueue['claimNew']>) => dies(() => queue.claimNew(...args)),
      claimFirst: (...args: Parameters<DeliveryQueue['claimFirst']>) => dies(() => queue.claimFirst(...args)),
      claimDue: (...args: Parameters<DeliveryQueue['claimDue']>) => dies(() => queue.claimDue(...args)),
      takeOver: (...args: Parameters<DeliveryQueue['takeOver']>) => dies(() => queue.takeOver(...args)),
    } satisfies DeliveryQueue,
    recordsNothing: () => (held.down = true),
    die: () => {
      held.down = true
      isDead = true
    },
  }
}

describe('takeover between workers', () => {
  let setting: DeliverySetting
  beforeEach(async () => {
    setting = await openDeliverySetting()
  })
  afterEach(() => setting.close())

  const shopWithDeadWorker = async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const parts = mortal(setting)
    const first = await setting.worker({ store: parts.store, queue: parts.queue })
    await first.started
    parts.recordsNothing()
    const [transaction] = await setting.capture([rule])
    await eventually(() => shop.calls.length === 1)
    parts.die()
    setting.abandon(first)
    return { shop, transaction: transaction! }
  }

  it('repeats a call that was made but not recorded, under the same number, and announces that', async () => {
    const { shop, transaction } = await shopWithDeadWorker()
    const [dead] = await setting.query<{ worker: string }>('SELECT worker FROM ops.worker')
    const next = await setting.worker()
    await setting.untilStatus(transaction, 'success')
    const [start, takeover, ...more] = next.claimsOpen
    expect(start).to.deep.include({ at: 'start', claims_open: 0, of: [] })
    expect(takeover).to.deep.include({ at: 'takeover', claims_open: 1, of: [{ worker: dead!.worker, claims_open: 1 }] })
    expect(takeover!.worker).to.not.equal(dead!.worker)
    expect(more).to.deep.equal([])
    expect(shop.calls.map((call) => call.headers['x-webhook-attempt'])).to.deep.equal(['1', '1'])
    expect(await setting.attempts(transaction)).to.have.length(1)
  })

  it('sends nothing again if claims and offsets were lost, and the read models do not show the attempts yet', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const first = await setting.worker()
    const [before] = await setting.capture([rule])
    await setting.untilStatus(before!, 'success')
    await first.stop()
    const end = (await setting.store.end())!
    await setting.projector.passed(end, 30_000)
    // As read models are while they are built again.
    await setting.query(
      `UPDATE read_model.delivery SET status = 'open', attempt = 0, lane = 'first', due_at = captured_at + interval '60 s'`,
    )
    for (const table of ['claim', 'worker', 'log_offset']) await setting.query(`DELETE FROM ops.${table}`)

    await setting.worker()
    const claimed = () => setting.query('SELECT FROM ops.claim WHERE transaction_id = $1', [before])
    await eventually(async () => (await claimed()).length === 1)
    const [after] = await setting.capture([rule])
    await setting.untilStatus(after!, 'success')
    expect(shop.calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id)).to.deep.equal(
      [before, after],
    )
  })

  it('happens at once for a sole worker, which reports how many calls may be made twice', async () => {
    const { shop, transaction } = await shopWithDeadWorker()
    const next = await setting.worker({ soleWorker: true, beatEvery: 60_000 })
    await setting.untilStatus(transaction, 'success')
    expect(next.claimsOpen.map(({ at, claims_open }) => [at, claims_open])).to.deep.equal([['start', 1]])
    expect(shop.calls).to.have.length(2)
  })

  it('does not affect a live worker, however long its call takes', async () => {
    const shop = await setting.shop(hang)
    const rule = await setting.rule(shop.url)
    const beats: number[] = []
    let isOver = false
    /** Two workers beat by turns. On a busy machine, one may otherwise beat four times before the other one does. */
    const byTurns = (): DeliveryQueue => {
      const queue = openDeliveryQueue(setting.database, setting.byKey)
      const mine = beats.push(Math.max(0, ...beats)) - 1
      const beat: DeliveryQueue['beat'] = async (worker) => {
        await eventually(() => isOver || beats.every((each) => each >= beats[mine]!), { what: 'the other one beats' })
        const answer = await queue.beat(worker)
        beats[mine]!++
        return answer
      }
      return { ...queue, beat }
    }
    try {
      await setting.worker({ beatEvery: 50, queue: byTurns() })
      await setting.capture([rule])
      await eventually(() => shop.calls.length === 1)
      await setting.worker({ beatEvery: 50, queue: byTurns() })
      const together = beats[0]!
      await eventually(() => beats.every((each) => each > together + 10))
      expect(shop.calls).to.have.length(1)
    } finally {
      isOver = true
    }
  })

  it('soon makes the calls that a stopped worker had noted but not started, without a minute in the queue', async () => {
    const shop = await setting.shop(hang)
    const rule = await setting.rule(shop.url)
    const first = await setting.worker({ limits: { first: { room: 10 } } })
    const transactions = await setting.capture([rule], { count: 200 })
    await eventually(() => shop.calls.length > 0)
    shop.answer(status(200))
    await first.stop()
    await setting.worker()
    for (const transaction of transactions) await setting.untilStatus(transaction, 'success')
  })

  it('leaves the open calls of a stopped worker to the schedule, after that worker cut them off and recorded them', async () => {
    const [hanging, good] = [await setting.shop(hang), await setting.shop()]
    const rules = [await setting.rule(hanging.url), await setting.rule(good.url)]
    const first = { perEndpoint: 2 }
    const worker = await setting.worker({ limits: { first }, schedule: [600], cutOffAfter: 7_000 })
    const transactions = await setting.capture([rules[0]!], { count: 5 })
    await eventually(() => hanging.calls.length === 2)
    const took = await worker.stop()
    expect(took).to.be.within(6_500, 10_000)
    const attempts = (await Promise.all(transactions.map((id) => setting.attempts(id)))).flat()
    expect(attempts.map(({ error, http_status }) => [error, http_status])).to.deep.equal([
      ['stopped', 0],
      ['stopped', 0],
    ])
    expect(attempts.every(({ next_attempt_at }) => next_attempt_at !== null)).to.equal(true)
    // Its sign-off frees at once the calls that it had claimed but not started.
    hanging.answer(status(200))
    await setting.worker()
    await eventually(() => hanging.calls.length === 5)
  })

  it('lets a worker without calls stop at once', async () => {
    const worker = await setting.worker()
    await eventually(async () => (await setting.database.query('SELECT 1 FROM ops.worker')).length === 1)
    expect(await worker.stop()).to.be.below(2_000)
    const [row] = await setting.database.query<{ ended_at: string | null }>('SELECT ended_at FROM ops.worker')
    expect(row!.ended_at).to.be.a('string')
  })

  it('makes a worker that was silent check its claims before it sends', async () => {
    const shop = await setting.shop(hang)
    const rule = await setting.rule(shop.url)
    const parts = mortal(setting)
    const first = { perEndpoint: 1 }
    let silent = false
    const queue: DeliveryQueue = {
      ...parts.queue,
      beat: (worker) => (silent ? Promise.reject(new Error('no answer')) : parts.queue.beat(worker)),
    }
    const slow = await setting.worker({ limits: { first }, queue, beatEvery: 50, schedule: [600] })
    const transactions = await setting.capture([rule], { count: 3 })
    await eventually(() => shop.calls.length === 1)
    silent = true
    const other = await setting.shop()
    await setting.account(5, { type: 'RuleChanged', data: { user_id: 5, rule_id: rule, url: other.url } })
    await setting.worker({ beatEvery: 50 })
    await eventually(() => other.calls.length === 3)
    silent = false
    for (const transaction of transactions) await setting.untilStatus(transaction, 'success')
    expect(slow.errors).not.to.deep.equal([])
    expect(shop.calls).to.have.length(1)
  })

  it('lets no call begin in a worker that is silent, and makes it check its claims again if the first check fails', async () => {
    let letGo = (): void => {}
    const shop = await setting.shop((_, response) => {
      letGo = () => response.writeHead(200).end()
    })
    const rule = await setting.rule(shop.url)
    const queue = openDeliveryQueue(setting.database, setting.byKey)
    let [isSilent, beats, checks] = [false, 0, 0]
    const slow = await setting.worker({
      limits: { first: { perEndpoint: 1 } },
      beatEvery: 500,
      queue: {
        ...queue,
        beat: (worker) =>
          isSilent ? Promise.reject(new Error('no answer')) : queue.beat(worker).finally(() => beats++),
        stillMine: (...args) =>
          checks++ === 0 ? Promise.reject(new Error('the connection broke')) : queue.stillMine(...args),
      },
    })
    const transactions = await setting.capture([rule], { count: 3 })
    await eventually(() => shop.calls.length === 1)
    shop.answer(status(200))
    isSilent = true
    await setting.worker({ beatEvery: 50 })
    for (const transaction of transactions) await setting.untilStatus(transaction, 'success')
    await eventually(() => slow.errors.length >= 4, { what: 'a silence of more than two heartbeats' })
    letGo()
    await eventually(() => slow.reports.length > 0, { what: 'the end of its call, after which another may begin' })
    isSilent = false
    const before = beats
    await eventually(() => beats >= before + 2)
    await slow.stop()
    expect(shop.calls).to.have.length(4)
  })

  it('gives a worker its own claim again if the answer to the claim was lost', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const queue = openDeliveryQueue(setting.database, setting.byKey)
    let lost = 0
    const forgetful: DeliveryQueue = {
      ...queue,
      claimFirst: async (...args) => {
        const answer = await queue.claimFirst(...args)
        if (answer.claimed.length === 0 || lost > 0) return answer
        lost = answer.claimed.length
        throw new Error('the connection broke after the commit')
      },
    }
    await setting.worker({ queue: forgetful })
    const transactions = await setting.capture([rule], { count: 20 })
    for (const transaction of transactions) await setting.untilStatus(transaction, 'success')
    expect(lost).to.be.above(0)
    expect(shop.calls).to.have.length(20)
  })

  it('lets a worker stop in time while the database is unavailable', async () => {
    const queue = openDeliveryQueue(setting.database, setting.byKey)
    const never = () => new Promise<never>(() => {})
    let isAway = false
    const worker = await setting.worker({
      queue: { ...queue, signOff: never, claimDue: (...args) => (isAway ? never() : queue.claimDue(...args)) },
    })
    await eventually(async () => (await setting.database.query('SELECT 1 FROM ops.worker')).length === 1)
    isAway = true
    expect(await worker.stop()).to.be.below(5_000)
  })
})
