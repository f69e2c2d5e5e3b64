import { expect } from 'chai'
import { eventually } from '../../harness/eventually.ts'
import { kafkaClient } from '../../harness/kafka/broker.ts'
import { needsKafka, sharedKafka } from '../../harness/kafka/needs-kafka.ts'
import { hang } from '../../harness/shop.ts'
import { openKafkaSetting, type KafkaSetting } from './setting.ts'

/** Age in seconds of a captured transaction whose first attempt the queue will soon make, which it does a minute after the capture. */
const SOON_DUE = 56

describe('delivery from Kafka', function () {
  this.timeout(300_000)
  needsKafka()

  let setting: KafkaSetting
  beforeEach(async () => {
    setting = await openKafkaSetting((await sharedKafka()).address)
  })
  afterEach(() => setting?.close())

  const allSucceed = async (transactions: readonly number[], within = 30_000) => {
    for (const transaction of transactions) await setting.untilStatus(transaction, 'success', within)
  }

  it('makes first attempts from the topic, long before the queue would make them', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    setting.relay()
    await setting.kafkaWorker()
    const transactions = await setting.capture([rule], { count: 20 })
    await allSucceed(transactions)
    expect(shop.calls).to.have.length(20)
  })

  it('sends nothing old if Kafka is added to an installation with a history, although all its events go to the topic', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const embedded = await setting.worker()
    const old = await setting.capture([rule], { user: 5, count: 30 })
    await allSucceed(old)
    await embedded.stop()
    // A transaction that was captured but not delivered before the change is delivered after it, once.
    const waiting = await setting.capture([rule], { user: 5, count: 1 })
    setting.relay()
    await setting.kafkaWorker()
    const [fresh] = await setting.capture([rule], { user: 5 })
    await allSucceed([...waiting, fresh!])
    const reader = await setting.reader()
    const all = [...old, ...waiting, fresh]
    await eventually(() => all.every((id) => reader.capturedFor(5).includes(id!)))
    // The consumer has received the whole history when its group has committed to the end.
    const { topic } = setting.kafka
    await eventually(async () => {
      const ends = await setting.admin((admin) => admin.fetchTopicOffsets(topic))
      const [group] = await setting.admin((admin) =>
        admin.fetchOffsets({ groupId: `${topic}.delivery`, topics: [topic] }),
      )
      const committed = new Map(group!.partitions.map(({ partition, offset }) => [partition, offset]))
      return ends.every(({ partition, high }) => high === '0' || committed.get(partition) === high)
    })
    expect(shop.calls).to.have.length(32)
  })

  it('is not blocked by an endpoint that hangs', async () => {
    const [hanging, fine] = [await setting.shop(hang), await setting.shop()]
    const rules = [await setting.rule(hanging.url, { user: 5 }), await setting.rule(fine.url, { user: 6 })]
    setting.relay()
    await setting.kafkaWorker()
    await setting.capture([rules[0]!], { user: 5, count: 100 })
    const sent = await setting.capture([rules[1]!], { user: 6, count: 50 })
    await eventually(() => fine.calls.length === 50)
    await allSucceed(sent)
    await eventually(() => hanging.calls.length > 0)
    expect(fine.calls).to.have.length(50)
  })

  it('is not blocked by foreign messages in the topic', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    setting.relay()
    await setting.kafkaWorker()
    await allSucceed(await setting.capture([rule], { user: 5 }))
    const producer = kafkaClient(setting.address).producer()
    await producer.connect()
    const { topic } = setting.kafka
    const ofAnotherStore = {
      ce_subject: 'transaction-1', ce_id: 'x', ce_type: 'TransactionCaptured', ce_revision: '0',
      ce_time: new Date(Date.now() + 3_600_000).toISOString(), ce_checkpoint: '9/9',
    } // prettier-ignore
    const strange = [
      { key: '5', value: '{}', headers: ofAnotherStore },
      { key: '5', value: 'not ours' },
      { key: null, value: null },
      { key: '5', value: '{}', headers: { ce_subject: 'transaction-1', ce_id: 'x', ce_revision: '-1' } },
    ]
    for (const message of strange)
      await producer.send({ topic, messages: [...Array(12).keys()].map((partition) => ({ ...message, partition })) })
    await producer.disconnect()
    await allSucceed(await setting.capture([rule], { user: 5, count: 5 }))
    expect(shop.calls).to.have.length(6)
  })

  it('loses nothing and sends nothing twice while consumers join and leave under load', async () => {
    const shop = await setting.shop()
    const users = [5, 6, 7, 8, 9]
    const rules = new Map<number, number>()
    for (const user of users) rules.set(user, await setting.rule(shop.url, { user }))
    setting.relay()
    // These timeouts are as long as in production, because the machine may be busy.
    const join = () => setting.kafkaWorker({ beatEvery: 2_000, cutOffAfter: 7_000 })
    const first = await join()
    const transactions: number[] = []
    const load = async (rounds: number) => {
      for (let round = 0; round < rounds; round++)
        for (const user of users) transactions.push(...(await setting.capture([rules.get(user)!], { user, count: 2 })))
    }
    await load(4)
    const second = await join()
    await load(6)
    const third = await join()
    // Consumers that join receive only messages sent after that.
    await eventually(
      async () => {
        await load(1)
        return third.reports.length + second.reports.length > 0
      },
      { within: 60_000, what: 'a consumer that joined is handed something' },
    )
    await first.stop()
    await load(6)
    await third.stop()
    await load(4)
    await allSucceed(transactions, 60_000)
    const calls = shop.calls.map(({ body, headers }) => ({
      transaction: (JSON.parse(body) as { transaction_id: number }).transaction_id,
      attempt: headers['x-webhook-attempt']!,
    }))
    expect([...new Set(calls.map(({ transaction }) => transaction))]).to.have.members(transactions)
    expect(new Set(calls.map(({ transaction, attempt }) => `${transaction} ${attempt}`))).to.have.lengthOf(calls.length)
  })

  it('continues from the queue if the topic is deleted, and from the topic once it exists again', async () => {
    const { topic } = setting.kafka
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    setting.relay()
    await setting.kafkaWorker()
    await allSucceed(await setting.capture([rule], { count: 3 }))
    await setting.admin((admin) => admin.deleteTopics({ topics: [topic] }))
    await allSucceed(await setting.capture([rule], { count: 10, age: SOON_DUE }))
    // The relay and the consumer detect the deletion, create the topic again and continue with it.
    const [later] = await setting.capture([rule])
    const reader = await eventually(() => setting.reader())
    await eventually(() => reader.capturedFor(5).includes(later!), { within: 90_000 })
    const { topics } = await setting.admin((admin) => admin.fetchTopicMetadata({ topics: [topic] }))
    expect(topics[0]!.partitions).to.have.length(12)
    await eventually(
      async () => {
        const [fresh] = await setting.capture([rule])
        return setting.untilStatus(fresh!, 'success', 10_000)
      },
      { within: 90_000 },
    )
  })

  it('makes first attempts from partitions that are added to the topic while it runs', async () => {
    const { topic } = setting.kafka
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const relay = setting.relay()
    await setting.kafkaWorker()
    await allSucceed(await setting.capture([rule]))
    // Of 36 partitions, the user's is one of the new ones. A relay that starts knows them at once.
    await setting.admin((admin) => admin.createPartitions({ topicPartitions: [{ topic, count: 36 }] }))
    await eventually(async () => {
      const { topics } = await setting.admin((admin) => admin.fetchTopicMetadata({ topics: [topic] }))
      return topics[0]!.partitions.length === 36
    })
    await relay.stop()
    setting.relay()
    const reader = await setting.reader()
    const [first] = await setting.capture([rule])
    const { partition } = await eventually(() => reader.messages.find(({ value }) => value.transaction_id === first))
    expect(partition).to.be.at.least(12)
    // Long before the queue would make it.
    await allSucceed([first!], 40_000)
  })

  it('continues if messages expire before any consumer has read them: from the queue, and then from the topic', async () => {
    const { topic } = setting.kafka
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    setting.relay()
    const worker = await setting.kafkaWorker()
    await allSucceed(await setting.capture([rule], { count: 3 }))
    await worker.stop()
    const unread = await setting.capture([rule], { count: 10, age: SOON_DUE })
    const reader = await setting.reader()
    await eventually(() => unread.every((id) => reader.capturedFor(5).includes(id)))
    await setting.admin(async (admin) => {
      const ends = await admin.fetchTopicOffsets(topic)
      const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }))
      await admin.deleteTopicRecords({ topic, partitions })
    })
    await setting.kafkaWorker()
    await allSucceed(await setting.capture([rule]), 20_000)
    await allSucceed(unread)
    expect(shop.calls).to.have.length(14)
  })
})
