import { expect } from 'chai'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import type { Checkpoint, ReadModels } from '../../../domain/ports.ts'
import type { DeliveryQueue } from '../../../workflows/deliver/queue.ts'
import { eventually } from '../../harness/eventually.ts'
import { openDeliverySetting, type DeliverySetting } from './setting.ts'

describe('first attempts during a search for a claim whose response was lost', () => {
  let setting: DeliverySetting
  beforeEach(async () => {
    setting = await openDeliverySetting()
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

  /** Everything that was begun before is over when this is delivered. */
  const barrier = async (rule: number): Promise<void> => {
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
  }

  it('are made once if they wait for their rows', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const { queue, lose, hasLooked } = losingQueue()
    let goOn = (): void => {}
    const gate = new Promise<void>((resolve) => (goOn = resolve))
    const before = (await setting.store.end())!
    const isTransaction = (checkpoint: Checkpoint) => setting.store.isAfter(checkpoint, before)
    const passed: ReadModels['passed'] = async (checkpoint, within) => {
      if (isTransaction(checkpoint)) await gate
      return setting.projector.passed(checkpoint, within)
    }
    const worker = await setting.worker({ queue, readModels: { passed } })
    await worker.started
    const [transaction] = await setting.capture([rule])
    await caughtUp()
    await eventually(async () => (await claims()).length === 1)
    lose()
    await hasLooked()
    goOn()
    await setting.untilStatus(transaction!, 'success')
    await barrier(rule)
    expect(shop.calls).to.have.length(2)
  })

  it('are made once if the response to their own claim comes later', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    let goOn = (): void => {}
    const gate = new Promise<void>((resolve) => (goOn = resolve))
    const plain = openDeliveryQueue(setting.database, setting.byKey)
    const { queue, lose, hasLooked } = losingQueue({
      claimNew: (_worker, deliveries) =>
        Promise.resolve({ claimed: [], left: deliveries.map(({ transaction_id }) => transaction_id), passed: null }),
      claimFirst: async (...wanted) => {
        const answer = await plain.claimFirst(...wanted)
        await gate
        return answer
      },
    })
    const worker = await setting.worker({ queue })
    await worker.started
    const [transaction] = await setting.capture([rule])
    await eventually(async () => (await claims()).length === 1)
    lose()
    await hasLooked()
    goOn()
    await setting.untilStatus(transaction!, 'success')
    await barrier(rule)
    expect(shop.calls).to.have.length(2)
  })

  it('are made if the response to their own claim is lost meanwhile', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const plain = openDeliveryQueue(setting.database, setting.byKey)
    let fail = (): void => {}
    const failed = new Promise<void>((resolve) => (fail = resolve))
    let isFirst = true
    const { queue, lose } = losingQueue({
      claimNew: (_worker, deliveries) =>
        Promise.resolve({ claimed: [], left: deliveries.map(({ transaction_id }) => transaction_id), passed: null }),
      claimFirst: async (...wanted) => {
        const answer = await plain.claimFirst(...wanted)
        if (!isFirst) return answer
        isFirst = false
        await failed
        throw new Error('the connection was lost')
      },
      takeOver: async (...wanted) => {
        const answer = await plain.takeOver(...wanted)
        fail()
        // The failure is noticed before this answer.
        await new Promise((resolve) => setImmediate(resolve))
        return answer
      },
    })
    const worker = await setting.worker({ queue })
    await worker.started
    const [transaction] = await setting.capture([rule])
    await eventually(async () => (await claims()).length === 1)
    lose()
    await setting.untilStatus(transaction!, 'success')
    await barrier(rule)
    expect(shop.calls).to.have.length(2)
  })
})
