/**
 * Tests a broker that checks ACLs. The table in docs/kafka.md is complete: the processes work with these ACLs alone, and each one that is
 * missing is named.
 */
import { expect } from 'chai'
import { openKafkaLog } from '../../../adapters/log/kafka.ts'
import { skipToEnd } from '../../../adapters/log/kafka/skip-to-end.ts'
import { checkTopic } from '../../../cmd/process/open-topic.ts'
import { GROUP } from '../../../workflows/deliver/deliver.ts'
import { eventually } from '../../harness/eventually.ts'
import { aclsOn, describeAcl, REQUIRED_ACLS, type RequiredAcl } from '../../harness/kafka/acls.ts'
import { PASSWORD, type Broker } from '../../harness/kafka/broker.ts'
import { needsKafka, sharedKafka } from '../../harness/kafka/needs-kafka.ts'
import { openKafkaSetting, type KafkaSetting } from './setting.ts'
import { errorOf, succeeds } from '../../harness/outcomes.ts'

describe('a Kafka broker with ACLs', () => {
  needsKafka()

  let broker: Broker
  let setting: KafkaSetting
  beforeEach(async () => {
    broker = await sharedKafka()
    setting = await openKafkaSetting(broker.address)
  })
  afterEach(async () => {
    await revoke(REQUIRED_ACLS)
    await setting?.close()
  })

  const acls = () => aclsOn(broker.address, setting.kafka.topic)
  const grant = (rows: readonly RequiredAcl[]) => acls().grant(rows)
  const revoke = (rows: readonly RequiredAcl[]) => acls().revoke(rows)
  const rowsOf = (role: RequiredAcl['role']) => REQUIRED_ACLS.filter((row) => row.role === role)
  const sentence = (row: RequiredAcl) => describeAcl(row, setting.kafka.topic)

  /** How a process with this role connects. */
  const as = (role: RequiredAcl['role']) => ({
    ...setting.kafka,
    brokers: [broker.limitedAddress],
    sasl: { mechanism: 'plain', username: `${role}-user`, password: PASSWORD },
  })
  /** Does the same as `baoco relay`: it checks the topic, then it relays. */
  const startRelay = (reasons: string[] = []) => {
    const stop = new AbortController()
    const running = (async () => {
      while (!stop.signal.aborted) {
        const fault = await errorOf(checkTopic(as('relay')))
        if (fault === null) return setting.relay(as('relay'), reasons)
        reasons.push(fault.message)
      }
    })()
    return { reasons, stop: async () => (stop.abort(), (await running)?.stop()) }
  }
  const startConsumer = () => {
    const reasons: string[] = []
    const read: number[] = []
    const stop = new AbortController()
    const log = openKafkaLog({
      ...as('deliver'),
      isAfter: (a, b) => setting.store.isAfter(a, b),
      sessionTimeout: 6_000,
      onFailure: (error) => reasons.push(String(error)),
    })
    const running = log.consume(
      GROUP,
      async (entries) => void read.push(...entries.map((entry) => entry.transaction_id)),
      stop.signal,
    )
    return { read, reasons, log, stop: async () => (stop.abort(), running) }
  }
  const says = (reasons: string[], row: RequiredAcl) =>
    eventually(() => reasons.some((reason) => reason.includes(sentence(row))), { what: sentence(row) })

  it('lets the relay and delivery work with exactly the ACLs of the table', async () => {
    await grant(REQUIRED_ACLS)
    const [relay, consumer] = [startRelay(), startConsumer()]
    const sent = await setting.capture([], { user: 5, count: 3 })
    await eventually(() => consumer.read.length === 3)
    expect(consumer.read).to.deep.equal(sent)
    await consumer.log.check()
    expect(relay.reasons).to.deep.equal([])
    await consumer.stop()
    await skipToEnd(as('deliver'), GROUP)
    // The next relay finds messages on the topic.
    await relay.stop()
    await checkTopic(as('relay'))
  })

  for (const row of rowsOf('relay'))
    it(`names the ACL that the relay lacks: ${row.operation} on the ${row.resource}, and continues when it is added`, async () => {
      await grant(rowsOf('relay'))
      // The topic has messages, unless the relay is to create it.
      if (row.operation !== 'Create') {
        const before = setting.relay()
        await setting.capture([])
        await eventually(async () => (await setting.query('SELECT 1 FROM ops.relay_checkpoint')).length === 1)
        await before.stop()
      }
      await revoke([row])
      const relay = startRelay()
      await says(relay.reasons, row)
      await grant([row])
      const [sent] = await setting.capture([], { user: 6 })
      const reader = await eventually(() => setting.reader())
      await eventually(() => reader.capturedFor(6).includes(sent!))
      await relay.stop()
    })

  for (const row of rowsOf('deliver'))
    it(`names the ACL that delivery lacks: ${row.operation} on the ${row.resource}, and continues when it is added`, async () => {
      await grant(REQUIRED_ACLS)
      await revoke([row])
      setting.relay()
      const [first] = await setting.capture([])
      const consumer = startConsumer()
      await says(consumer.reasons, row)
      const refused = await errorOf(consumer.log.check())
      expect(refused?.message).to.contain(sentence(row))
      // `baoco import-events` moves the offsets of the group.
      const moved = () => errorOf(skipToEnd(as('deliver'), GROUP))
      // A topic that was just created has no leader yet.
      await eventually(async () => (await moved())?.message === sentence(row))
      await grant([row])
      await eventually(() => consumer.read.includes(first!))
      // The same while it works.
      await revoke([row])
      const [second] = await setting.capture([])
      await eventually(async () => (await errorOf(consumer.log.check()))?.message.includes(sentence(row)) ?? false)
      await grant([row])
      await eventually(() => consumer.read.includes(second!))
      await eventually(() => succeeds(consumer.log.check()))
      await consumer.stop()
    })

  it('lets two relays wait while an ACL is removed, and both work again afterwards', async () => {
    await grant(REQUIRED_ACLS)
    const reasons: string[] = []
    const [one, other] = [startRelay(reasons), startRelay(reasons)]
    const sent = await setting.capture([], { user: 7 })
    const reader = await eventually(() => setting.reader())
    await eventually(() => reader.capturedFor(7).length === 1)
    const write = rowsOf('relay').find(({ operation }) => operation === 'Write')!
    await revoke([write])
    sent.push(...(await setting.capture([], { user: 7 })))
    await says(reasons, write)
    await grant([write])
    await eventually(() => reader.capturedFor(7).includes(sent[1]!))
    await one.stop()
    sent.push(...(await setting.capture([], { user: 7 })))
    await eventually(() => reader.capturedFor(7).includes(sent[2]!))
    await other.stop()
  })
})
