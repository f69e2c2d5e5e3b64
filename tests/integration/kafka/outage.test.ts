import { expect } from 'chai'
import { eventually } from '../../harness/eventually.ts'
import { startKafka, type Broker } from '../../harness/kafka/broker.ts'
import { needsKafka } from '../../harness/kafka/needs-kafka.ts'
import { repetitions } from '../../harness/repetitions.ts'
import { openKafkaSetting, type KafkaSetting } from './setting.ts'

/** Age in seconds of a captured transaction whose first attempt the queue will soon make, which it does a minute after the capture. */
const SOON_DUE = 56
/** Seconds that the broker is away. `npm run reliability` takes it away for longer. */
const AWAY = repetitions(10, 4)

describe('a Kafka broker', () => {
  needsKafka()

  let broker: Broker
  let setting: KafkaSetting
  before(async () => {
    broker = await startKafka()
  })
  beforeEach(async () => {
    setting = await openKafkaSetting(broker.address)
  })
  afterEach(() => setting?.close())
  after(() => broker?.remove())

  const opened = async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    setting.relay()
    const worker = await setting.kafkaWorker()
    const capture = (count: number, age = 0) => setting.capture([rule], { count, age })
    const called = () => shop.calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id)
    return { shop, worker, capture, called }
  }

  const eachCalledOnce = async (called: () => number[], transactions: readonly number[]) => {
    await eventually(() => transactions.every((id) => called().includes(id)), { within: 60_000 })
    for (const transaction of transactions) await setting.untilStatus(transaction, 'success')
    expect(called()).to.have.members(transactions)
  }

  for (const [how, goAway, comeBack] of [
    ['stopped', () => broker.stop(), () => broker.start()],
    ['killed', () => broker.kill(), () => broker.start()],
    ['frozen', () => broker.freeze(), () => broker.thaw()],
  ] as const)
    it(`that is ${how} for ${AWAY} s delays messages until it is back, and each webhook call is made once`, async () => {
      const { capture, called } = await opened()
      const transactions = await capture(5)
      await eventually(() => called().length === 5, { within: 50_000 })
      await goAway()
      const downAt = performance.now()
      while (performance.now() - downAt < AWAY * 1_000) {
        transactions.push(...(await capture(2)))
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
      // The queue delivers what is due, with or without Kafka.
      const due = await capture(3, SOON_DUE)
      await eventually(() => due.every((id) => called().includes(id)))
      expect(called().filter((id) => transactions.includes(id))).to.have.length(5)
      await comeBack()
      await eachCalledOnce(called, [...transactions, ...due])
      const reader = await setting.reader()
      const all = [...transactions, ...due].sort((a, b) => a - b)
      await eventually(() => new Set(reader.capturedFor(5)).size === all.length)
      expect([...new Set(reader.capturedFor(5))]).to.deep.equal(all)
    })

  it('may be down when Baoco starts', async () => {
    await broker.stop()
    const { capture, called } = await opened()
    const transactions = await capture(5)
    await broker.start()
    await eachCalledOnce(called, transactions)
  })

  for (const [how, goAway, comeBack] of [
    ['away', () => broker.stop(), () => broker.start()],
    ['frozen', () => broker.freeze(), () => broker.thaw()],
  ] as const)
    it(`does not prevent a relay or a worker from stopping while it is ${how}`, async () => {
      const relay = setting.relay()
      const worker = await setting.kafkaWorker()
      await setting.capture([], { count: 5 })
      await eventually(async () => (await setting.query('SELECT 1 FROM ops.relay_checkpoint')).length === 1)
      await goAway()
      await setting.capture([], { count: 5 })
      if (how === 'away') await eventually(() => relay.logged.includes('relay.waits'))
      const began = performance.now()
      await Promise.all([relay.stop(), worker.stop()])
      expect(performance.now() - began).to.be.below(5_000)
      await comeBack()
    })
})
