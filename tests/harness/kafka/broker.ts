/** A real Kafka broker: KRaft, one node, with its own ports and folder. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Kafka, logLevel } from 'kafkajs'
import { freePorts } from '../free-ports.ts'
import { launchServer, startOwnServer, type OwnServer } from '../own-server.ts'
import { CERTIFICATE, KEY } from './certificate.ts'
import { installKafka } from './install.ts'

/** Small and quick to start. Its speed after an hour does not matter. */
export const JAVA = [
  '-Xmx320m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
]

/** The user of the secured address. */
export const USER = { username: 'baoco', password: 'correct-horse' }

/** Users that have only the ACLs that a test gives them. */
const LIMITED_USERS = ['relay-user', 'deliver-user', 'serve-user'] as const
export const PASSWORD = 'battery-staple'

export interface Broker extends OwnServer {
  /** The address for `KAFKA_BROKERS`. */
  address: string
  /** The same broker over TLS with `CERTIFICATE`, and SASL for `USER`. */
  securedAddress: string
  /** The same broker without TLS, for `LIMITED_USERS` with SASL PLAIN. */
  limitedAddress: string
}

interface Ports {
  plain: number
  controller: number
  secure: number
  limited: number
}

const usersOf = (names: readonly string[], password: string): string =>
  names.map((name) => `user_${name}="${password}"`).join(' ')

/** An authorizer checks every request. Clients of the plain address and `USER` may do everything, `LIMITED_USERS` nothing without an ACL. */
const configuration = (folder: string, { plain, controller, secure, limited }: Ports): string => `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=PLAINTEXT://127.0.0.1:${plain},CONTROLLER://127.0.0.1:${controller},SECURE://127.0.0.1:${secure},LIMITED://127.0.0.1:${limited}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL,LIMITED:SASL_PLAINTEXT
ssl.keystore.type=PEM
ssl.keystore.location=${folder}/broker.pem
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.secure.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required ${usersOf([USER.username], USER.password)} ${usersOf(LIMITED_USERS, PASSWORD)};
listener.name.limited.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required ${usersOf(LIMITED_USERS, PASSWORD)};
listener.name.limited.sasl.enabled.mechanisms=PLAIN
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:${USER.username}
listener.name.secure.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.secure.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
log.dirs=${folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
`

/** A client for the test, which soon gives up. */
export const kafkaClient = (address: string, retries = 1): Kafka =>
  new Kafka({
    clientId: 'test',
    brokers: [address],
    logLevel: logLevel.NOTHING,
    connectionTimeout: 2_000,
    retry: { retries, initialRetryTime: 50, maxRetryTime: 500 },
  })

const answers = async (address: string): Promise<boolean> => {
  const admin = kafkaClient(address).admin()
  try {
    await admin.connect()
    return (await admin.describeCluster()).brokers.length > 0
  } finally {
    await admin.disconnect()
  }
}

/**
 * An archive of the broker's classes, which the JVM maps into memory instead of loading each class again. A broker then starts with half of
 * the CPU time. `install.ts` makes it.
 */
const archiveOf = (jars: string): string => `${jars}.jsa`
export const classArchive = (jars: string): string[] =>
  existsSync(archiveOf(jars)) ? [`-XX:SharedArchiveFile=${archiveOf(jars)}`, '-Xlog:disable'] : []

/** Makes the archive, once, with a broker that starts and stops. */
export const makeClassArchive = async (): Promise<void> => {
  const archive = archiveOf(await installKafka())
  if (existsSync(archive)) return
  const making = `${archive}.${process.pid}`
  const broker = await startKafka({ making })
  await broker.stop()
  await broker.remove()
  await rename(making, archive)
}

const MOST_TRIES = 3

/** Kafka's own example of the id of a cluster. */
const CLUSTER = 'MkU3OEVBNTcwNTJENDM2Qg'
const FORMAT = [
  ...['kafka.tools.StorageTool', 'format', '-t', CLUSTER],
  ...['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${USER.username},password=${USER.password}]`,
  ]),
]

/** Formats the folder of a broker's data. The result is kept beside the jars and copied for other brokers, because the tool takes seconds. */
const formatData = async (jars: string, java: readonly string[], settings: string, data: string): Promise<void> => {
  const kept = `${jars}.formatted-${createHash('sha256').update(FORMAT.join()).digest('hex').slice(0, 8)}`
  if (!existsSync(kept)) {
    await promisify(execFile)('java', [...java, ...FORMAT, '-c', settings])
    const making = `${kept}.${process.pid}`
    await cp(data, making, { recursive: true })
    await rename(making, kept).catch(() => rm(making, { recursive: true }))
  } else await cp(kept, data, { recursive: true })
}

/**
 * @param making  where to write the archive of classes when the broker stops
 * @throws if Java is missing, or the jars are missing and cannot be downloaded
 */
export const startKafka = async ({ making }: { making?: string } = {}): Promise<Broker> => {
  const jars = await installKafka()
  const folder = await mkdtemp(join(tmpdir(), 'baoco-kafka-'))
  const settings = join(folder, 'server.properties')
  const [plain = 0, controller = 0, secure = 0, limited = 0] = await freePorts(4)
  await writeFile(settings, configuration(folder, { plain, controller, secure, limited }))
  await writeFile(join(folder, 'broker.pem'), `${KEY}\n${CERTIFICATE}\n`)
  const java = [...JAVA, ...(making ? [`-XX:ArchiveClassesAtExit=${making}`] : classArchive(jars)), '-cp', `${jars}/*`]
  const address = `127.0.0.1:${plain}`
  const launch = async () => {
    // Only once: existing data is already formatted.
    const data = join(folder, 'data')
    if (!existsSync(data)) await formatData(jars, java, settings, data)
    for (let tries = 1; ; tries++)
      try {
        return await launchServer(['java', ...java, 'kafka.Kafka', settings], { isUp: () => answers(address) })
      } catch (error) {
        // While it was stopped, another test may have tried its port.
        if (tries === MOST_TRIES || !(error as Error).message.includes('Address already in use')) throw error
      }
  }
  return {
    address,
    securedAddress: `127.0.0.1:${secure}`,
    limitedAddress: `127.0.0.1:${limited}`,
    ...(await startOwnServer({ folder, launch })),
  }
}
