import { expect } from 'chai'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import type { ReadModels } from '../../../domain/ports.ts'
import type { DeliveryQueue } from '../../../workflows/deliver/queue.ts'
import { eventually } from '../../harness/eventually.ts'
import { openDeliverySetting, type DeliverySetting, type WorkerOptions } from './setting.ts'

describe('first attempts during a search for a claim whose response was lost', () => {
  let setting: DeliverySetting
  let shop: Awaited<ReturnType<DeliverySetting['shop']>>
  let rule: number
  beforeEach(async () => {
    setting = await openDeliverySetting()
    shop = await setting.shop()
    rule = await setting.rule(shop.url)
  })
  afterEach(() => setting.close())

  const claims = () => setting.query<{ transaction_id: number }>('SELECT transaction_id FROM ops.claim')
  const caughtUp = async (): Promise<void> => {
    expect(await setting.projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
  }

  /** Another claim fails when `lose` is called. The worker then looks for claims of its own that it does not know. */
  const losingQueue = (parts: Partial<DeliveryQueue> = {}) => {
    const queue = openDeliveryQueue(setting.database, setting.byKey, { schedule: [0.05, 0.1] })
    let [toLose, looked] = [false, 0]
    const losing: DeliveryQueue = {
      ...queue,
      claimDue: (...wanted) => {
        if (!toLose) return queue.claimDue(...wanted)
        toLose = false
        return Promise.reject(new Error('the connection was lost'))
      },
      takeOver: async (...wanted) => {
        const answer = await queue.takeOver(...wanted)
        looked++
        return answer
      },
      ...parts,
    }
    return {
      queue: losing,
      lose: () => void (toLose = true),
      hasLooked: () => eventually(() => looked > 0, { what: 'a search for lost claims' }),
    }
  }

  /** First attempts then wait for their rows, and are claimed afterwards. */
  const leavesAll: Pick<DeliveryQueue, 'claimNew'> = {
    claimNew: (_worker, deliveries) =>
      Promise.resolve({ claimed: [], left: deliveries.map(({ transaction_id }) => transaction_id), passed: null }),
  }

  const openGate = () => {
    let open = (): void => {}
    const opened = new Promise<void>((resolve) => (open = resolve))
    return { opened, open }
  }

  /**
   * Delivers a transaction, and another one afterwards, so that everything that was begun before is over.
   * @param whenClaimed  runs when the first one is claimed and in the read models
   */
  const deliverTwo = async (options: WorkerOptions, whenClaimed: () => void | Promise<void>): Promise<void> => {
    const worker = await setting.worker(options)
    await worker.started
    const [transaction] = await setting.capture([rule])
    await caughtUp()
    await eventually(async () => (await claims()).length === 1)
    await whenClaimed()
    await setting.untilStatus(transaction!, 'success')
    const [next] = await setting.capture([rule])
    await setting.untilStatus(next!, 'success')
  }

  it('are made once if they wait for their rows', async () => {
    const { queue, lose, hasLooked } = losingQueue()
    const { opened, open } = openGate()
    const before = (await setting.store.end())!
    const passed: ReadModels['passed'] = async (checkpoint, within) => {
      // The rule is older.
      if (setting.store.isAfter(checkpoint, before)) await opened
      return setting.projector.passed(checkpoint, within)
    }
    await deliverTwo({ queue, readModels: { passed } }, async () => {
      lose()
      await hasLooked()
      open()
    })
    expect(shop.calls).to.have.length(2)
  })

  it('are made once if the response to their own claim comes later', async () => {
    const { opened, open } = openGate()
    const plain = openDeliveryQueue(setting.database, setting.byKey)
    const { queue, lose, hasLooked } = losingQueue({
      ...leavesAll,
      claimFirst: async (...wanted) => {
        const answer = await plain.claimFirst(...wanted)
        await opened
        return answer
      },
    })
    await deliverTwo({ queue }, async () => {
      lose()
      await hasLooked()
      open()
    })
    expect(shop.calls).to.have.length(2)
  })

  it('are made if the response to their own claim is lost meanwhile', async () => {
    const { opened, open } = openGate()
    const plain = openDeliveryQueue(setting.database, setting.byKey)
    let isFirst = true
    const { queue, lose } = losingQueue({
      ...leavesAll,
      claimFirst: async (...wanted) => {
        const answer = await plain.claimFirst(...wanted)
        if (!isFirst) return answer
        isFirst = false
        await opened
        throw new Error('the connection was lost')
      },
      takeOver: async (...wanted) => {
        const answer = await plain.takeOver(...wanted)
        open()
        // The failure is noticed before this answer.
        await new Promise((resolve) => setImmediate(resolve))
        return answer
      },
    })
    await deliverTwo({ queue }, lose)
    expect(shop.calls).to.have.length(2)
  })

  describe('that finds nothing at first', () => {
    /** @returns the function that commits the transaction in which the statement was run */
    const meanwhile = async (statement: string) => {
      const client = await setting.database.connect()
      await client.query('BEGIN')
      await client.query(statement)
      return async () => {
        await client.query('COMMIT')
        await client.end()
      }
    }

    /** @param claimNew  makes the claim, whose response is lost. It returns what lets a later search find the claim */
    const isMade = async (
      claimNew: (...wanted: Parameters<DeliveryQueue['claimNew']>) => Promise<() => Promise<void>>,
    ) => {
      let reveal = (): Promise<void> => Promise.resolve()
      const { queue, hasLooked } = losingQueue({
        claimNew: async (...wanted) => {
          reveal = await claimNew(...wanted)
          throw new Error('the connection was lost')
        },
        claimFirst: () => Promise.resolve({ claimed: [], isGated: false }),
      })
      const worker = await setting.worker({ queue })
      await worker.started
      const [transaction] = await setting.capture([rule])
      await hasLooked()
      await reveal()
      await setting.untilStatus(transaction!, 'success')
      expect(shop.calls).to.have.length(1)
    }

    it('are made if another statement had locked the claim', () =>
      isMade(async (...wanted) => {
        await openDeliveryQueue(setting.database, setting.byKey).claimNew(...wanted)
        return meanwhile('SELECT FROM ops.claim FOR UPDATE')
      }))

    it('are made if the server commits the claim only afterwards', () =>
      isMade((worker, [wanted]) =>
        meanwhile(`INSERT INTO ops.claim (transaction_id, rule_id, attempt, worker)
          VALUES (${wanted!.transaction_id}, ${wanted!.rule_id}, 1, '${worker}')`),
      ))
  })
})
