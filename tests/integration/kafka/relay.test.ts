import { randomUUID } from 'node:crypto'
import kafkajs from 'kafkajs'
import { expect } from 'chai'
import { checkTopic } from '../../../cmd/process/open-topic.ts'
import type { LogEntry } from '../../../domain/ports.ts'
import { PERSONAL_FIELDS } from '../../../domain/transaction/public-view.ts'
import { eventually } from '../../harness/eventually.ts'
import { needsKafka, sharedKafka } from '../../harness/kafka/needs-kafka.ts'
import { repetitions } from '../../harness/repetitions.ts'
import { faultsOf } from '../../harness/kafka/topic-format.ts'
import { openKafkaSetting, type KafkaSetting } from './setting.ts'
import { errorOf } from '../../harness/outcomes.ts'

const KILLS = repetitions(6, 2)

/** Removes repeats and keeps the first occurrence of each item. */
const firsts = <Item>(items: readonly Item[]): Item[] => [...new Set(items)]

describe('the relay', () => {
  needsKafka()

  let setting: KafkaSetting
  beforeEach(async () => {
    setting = await openKafkaSetting((await sharedKafka()).address)
  })
  afterEach(() => setting?.close())

  const topicIsThere = () =>
    eventually(() => setting.admin((admin) => admin.listTopics()).then((all) => all.includes(setting.kafka.topic)))

  it('creates a missing topic with 12 partitions and two weeks of retention, without compaction', async () => {
    const { topic } = setting.kafka
    await setting.capture([])
    setting.relay()
    await topicIsThere()
    const { topics } = await setting.admin((admin) => admin.fetchTopicMetadata({ topics: [topic] }))
    expect(topics[0]!.partitions).to.have.length(12)
    const configNames = ['cleanup.policy', 'retention.ms', 'message.timestamp.type']
    const { resources } = await setting.admin((admin) =>
      admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames }],
      }),
    )
    const configs = Object.fromEntries(
      resources[0]!.configEntries.map(({ configName, configValue }) => [configName, configValue]),
    )
    expect(configs).to.include({
      'cleanup.policy': 'delete',
      'retention.ms': String(14 * 86_400_000),
      'message.timestamp.type': 'LogAppendTime',
    })
  })

  it('creates a topic that delivery can read, on brokers that compress in a way that the client cannot read', async () => {
    const { BROKER } = kafkajs.ConfigResourceTypes
    const brokerWith = (configEntries: { name: string; value: string }[]) =>
      setting.admin((admin) =>
        admin.alterConfigs({ validateOnly: false, resources: [{ type: BROKER, name: '1', configEntries }] }),
      )
    await brokerWith([{ name: 'compression.type', value: 'zstd' }])
    try {
      const [transaction] = await setting.capture([])
      setting.relay()
      await topicIsThere()
      const found: number[] = []
      const stop = new AbortController()
      const take = async (entries: readonly LogEntry[]) =>
        void found.push(...entries.map(({ transaction_id }) => transaction_id))
      const ended = setting.log().consume('delivery', take, stop.signal)
      await eventually(() => found.length > 0)
      stop.abort()
      await ended
      expect(found).to.deep.equal([transaction])
    } finally {
      await brokerWith([])
    }
  })

  it('starts on an existing topic whose messages the client cannot read, which delivery reports until it reads them', async () => {
    const { topic } = setting.kafka
    const create = { topic, numPartitions: 1, configEntries: [{ name: 'compression.type', value: 'zstd' }] }
    await setting.admin((admin) => admin.createTopics({ topics: [create] }))
    await setting.capture([])
    setting.relay()
    const high = async () => (await setting.admin((admin) => admin.fetchTopicOffsets(topic)))[0]!.high
    await eventually(async () => (await high()) === '1')
    await checkTopic(setting.kafka)
    const failures: unknown[] = []
    const log = setting.log((error) => failures.push(error))
    const stop = new AbortController()
    const ended = log.consume('delivery', async () => {}, stop.signal)
    const reasons: string[] = []
    const looking = setInterval(async () => {
      const reason = await log.check().then(String, ({ message }: Error) => message)
      if (failures.length > 0) reasons.push(reason)
    }, 1)
    await eventually(() => failures.length >= 4).finally(() => clearInterval(looking))
    stop.abort()
    await ended
    expect(firsts(reasons)).to.have.length(1)
    expect(reasons[0]).to.match(
      /: ZSTD compression not implemented: set compression\.type of the topic test\.\S+ to producer/,
    )
  })

  it('sends each event as a CloudEvent in binary mode, without personal data', async () => {
    const [transaction] = await setting.capture([41], { user: 77 })
    const [captured] = await setting.events(transaction!)
    const recorded = captured as unknown as { id: string; checkpoint: string; metadata: { at: string } }
    setting.relay()
    await topicIsThere()
    const reader = await setting.reader()
    await eventually(() => reader.messages.length === 1)
    const { key, headers, value } = reader.messages[0]!
    expect(key).to.equal('77')
    expect(headers).to.deep.equal({
      ce_specversion: '1.0',
      ce_id: recorded.id,
      ce_type: 'TransactionCaptured',
      ce_source: 'https://pay.example.vn',
      ce_subject: `transaction-${transaction}`,
      ce_time: recorded.metadata.at,
      ce_revision: '0',
      ce_checkpoint: recorded.checkpoint,
      ce_installation: setting.kafka.installation,
      ce_correlationid: 'test',
      'content-type': 'application/json',
    })
    expect(value).to.include({ transaction_id: transaction, amount: '150000.00', order_id: `DH${transaction}` })
    expect(value).not.to.have.any.keys('raw_data', 'description', 'content', 'balance_after', 'counterpart_account')
    expect(JSON.stringify(value)).not.to.contain('text of')
    expect(value).not.to.have.any.keys(...PERSONAL_FIELDS)
    expect(faultsOf(headers, value)).to.deep.equal([])
  })

  it('adds names and account numbers on request', async () => {
    const [transaction] = await setting.capture([])
    const [captured] = (await setting.events(transaction!)) as unknown as { data: Record<string, unknown> }[]
    setting.relay({ personalData: true })
    await topicIsThere()
    const reader = await setting.reader()
    await eventually(() => reader.messages.length === 1)
    const { headers, value } = reader.messages[0]!
    for (const name of PERSONAL_FIELDS) expect(value[name]).to.equal(captured!.data[name])
    expect(value).not.to.have.any.keys('raw_data', 'description', 'content', 'balance_after')
    expect(faultsOf(headers, value)).to.deep.equal([])
  })

  for (const policy of ['compact', 'compact,delete'])
    it(`refuses a topic whose cleanup.policy is ${policy}, and publishes nothing`, async () => {
      const { topic } = setting.kafka
      const create = { topic, configEntries: [{ name: 'cleanup.policy', value: policy }] }
      await setting.admin((admin) => admin.createTopics({ topics: [create] }))
      const fault = await errorOf(checkTopic(setting.kafka))
      expect(fault?.message).to.equal(
        `the topic ${topic} is compacted, which would remove events: set its cleanup.policy to delete (it is ${policy}), or name another topic in KAFKA_TOPIC`,
      )
      // The same if it becomes compacted while processes run.
      const reasons: string[] = []
      setting.relay({}, reasons)
      await setting.capture([])
      await eventually(() => reasons.some((reason) => reason.includes('is compacted')))
      expect(await setting.query('SELECT 1 FROM ops.relay_checkpoint')).to.deep.equal([])
    })

  it('keeps the order of the events of each user, which are all in one partition', async () => {
    setting.relay()
    const users = [501, 502, 503, 504, 505, 506]
    const sent = new Map(users.map((user) => [user, [] as number[]]))
    for (let round = 0; round < 4; round++)
      for (const user of users) sent.get(user)!.push(...(await setting.capture([], { user, count: 3 })))
    await topicIsThere()
    const reader = await setting.reader()
    await eventually(() => reader.messages.length === users.length * 12)
    for (const user of users) {
      expect(reader.capturedFor(user)).to.deep.equal(sent.get(user))
      const partitions = reader.messages.filter(({ key }) => key === String(user)).map(({ partition }) => partition)
      expect(firsts(partitions)).to.have.length(1)
    }
  })

  it('sends more than a broker accepts in one request without waiting', async () => {
    const [transaction] = await setting.capture([], { user: 550 })
    const url = `https://shop.vn/${'x'.repeat(9_000)}`
    const attempt = (number: number) => ({
      id: randomUUID(),
      type: 'WebhookAttempted',
      data: { transaction_id: transaction, attempt: number, url },
      metadata: { user_id: 550, at: new Date().toISOString(), correlation_id: 'c', causation_id: 'c', version: 1 },
    })
    const events = Array.from({ length: 300 }, (_, number) => attempt(number))
    const [result] = await setting.store.append([
      [{ stream: `transaction-${transaction}`, expectedRevision: 0, events }],
    ])
    expect(result).to.include({ ok: true })
    const relay = setting.relay()
    await topicIsThere()
    const reader = await setting.reader()
    await eventually(() => reader.messages.length === 301)
    expect(reader.messages.slice(1).map(({ value }) => value.attempt)).to.deep.equal(events.map((_, n) => n))
    expect(relay.logged).not.to.include('relay.waits')
  })

  it('sends everything, in order, to a topic that accepts less in one request', async () => {
    const { topic } = setting.kafka
    const most = (bytes: number) => [{ name: 'max.message.bytes', value: String(bytes) }]
    const configEntries = most(30_000)
    await setting.admin((admin) =>
      admin.createTopics({ topics: [{ topic, numPartitions: 1, replicationFactor: 1, configEntries }] }),
    )
    const ids = await setting.capture([], { user: 551, count: 60 })
    const reasons: string[] = []
    setting.relay({}, reasons)
    const reader = await setting.reader()
    await eventually(() => firsts(reader.capturedFor(551)).length === ids.length)
    expect(firsts(reader.capturedFor(551))).to.deep.equal(ids)
    expect(reasons.join(), 'it knows the limit').not.to.include('larger than the max message size')
    await setting.admin((admin) =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: 2, name: topic, configEntries: most(5_000) }],
      }),
    )
    ids.push(...(await setting.capture([], { user: 551, count: 60 })))
    await eventually(() => firsts(reader.capturedFor(551)).length === ids.length)
    expect(firsts(reader.capturedFor(551))).to.deep.equal(ids)
    expect(reasons.join(), 'the limit was lowered').to.include('larger than the max message size')
  })

  it('sends everything at least once, in order, while the active relay is killed repeatedly', async () => {
    const lasts = 2_000
    const relays = [await setting.relayProcess(lasts), await setting.relayProcess(lasts)]
    const active = () => relays.find((relay) => relay.logged.includes('relay.started'))
    const sent: number[] = []
    for (let kills = 0; kills < KILLS; kills++) {
      const killed = await eventually(async () => {
        sent.push(...(await setting.capture([], { user: 600, count: 5 })))
        return active()
      })
      await topicIsThere()
      // The kill happens under load, at any moment.
      const goal = sent.length + 40 + 30 * kills
      while (sent.length < goal) sent.push(...(await setting.capture([], { user: 600, count: 5 })))
      await killed.kill()
      relays.splice(relays.indexOf(killed), 1, await setting.relayProcess(lasts))
    }
    const reader = await setting.reader()
    await eventually(() => firsts(reader.capturedFor(600)).length === sent.length, { within: 120_000 })
    expect(firsts(reader.capturedFor(600))).to.deep.equal(sent)
    // A repeat is the same event, recognisable by its id.
    expect(firsts(reader.messages.map(({ headers }) => headers.ce_id))).to.have.length(sent.length)
  })

  it('is replaced within 15 s if it freezes, and does no harm when it wakes', async () => {
    const frozen = await setting.relayProcess()
    await eventually(() => frozen.logged.includes('relay.started'))
    const standby = await setting.relayProcess()
    const sent = await setting.capture([], { user: 700, count: 5 })
    await topicIsThere()
    const reader = await setting.reader()
    await eventually(() => reader.capturedFor(700).length === 5)
    // It freezes in the middle of its work.
    const load = async (count: number) => {
      for (let round = 0; round < count; round++) sent.push(...(await setting.capture([], { user: 700, count: 5 })))
    }
    const loading = load(40)
    await eventually(() => reader.capturedFor(700).length > 20)
    frozen.process.kill('SIGSTOP')
    const frozenAt = performance.now()
    await loading
    await load(1)
    const last = sent.at(-1)!
    await eventually(() => reader.capturedFor(700).includes(last), { within: 15_000 })
    expect(performance.now() - frozenAt).to.be.below(15_000)
    expect(standby.logged).to.include('relay.started')
    const placed = async () =>
      Number(
        (await setting.query<{ checkpoint: string }>('SELECT checkpoint FROM ops.relay_checkpoint'))[0]!.checkpoint,
      )
    const index = await eventually(placed)

    frozen.process.kill('SIGCONT')
    await load(10)
    await eventually(() => firsts(reader.capturedFor(700)).length === sent.length, { within: 60_000 })
    expect(firsts(reader.capturedFor(700))).to.deep.equal(sent)
    // Only the messages in its hands when it froze may be there twice, including those that its successor repeats.
    const inHand = 40 * 5
    expect(reader.capturedFor(700).length - sent.length).to.be.at.most(inHand)
    expect(await placed()).to.be.above(index)
    const [lease] = await setting.query<{ holder: string }>('SELECT holder FROM ops.lease')
    await standby.kill()
    // The woken relay is now a standby.
    const more = await setting.capture([], { user: 700, count: 1 })
    await eventually(() => reader.capturedFor(700).includes(more[0]!), { within: 15_000 })
    expect((await setting.query<{ holder: string }>('SELECT holder FROM ops.lease'))[0]).not.to.deep.equal(lease)
  })

  it('stops if another relay has moved the checkpoint', async () => {
    const relay = setting.relay()
    await setting.capture([])
    const rows = () => setting.query('SELECT 1 FROM ops.relay_checkpoint')
    await eventually(async () => (await rows()).length === 1)
    await setting.query("UPDATE ops.relay_checkpoint SET checkpoint = '0'")
    await setting.capture([])
    await eventually(() => relay.logged.includes('relay.overtaken'))
  })

  it('starts from the first event if the store was replaced, and logs that', async () => {
    const first = setting.relay()
    await setting.capture([], { user: 800, count: 3 })
    await eventually(async () => (await setting.query('SELECT 1 FROM ops.relay_checkpoint')).length === 1)
    const reader = await setting.reader()
    await eventually(() => reader.capturedFor(800).length === 3)
    await first.stop()
    await setting.query("UPDATE ops.relay_checkpoint SET event_id = '00000000-0000-4000-8000-000000000000'")
    const again = setting.relay()
    await eventually(() => reader.capturedFor(800).length === 6)
    expect(again.logged).to.include('relay.from_the_first_event')
  })
})
