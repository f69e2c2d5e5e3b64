/** Tests `baoco serve` with a Kafka broker, configured as by an operator. */
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { traceIn } from '../../../domain/trace.ts'
import { fromVietcombank, vietcombankText } from '../../harness/bank-texts.ts'
import {
  callApi,
  launchBaoco,
  readInstallation,
  removeDataFolder,
  startBaoco,
  type Installation,
  type Running,
} from '../../harness/baoco-process.ts'
import { newFolderWithCluster } from '../../harness/copied-cluster.ts'
import { eventually } from '../../harness/eventually.ts'
import { aclsOn, describeAcl, REQUIRED_ACLS } from '../../harness/kafka/acls.ts'
import { kafkaClient, PASSWORD, type Broker } from '../../harness/kafka/broker.ts'
import { CERTIFICATE } from '../../harness/kafka/certificate.ts'
import { needsKafka, sharedKafka } from '../../harness/kafka/needs-kafka.ts'
import { faultsOf } from '../../harness/kafka/topic-format.ts'
import { openShop, type Shop } from '../../harness/shop.ts'
import { readTopic } from './topic-reader.ts'

const USER = 'serve-user'
const TOPIC = `test.${randomUUID()}`

describe('serve with KAFKA_BROKERS', () => {
  needsKafka()

  let broker: Broker
  let shop: Shop
  let baoco: Running
  let installation: Installation
  let sent = 0
  /** Payments that wait for the broker. */
  let waiting: number[]
  const settings = () => ({
    ALLOW_PRIVATE_TARGETS: '1',
    RATE_LIMITS: 'off',
    KAFKA_BROKERS: broker.address,
    KAFKA_TOPIC: TOPIC,
  })

  const post = async (count: number): Promise<number[]> => {
    const ids: number[] = []
    for (let n = 0; n < count; n++) {
      const body = vietcombankText(++sent, `DH${7000 + sent}`)
      const response = await fetch(fromVietcombank(installation.personalUrl), { method: 'POST', body })
      expect(response.status).to.equal(200)
      ids.push(((await response.json()) as { data: { id: number } }).data.id)
    }
    return ids
  }
  const called = () => shop.calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id)
  /** The calls are made before the queue would make them, a minute after their capture. */
  const allCalled = (ids: readonly number[]) =>
    eventually(() => ids.every((id) => called().includes(id)), { within: 50_000, what: 'all calls' })
  const readiness = async () => {
    const response = await fetch(`${baoco.baseUrl}/readyz`)
    return ((await response.json()) as { parts: Record<string, string> }).parts
  }
  const allSucceeded = (): Promise<boolean> =>
    eventually(async () => {
      const { body } = await callApi(baoco, installation.apiKey, 'GET', '/api/transactions')
      return (body.data as { webhook_status: string }[]).every(({ webhook_status }) => webhook_status === 'success')
    })

  before(async () => {
    broker = await sharedKafka()
    shop = await openShop()
    const dataFolder = await newFolderWithCluster()
    baoco = await startBaoco(dataFolder, { ...settings(), KAFKA_BROKERS: '' })
    installation = readInstallation(dataFolder, baoco.output())
    const { status } = await callApi(baoco, installation.apiKey, 'POST', '/api/webhooks', {
      name: 'shop',
      url: shop.url,
    })
    expect(status).to.equal(201)
  })
  after(async () => {
    await baoco?.kill()
    await shop?.close()
    if (installation) await removeDataFolder(installation)
  })

  it('sends the events of an existing installation to the topic, and sends no webhook again', async () => {
    const old = await post(5)
    await allCalled(old)
    await allSucceeded()
    await baoco.stop()
    baoco = await startBaoco(installation, settings())
    const fresh = await post(5)
    await allCalled(fresh)
    const captured = async () => {
      const reader = await readTopic(broker.address, TOPIC)
      try {
        return await eventually(
          () =>
            reader.messages.filter(({ headers }) => headers.ce_type === 'WebhookAttempted').length >= 10 &&
            reader.messages,
        )
      } finally {
        await reader.close()
      }
    }
    const messages = await captured()
    const shown = JSON.stringify(messages)
    expect(shown).to.contain(`DH${7000 + sent}`)
    expect(shown).not.to.contain('raw_data').and.not.to.contain('SD TK')
    for (const { headers, value } of messages) expect(faultsOf(headers, value)).to.deep.equal([])
    expect(messages[0]!.headers.ce_source).to.equal(`http://localhost:${installation.port}`)
    expect([...called()].sort()).to.deep.equal([...old, ...fresh].sort())
  })

  it('continues the trace of a request in the webhook, in the log and on the topic', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const { length } = shop.calls
    const response = await fetch(fromVietcombank(installation.personalUrl), {
      method: 'POST',
      body: vietcombankText(++sent, `DH${7000 + sent}`),
      headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
    })
    expect(response.status).to.equal(200)
    await eventually(() => shop.calls.length > length)
    const { traceparent } = shop.calls.at(-1)!.headers
    expect(traceIn(traceparent)).to.include({ trace_id: trace })
    const { span_id } = traceIn(traceparent)!
    const logged = (what: string, fields: object) =>
      eventually(() => {
        const lines = baoco
          .output()
          .split('\n')
          .filter((line) => line.includes(`"${what}"`) && line.includes(trace))
        expect(JSON.parse(lines.at(-1) ?? '{}')).to.include(fields)
        return true
      })
    await logged('notification.received', { trace_id: trace, outcome: 'new' })
    await logged('delivery.attempted', { trace_id: trace, span_id })
    const reader = await readTopic(broker.address, TOPIC)
    const published = () => reader.messages.filter(({ headers }) => traceIn(headers.ce_traceparent)?.trace_id === trace)
    const types = () => published().map(({ headers }) => headers.ce_type)
    await eventually(() => types().length === 3).finally(() => reader.close())
    expect(types()).to.deep.equal(['TransactionCaptured', 'WebhookAttempted', 'WebhookStatusChanged'])
    expect(new Set(published().map(({ headers }) => headers.ce_correlationid)).size).to.equal(1)
  })

  it('continues from the topic within seconds after a kill -9', async () => {
    const before = await post(3)
    await baoco.kill()
    baoco = await startBaoco(installation, settings())
    const after = await post(3)
    await allCalled([...before, ...after])
  })

  it('receives while the broker is down, logs what it waits for, stops within 10 s, and starts without the broker', async () => {
    await broker.stop()
    waiting = await post(3)
    await eventually(() => baoco.output().includes(`Kafka at ${broker.address}`))
    await eventually(async () => (await readiness()).log === 'unavailable')
    expect((await fetch(`${baoco.baseUrl}/readyz`)).status).to.equal(200)
    expect(await baoco.stop()).to.be.below(10_000)
    // It uses TLS from now on, and a user without ACLs.
    const ca = join(installation.dataDir, 'ca.pem')
    await writeFile(ca, CERTIFICATE)
    baoco = await startBaoco(installation, {
      ...settings(),
      KAFKA_BROKERS: broker.securedAddress,
      KAFKA_SSL: '1',
      KAFKA_SASL: `plain:${USER}:${PASSWORD}`,
      NODE_EXTRA_CA_CERTS: ca,
    })
    waiting.push(...(await post(3)))
    expect((await readiness()).event_store).to.equal('ok')
    await broker.start()
  })

  it('receives while its user, over TLS, has no ACLs, names them, is not ready, and continues without a restart when they are added', async () => {
    waiting.push(...(await post(3)))
    const topicRead = REQUIRED_ACLS.find(({ operation, resource }) => operation === 'Read' && resource === 'topic')!
    await eventually(() => baoco.output().includes(describeAcl(topicRead, TOPIC)))
    await eventually(async () => {
      const { log, kafka } = await readiness()
      return log === 'unavailable' && kafka === 'unavailable'
    })
    await aclsOn(broker.address, TOPIC, USER).grant(REQUIRED_ACLS)
    await allCalled(waiting)
    await eventually(async () => (await readiness()).kafka === 'ok')
    await allCalled(await post(2))
    expect(await readiness()).to.include({ event_store: 'ok', log: 'ok', kafka: 'ok' })
  })

  it('refuses, in one line, a topic that has the events of another installation, and one that is compacted', async () => {
    const folder = await newFolderWithCluster()
    const other = launchBaoco(folder, settings())
    expect(await other.ended, other.output()).to.equal(1)
    expect(other.output()).to.match(/^baoco: the topic test\.\S+ has the events of another installation.*KAFKA_TOPIC$/m)
    expect(other.output()).not.to.contain('Baoco is ready')
    const admin = kafkaClient(broker.address).admin()
    await admin.connect()
    const compacted = { topic: `${TOPIC}.compacted`, configEntries: [{ name: 'cleanup.policy', value: 'compact' }] }
    await admin.createTopics({ topics: [compacted] }).finally(() => admin.disconnect())
    const refused = launchBaoco(folder, { ...settings(), KAFKA_TOPIC: compacted.topic })
    expect(await refused.ended, refused.output()).to.equal(1)
    expect(refused.output()).to.match(/^baoco: the topic \S+\.compacted is compacted.*KAFKA_TOPIC$/m)
    expect(refused.output()).not.to.contain('Baoco is ready')
    // The topic contains none of its events.
    const [id] = await post(1)
    await allCalled([id!])
  })
})
