/** Tests `baoco relay --from`, as the operator types it, while a relay runs. */
import { expect } from 'chai'
import { systemClock } from '../../../adapters/system/clock.ts'
import { foundInstallation } from '../../../workflows/installation.ts'
import { commandAsProcess, commandInProcess } from '../../harness/command-in-process.ts'
import { eventually } from '../../harness/eventually.ts'
import { needsKafka, sharedKafka } from '../../harness/kafka/needs-kafka.ts'
import { runInProcess } from '../../harness/run-in-process.ts'
import { openKafkaSetting, type KafkaSetting } from './setting.ts'
import type { TopicReader } from './topic-reader.ts'

const USER = 5

describe('baoco relay --from', () => {
  needsKafka()

  let setting: KafkaSetting
  let reader: TopicReader
  /** Transactions of yesterday and of today, all published by a relay that still runs. */
  let old: number[]
  let fresh: number[]

  const again = async (...args: string[]) => run(commandInProcess, args)
  const run = async (command: typeof commandInProcess, args: readonly string[]) => {
    const { brokers, topic } = setting.kafka
    const env = {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: setting.url,
      JWT_SECRET: 'j'.repeat(32),
      VAULT_KEY: 'ab'.repeat(32),
      KAFKA_BROKERS: brokers.join(),
      KAFKA_TOPIC: topic,
    }
    const { status, stdout, stderr } = await command(['relay', ...args], env)
    // On a slow machine it prints how far it is.
    return { status, stdout, stderr: stderr.replaceAll(/^\d+ events published\n/gm, '') }
  }
  const checkpoint = () => setting.query('SELECT checkpoint, event_id FROM ops.relay_checkpoint')
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()

  beforeEach(async () => {
    setting = await openKafkaSetting((await sharedKafka()).address)
    setting.kafka.installation = await foundInstallation(setting.store, systemClock)
    setting.relay()
    old = await setting.capture([], { user: USER, count: 3, age: 100_000 })
    fresh = await setting.capture([], { user: USER, count: 3 })
    reader = await eventually(() => setting.reader())
    await eventually(() => reader.capturedFor(USER).length === 6)
    await eventually(async () => (await checkpoint()).length === 1)
  })
  afterEach(() => setting?.close())

  it('publishes the events since a time again, beside the relay, whose checkpoint stays', async () => {
    const before = await checkpoint()
    const { status, stdout, stderr } = await run(commandAsProcess, ['--from', ago(1_000)])
    expect(status, stderr).to.equal(0)
    expect(stdout).to.match(/^3 events since \S+ published again\n$/)
    await eventually(() => reader.capturedFor(USER).length === 9)
    expect(reader.capturedFor(USER)).to.deep.equal([...old, ...fresh, ...fresh])
    expect(await checkpoint()).to.deep.equal(before)
    // Repeats have the ids and revisions of the first messages.
    const nameOf = ({ headers }: { headers: Record<string, string> }) => `${headers.ce_id} ${headers.ce_revision}`
    const names = reader.messages.map(nameOf)
    expect(names.slice(6)).to.deep.equal(names.slice(3, 6))
    // The relay is not disturbed.
    const [later] = await setting.capture([], { user: USER })
    await eventually(() => reader.capturedFor(USER).at(-1) === later)
    expect(reader.messages).to.have.length(10)
  })

  it('makes the running relay publish them in order with --rewind', async () => {
    const { status, stdout, stderr } = await again('--from', ago(1_000), '--rewind')
    expect(status, stderr).to.equal(0)
    expect(stdout).to.match(/^the relay publishes the events since \S+ again\n$/)
    await eventually(() => reader.capturedFor(USER).length === 9)
    const [later] = await setting.capture([], { user: USER })
    await eventually(() => reader.capturedFor(USER).at(-1) === later)
    expect(reader.capturedFor(USER)).to.deep.equal([...old, ...fresh, ...fresh, later])
  })

  it('calls no webhook again', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    await setting.kafkaWorker()
    const [first] = await setting.capture([rule], { user: USER })
    await setting.untilStatus(first!, 'success')
    await eventually(() => reader.capturedFor(USER).length === 7)
    for (const rewind of [[], ['--rewind']]) {
      const { length } = reader.capturedFor(USER)
      expect(await again('--from', ago(1_000), ...rewind)).to.include({ status: 0 })
      await eventually(() => reader.capturedFor(USER).length >= length + 4)
    }
    // The events of a user are handed over in order, so the repeats were handed over before this one.
    const [last] = await setting.capture([rule], { user: USER })
    await setting.untilStatus(last!, 'success')
    expect(shop.calls).to.have.length(2)
  })

  it('takes a day in Vietnam', async () => {
    const day = new Date(Date.now() + 7 * 3_600_000 - 3 * 86_400_000).toISOString().slice(0, 10)
    expect(await again('--from', day)).to.include({ status: 0, stderr: '' })
    await eventually(() => reader.capturedFor(USER).length === 12)
    await again('--from', day, '--rewind')
    await eventually(() => reader.capturedFor(USER).length === 18)
    expect(reader.capturedFor(USER).slice(12)).to.deep.equal([...old, ...fresh])
  })

  it('reports wrong usage, and a topic that no relay has filled', async () => {
    for (const [args, message] of [
      [['--from', 'yesterday'], /expected a day such as 2026-11-20/],
      [['--from', '2999-01-01'], /this time is in the future/],
      [['--rewind'], /'--rewind' needs '--from <time>'/],
    ] as const) {
      const { status, stderr } = args.length === 1 ? await again(...args) : await runInProcess('relay', ...args)
      expect(status).to.equal(2)
      expect(stderr).to.match(message)
    }
    setting.kafka.topic = `${setting.kafka.topic}.other`
    const { status, stderr } = await again('--from', ago(1_000))
    expect(status).to.equal(1)
    expect(stderr).to.equal(
      'baoco: the relay has not published events to this topic yet: it publishes all of them when it runs\n',
    )
  })
})
