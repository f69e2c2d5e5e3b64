/** The broker of docker-compose.yml, started with its settings but without a container. */
import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { eventually } from '../../harness/eventually.ts'
import { freePorts } from '../../harness/free-ports.ts'
import { classArchive, JAVA, kafkaClient } from '../../harness/kafka/broker.ts'
import { installKafka } from '../../harness/kafka/install.ts'
import { needsKafka } from '../../harness/kafka/needs-kafka.ts'
import { launchServer, startOwnServer, type OwnServer } from '../../harness/own-server.ts'
import { environmentOf, readCompose } from '../../unit/containers/compose.ts'
import { succeeds } from '../../harness/outcomes.ts'

/** The variables of the script, not of the broker. */
const OF_SCRIPT = new Set(['KAFKA_HEAP_OPTS'])

/** As the image does it: `KAFKA_LOG_DIRS` is `log.dirs`. */
const propertyOf = (variable: string): string => variable.slice('KAFKA_'.length).toLowerCase().replaceAll('_', '.')

describe('Kafka as docker-compose.yml sets it', () => {
  needsKafka()

  let broker: OwnServer | undefined
  afterEach(() => broker?.remove())

  it('starts, passes its health check, and serves clients outside under their address', async () => {
    const compose = readCompose('docker-compose.yml')
    const folder = await mkdtemp(join(tmpdir(), 'baoco-kafka-'))
    const [inside = 0, controller = 0, outside = 0] = await freePorts(3)
    const variables = environmentOf([compose], 'kafka', { KAFKA_OUTSIDE: `127.0.0.1:${outside}` })
    /** Replaces only what another machine and several tests at a time require: ports, names and the folder. */
    const here = (value: string): string =>
      value
        .replaceAll('/var/lib/kafka', folder)
        .replaceAll('kafka:', '127.0.0.1:')
        .replace(/\b9092\b/g, String(inside))
        .replace(/\b9093\b/g, String(controller))
        .replace(/\b9094\b/g, String(outside))
    const properties = Object.entries(variables)
      .filter(([name]) => !OF_SCRIPT.has(name))
      .map(([name, value]) => `${propertyOf(name)}=${here(value)}`)
    const settings = join(folder, 'server.properties')
    await writeFile(settings, `${properties.join('\n')}\n`)
    const jars = await installKafka()
    const java = [...JAVA, ...classArchive(jars), ...variables.KAFKA_HEAP_OPTS!.split(' '), '-cp', `${jars}/*`]
    const format = ['kafka.tools.StorageTool', 'format', '-t', 'AAAAAAAAAAAAAAAAAAAAAQ', '-c', settings]
    await promisify(execFile)('java', [...java, ...format])
    const [, ...check] = compose.services.kafka!.healthcheck!.test.map(here)
    const isHealthy = () => succeeds(promisify(execFile)(check[0]!, check.slice(1)))
    expect(await isHealthy()).to.equal(false)
    const launch = () => launchServer(['java', ...java, 'kafka.Kafka', settings], { isUp: isHealthy })
    broker = await startOwnServer({ folder, launch })

    const admin = kafkaClient(`127.0.0.1:${outside}`).admin()
    await admin.connect()
    const { brokers } = await eventually(() => admin.describeCluster())
    await admin.disconnect()
    expect(brokers.map(({ host, port }) => `${host}:${port}`)).to.deep.equal([`127.0.0.1:${outside}`])
  })
})
