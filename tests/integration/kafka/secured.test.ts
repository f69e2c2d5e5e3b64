/**
 * Tests a broker that requires TLS and a password. Clients run in child processes, because a process trusts the certificate only if its
 * environment does so at its start.
 */
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { LogEntry } from '../../../domain/ports.ts'
import { forkBundled } from '../../harness/bundled-script.ts'
import { eventually } from '../../harness/eventually.ts'
import { USER } from '../../harness/kafka/broker.ts'
import { CERTIFICATE } from '../../harness/kafka/certificate.ts'
import { needsKafka, sharedKafka } from '../../harness/kafka/needs-kafka.ts'
import { openKafkaSetting, type KafkaSetting } from './setting.ts'

const CONSUMER = fileURLToPath(new URL('../../contract/log/consuming-child.ts', import.meta.url))
const OPEN_LOG = new URL('../../contract/log/open-kafka-log.ts', import.meta.url).href

describe('a Kafka broker with TLS and a password', () => {
  needsKafka()

  let setting: KafkaSetting
  let folder: string
  let trusting: Record<string, string>
  let brokers: string[]
  beforeEach(async () => {
    const broker = await sharedKafka()
    brokers = [broker.securedAddress]
    setting = await openKafkaSetting(broker.address)
    folder = await mkdtemp(join(tmpdir(), 'baoco-certificate-'))
    trusting = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }
    await writeFile(trusting.NODE_EXTRA_CA_CERTS!, CERTIFICATE)
  })
  afterEach(async () => {
    await setting?.close()
    await rm(folder, { recursive: true })
  })

  for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'])
    it(`serves the relay and consumers with ${mechanism}`, async () => {
      const secured = { brokers, ssl: true, sasl: { mechanism, ...USER } }
      await setting.relayProcess(undefined, secured, trusting)
      const sent = await setting.capture([], { user: 900, count: 3 })
      const argument = JSON.stringify({ ...setting.kafka, ...secured })
      const consumer = await forkBundled(CONSUMER, OPEN_LOG, [argument, 'secured'], trusting)
      const read: number[] = []
      consumer.on('message', (entry: LogEntry) => read.push(entry.transaction_id))
      try {
        await eventually(() => read.length === 3)
        expect(read).to.deep.equal(sent)
      } finally {
        consumer.kill('SIGKILL')
        await once(consumer, 'exit')
      }
    })

  for (const [what, other, trusts] of [
    ['a wrong password', { ssl: true, sasl: { mechanism: 'plain', username: USER.username, password: 'guess' } }, true],
    ['a certificate that is not trusted', { ssl: true, sasl: { mechanism: 'plain', ...USER } }, false],
  ] as const)
    it(`receives nothing with ${what}, and the relay logs that it waits`, async () => {
      const relay = await setting.relayProcess(undefined, { brokers, ...other }, trusts ? trusting : {})
      await setting.capture([])
      await eventually(() => relay.logged.filter((what) => what === 'relay.waits').length >= 2)
      expect(await setting.query('SELECT 1 FROM ops.relay_checkpoint')).to.deep.equal([])
    })
})
