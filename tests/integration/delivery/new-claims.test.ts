import { expect } from 'chai'
import { openEmbeddedLog } from '../../../adapters/log/embedded.ts'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import type { Log } from '../../../domain/ports.ts'
import { remove } from '../../../domain/transaction/decide.ts'
import type { DeliveryQueue } from '../../../workflows/deliver/queue.ts'
import { eventually } from '../../harness/eventually.ts'
import { status } from '../../harness/shop.ts'
import {
  holdable,
  openDeliverySetting,
  USER,
  type DeliverySetting,
  type Worker,
  type WorkerOptions,
} from './setting.ts'

describe('first attempts of new transactions', () => {
  let setting: DeliverySetting
  let release = async (): Promise<void> => {}
  beforeEach(async () => {
    setting = await openDeliverySetting()
  })
  afterEach(async () => {
    await release()
    await setting.close()
  })

  /** From now on the read models stay as they are. They can be read. */
  const holdReadModels = async (): Promise<void> => {
    await setting.projector.passed((await setting.store.end())!, 30_000)
    const client = await setting.database.connect()
    await client.query('BEGIN')
    await client.query("SELECT FROM read_model.checkpoint WHERE projector = 'main' FOR UPDATE")
    release = async () => {
      release = async () => {}
      await client.query('ROLLBACK')
      await client.end()
    }
  }

  const caughtUp = async (): Promise<void> => {
    await release()
    expect(await setting.projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
  }

  const claims = () => setting.query<{ transaction_id: number }>('SELECT transaction_id FROM ops.claim')
  const deliveries = () =>
    setting.query<{ status: string; lane: string | null }>(
      'SELECT status, lane FROM read_model.delivery ORDER BY transaction_id',
    )

  /** A queue with another `claimNew`. */
  const queueWith = (claimNew: (own: DeliveryQueue['claimNew']) => DeliveryQueue['claimNew']): DeliveryQueue => {
    const queue = openDeliveryQueue(setting.database, setting.byKey, { schedule: [0.05, 0.1] })
    return { ...queue, claimNew: claimNew(queue.claimNew) }
  }

  /** The first claim is made, and its answer does not arrive. */
  const queueThatLosesAnAnswer = () => {
    let isLost = false
    const queue = queueWith((claimNew) => async (...wanted) => {
      const answer = await claimNew(...wanted)
      if (isLost) return answer
      isLost = true
      throw new Error('the connection was lost')
    })
    return { queue, wasLost: () => isLost }
  }

  it('are made before the read models have the transaction, once, if readers wait for them', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const mustShow: string[] = []
    const worker = await setting.worker({ mustShow: (checkpoint) => mustShow.push(checkpoint) })
    await worker.started
    await holdReadModels()
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
    expect(await deliveries()).to.deep.equal([])
    const end = (await setting.store.end())!
    expect(mustShow.every((checkpoint) => !setting.store.isAfter(checkpoint, end))).to.equal(true)
    expect(mustShow).to.not.be.empty
    await caughtUp()
    expect(await deliveries()).to.deep.equal([{ status: 'succeeded', lane: null }])
    expect(shop.calls).to.have.length(1)
    const [attempt] = await setting.attempts(transaction!)
    expect(attempt).to.include({ attempt: 1, outcome: 'delivered' })
  })

  it('are claimed before the read models have the transaction, and made afterwards, if others may read', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const worker = await setting.worker()
    await worker.started
    await holdReadModels()
    const [transaction] = await setting.capture([rule])
    await eventually(async () => (await claims()).length === 1)
    expect(shop.calls).to.be.empty
    await release()
    await setting.untilStatus(transaction!, 'success')
    expect(shop.calls).to.have.length(1)
  })

  it('go to the new URL if the rule was changed just before', async () => {
    const [old, current] = [await setting.shop(), await setting.shop()]
    const rule = await setting.rule(old.url)
    const asked: string[] = []
    const worker = await setting.worker({
      mustShow: () => {},
      readModels: {
        passed: (checkpoint, timeoutMs) => {
          asked.push(checkpoint)
          return setting.projector.passed(checkpoint, timeoutMs)
        },
      },
    })
    await worker.started
    await holdReadModels()
    const before = await setting.store.end()
    const changing = setting.account(USER, {
      type: 'RuleChanged',
      data: { user_id: USER, rule_id: rule, url: current.url },
    })
    await eventually(async () => (await setting.store.end()) !== before)
    const [transaction] = await setting.capture([rule])
    // It asks for the change, in vain, and then waits for the transaction itself.
    const end = await setting.store.end()
    await eventually(() => asked.includes(end!))
    await release()
    await changing
    await setting.untilStatus(transaction!, 'success')
    expect(old.calls).to.be.empty
    expect(current.calls).to.have.length(1)
  })

  it('wait for the exact count if their user may be over the quota', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    await setting.account(USER, {
      type: 'PlanChanged',
      data: { user_id: USER, plan: 'Free', expires_at: null },
    })
    await setting.capture([], { count: 99 })
    const worker = await setting.worker({ mustShow: () => {} })
    await worker.started
    await holdReadModels()
    const transactions = await setting.capture([rule], { count: 3 })
    await caughtUp()
    await setting.untilStatus(transactions[0]!, 'success')
    await caughtUp()
    expect(shop.calls).to.have.length(1)
    expect(await deliveries()).to.deep.equal([
      { status: 'succeeded', lane: null },
      { status: 'open', lane: 'retry' },
      { status: 'open', lane: 'retry' },
    ])
  })

  it('are made once by this worker if the response to its claim was lost', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const { queue, wasLost } = queueThatLosesAnAnswer()
    const worker = await setting.worker({ queue, mustShow: () => {} })
    await worker.started
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
    expect(wasLost()).to.equal(true)
    expect(shop.calls).to.have.length(1)
  })

  it('are not made if the transaction is deleted during the claim', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    let goOn = (): void => {}
    const gate = new Promise<void>((resolve) => (goOn = resolve))
    const queue = queueWith((claimNew) => async (...wanted) => {
      const answer = await claimNew(...wanted)
      await gate
      return answer
    })
    const seen: string[] = []
    const embedded = openEmbeddedLog(setting)
    const log: Log = {
      consume: (group, handler, signal) => {
        seen.push('start')
        return embedded.consume(
          group,
          (entries) =>
            handler(entries).then(() => {
              seen.push(...entries.map(({ type }) => type))
            }),
          signal,
        )
      },
    }
    await setting.worker({ queue, log, mustShow: () => {} })
    await eventually(() => seen.includes('start'))
    const [deleted] = await setting.capture([rule])
    await eventually(async () => (await claims()).length === 1)
    await setting.command(deleted!, (state) => remove(state))
    await eventually(() => seen.includes('TransactionDeleted'))
    goOn()
    const [next] = await setting.capture([rule])
    await setting.untilStatus(next!, 'success')
    expect(shop.calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id)).to.deep.equal(
      [next],
    )
  })

  it('are made once if they wait here until another worker has made them and its claims were swept', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const queue = openDeliveryQueue(setting.database, setting.byKey, { schedule: [0.05, 0.1] })
    let [later, beats] = [0, 0]
    const late = await setting.worker({
      queue: {
        ...queue,
        beat: async (worker) => {
          const answer = await queue.beat(worker)
          beats++
          return { ...answer, now: new Date(answer.now.getTime() + later) }
        },
      },
      mustShow: () => {},
      limits: { first: { slots: 1, waitingPerEndpoint: 1 } },
    })
    await late.started
    const held: (() => void)[] = []
    shop.answer((call, response) => {
      if (held.push(() => status(200)(call, response)) > 1) held.pop()!()
    })
    const transactions = await setting.capture([rule], { count: 3 })
    await eventually(async () => (await claims()).length === 2)
    const claimed = new Set((await claims()).map(({ transaction_id }) => transaction_id))
    const waiting = transactions.find((each) => !claimed.has(each))!
    const other = await setting.worker()
    await setting.untilStatus(waiting, 'success')
    await other.stop()
    await setting.projector.passed((await setting.store.end())!, 30_000)
    await setting.query('DELETE FROM ops.claim WHERE transaction_id = $1', [waiting])
    later = 660_000
    const before = beats
    await eventually(() => beats > before + 1)
    held.forEach((answer) => answer())
    for (const each of transactions) await setting.untilStatus(each, 'success')
    await late.stop()
    expect(shop.calls).to.have.length(3)
  })

  it('are repeated and announced if their worker died before the read models had the transaction', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const held = holdable(setting.store)
    let isDead = false
    const queue = openDeliveryQueue(setting.database, setting.byKey)
    const dies = <Answer>(answer: () => Promise<Answer>) => (isDead ? Promise.reject(new Error('dead')) : answer())
    const mortal: DeliveryQueue = {
      ...queue,
      beat: (worker) => dies(() => queue.beat(worker)),
      claimNew: (...wanted) => dies(() => queue.claimNew(...wanted)),
      claimDue: (...wanted) => dies(() => queue.claimDue(...wanted)),
      signOff: (worker) => dies(() => queue.signOff(worker)),
    }
    const first = await setting.worker({ queue: mortal, store: held.store, mustShow: () => {} })
    await first.started
    await holdReadModels()
    held.down = true
    const [transaction] = await setting.capture([rule])
    await eventually(() => shop.calls.length === 1)
    isDead = true
    setting.abandon(first)
    const next = await setting.worker({ mustShow: () => {} })
    await next.started
    await release()
    await setting.untilStatus(transaction!, 'success')
    expect(shop.calls.map((call) => call.headers['x-webhook-attempt'])).to.deep.equal(['1', '1'])
    expect(next.claimsOpen.at(-1)).to.include({ at: 'takeover', claims_open: 1 })
    await caughtUp()
    expect(await deliveries()).to.deep.equal([{ status: 'succeeded', lane: null }])
  })

  describe('that this process appends', () => {
    let worker: Worker
    let claimedBy: number[][] = []
    const startWorker = async (options: WorkerOptions = {}) => {
      claimedBy = []
      const queue = queueWith((claimNew) => (...wanted) => {
        claimedBy.push(wanted[1].map(({ transaction_id }) => transaction_id))
        return claimNew(...wanted)
      })
      worker = await setting.worker({ queue, mustShow: () => {}, ...options })
      await worker.started
    }
    type Captured = Parameters<Worker['claimAhead']>[0]
    const ahead = (captured: Captured) => worker.claimAhead(captured)
    /** The rule gets a new URL between the claim and the append. */
    const aheadOfNewUrl = (rule: number, url: string) => async (captured: Captured) => {
      ahead(captured)
      await eventually(async () => (await claims()).length === 1)
      await setting.account(USER, { type: 'RuleChanged', data: { user_id: USER, rule_id: rule, url } })
    }

    it('are claimed during the append, and made when the log has them', async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url)
      await startWorker()
      const transactions = await setting.capture([rule], { count: 3, ahead })
      for (const each of transactions) await setting.untilStatus(each, 'success')
      expect(shop.calls).to.have.length(3)
      expect(claimedBy).to.deep.equal([transactions])
    })

    it('are made at once if the clock of this process is behind that of the database', async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url)
      await startWorker()
      await holdReadModels()
      const [transaction] = await setting.capture([rule], { age: 7_200, ahead })
      await setting.untilStatus(transaction!, 'success')
      await caughtUp()
      expect(shop.calls).to.have.length(1)
    })

    it('are given back and not made if the append fails', async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url)
      await startWorker()
      const failed = setting.capture([rule], {
        ahead: async (captured) => {
          ahead(captured)
          await eventually(async () => (await claims()).length === 1)
          throw new Error('the append fails')
        },
      })
      expect(await failed.catch((error: Error) => error.message)).to.equal('the append fails')
      await worker.stop()
      expect(await claims()).to.deep.equal([])
      expect(shop.calls).to.be.empty
    })

    it('go to the new URL if the rule is changed between the claim and the append', async () => {
      const [old, current] = [await setting.shop(), await setting.shop()]
      const rule = await setting.rule(old.url)
      await startWorker()
      const [transaction] = await setting.capture([rule], {
        ahead: aheadOfNewUrl(rule, current.url),
      })
      await setting.untilStatus(transaction!, 'success')
      expect(old.calls).to.be.empty
      expect(current.calls).to.have.length(1)
      expect(claimedBy).to.deep.equal([[transaction], [transaction]])
    })

    it('are made once if the claim cannot be given back after such a change', async () => {
      const [old, current] = [await setting.shop(), await setting.shop()]
      const rule = await setting.rule(old.url)
      const plain = queueWith((claimNew) => claimNew)
      let failures = 0
      const giveBack: DeliveryQueue['giveBack'] = (...given) =>
        failures++ === 0 ? Promise.reject(new Error('Connection terminated')) : plain.giveBack(...given)
      await startWorker({ queue: { ...plain, giveBack } })
      const [transaction] = await setting.capture([rule], {
        ahead: aheadOfNewUrl(rule, current.url),
      })
      await setting.untilStatus(transaction!, 'success')
      expect(failures).to.equal(1)
      expect(old.calls).to.be.empty
      expect(current.calls).to.have.length(1)
    })

    it('are claimed again if they are appended with other rules', async () => {
      const [one, other] = [await setting.shop(), await setting.shop()]
      const [first, second] = [await setting.rule(one.url), await setting.rule(other.url)]
      await startWorker()
      const [transaction] = await setting.capture([second!], {
        ahead: (captured) => ahead(captured.map((data) => ({ ...data, rules: [first!] }))),
      })
      await setting.untilStatus(transaction!, 'success')
      expect(one.calls).to.be.empty
      expect(other.calls).to.have.length(1)
    })

    it('wait for the read models if a rule is limited', async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url, { max_per_minute: 600 })
      await startWorker()
      const [transaction] = await setting.capture([rule], { ahead })
      await setting.untilStatus(transaction!, 'success')
      expect(shop.calls).to.have.length(1)
    })

    it('are made once if the response to the claim was lost', async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url)
      const { queue, wasLost } = queueThatLosesAnAnswer()
      await startWorker({ queue })
      const [transaction] = await setting.capture([rule], { ahead })
      await setting.untilStatus(transaction!, 'success')
      expect(wasLost()).to.equal(true)
      expect(shop.calls).to.have.length(1)
    })
  })
})
