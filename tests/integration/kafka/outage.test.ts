/**
 * Each time that the broker goes away, several installations notice: one keeps working, one stops, one starts. The tests of an outage are
 * its steps, so they run together.
 */
import { expect } from 'chai'
import { eventually } from '../../harness/eventually.ts'
import type { Broker } from '../../harness/kafka/broker.ts'
import { needsKafka, sharedKafka } from '../../harness/kafka/needs-kafka.ts'
import { repetitions } from '../../harness/repetitions.ts'
import { openKafkaSetting, type KafkaSetting } from './setting.ts'

/** Age in seconds of a captured transaction whose first attempt the queue will soon make, which it does a minute after the capture. */
const SOON_DUE = 56
/** Seconds that the broker is away. `npm run reliability` takes it away for longer. */
const AWAY = repetitions(10, 4)

describe('a Kafka broker', () => {
  needsKafka()

  let broker: Broker
  before(async () => {
    broker = await sharedKafka()
  })

  const opened = async (setting: KafkaSetting) => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    setting.relay()
    await setting.kafkaWorker()
    const capture = (count: number, age = 0) => setting.capture([rule], { count, age })
    const called = () => shop.calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id)
    return { setting, capture, called }
  }
  type Opened = Awaited<ReturnType<typeof opened>>

  const eachCalledOnce = async ({ setting, called }: Opened, transactions: readonly number[]) => {
    await eventually(() => transactions.every((id) => called().includes(id)), { within: 60_000 })
    for (const transaction of transactions) await setting.untilStatus(transaction, 'success')
    expect(called()).to.have.members(transactions)
  }

  for (const [how, goAway, comeBack] of [
    ['stopped', () => broker.stop(), () => broker.start()],
    ['killed', () => broker.kill(), () => broker.start()],
    ['frozen', () => broker.freeze(), () => broker.thaw()],
  ] as const)
    describe(`that is ${how}`, () => {
      const settings: KafkaSetting[] = []
      const newSetting = async () => {
        const setting = await openKafkaSetting(broker.address)
        settings.push(setting)
        return setting
      }
      let works: Opened
      let starts: Opened | undefined
      let transactions: number[]
      let stopping: { relay: ReturnType<KafkaSetting['relay']>; stop: () => Promise<unknown> } | undefined
      let sinceStart: number[] = []
      let isAway = false
      let downAt: number

      before(async () => {
        works = await opened(await newSetting())
        transactions = await works.capture(5)
        if (how !== 'killed') {
          const setting = await newSetting()
          const relay = setting.relay()
          const worker = await setting.kafkaWorker()
          await setting.capture([], { count: 5 })
          await eventually(async () => (await setting.query('SELECT 1 FROM ops.relay_checkpoint')).length === 1)
          stopping = { relay, stop: () => Promise.all([relay.stop(), worker.stop()]) }
        }
        await eventually(() => works.called().length === 5, { within: 50_000 })
        await goAway()
        isAway = true
        downAt = performance.now()
        await settings[1]?.capture([], { count: 5 })
      })
      after(async () => {
        // Other suites use the same broker.
        if (isAway) await comeBack()
        await Promise.all(settings.map((setting) => setting.close()))
      })

      if (how !== 'killed')
        it('does not prevent a relay or a worker from stopping', async () => {
          if (how === 'stopped') await eventually(() => stopping!.relay.logged.includes('relay.waits'))
          const began = performance.now()
          await stopping!.stop()
          expect(performance.now() - began).to.be.below(5_000)
        })

      if (how === 'stopped')
        it('may be down when Baoco starts', async () => {
          starts = await opened(await newSetting())
          sinceStart = await starts.capture(5)
        })

      it(`for ${AWAY} s delays messages until it is back, and each webhook call is made once`, async () => {
        // On a busy machine, the steps before this one may have taken as long.
        do {
          transactions.push(...(await works.capture(2)))
          await new Promise((resolve) => setTimeout(resolve, 500))
        } while (performance.now() - downAt < AWAY * 1_000)
        // The queue delivers what is due, with or without Kafka.
        const due = await works.capture(3, SOON_DUE)
        await eventually(() => due.every((id) => works.called().includes(id)))
        expect(works.called().filter((id) => transactions.includes(id))).to.have.length(5)
        await comeBack()
        isAway = false
        await eachCalledOnce(works, [...transactions, ...due])
        const reader = await works.setting.reader()
        const all = [...transactions, ...due].sort((a, b) => a - b)
        await eventually(() => new Set(reader.capturedFor(5)).size === all.length)
        expect([...new Set(reader.capturedFor(5))]).to.deep.equal(all)
      })

      if (how === 'stopped')
        it('is used when it is back, although it was down when Baoco started', () =>
          eachCalledOnce(starts!, sinceStart))
    })
})
