/** A real Kafka broker: KRaft, one node, on ports and a folder of its own. */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Kafka, logLevel } from 'kafkajs'
import { eventually } from '../eventually.ts'
import { CERTIFICATE, KEY } from './certificate.ts'
import { installKafka } from './install.ts'

/** Small and quick to start; how fast it would be in an hour does not matter. */
const JAVA = [
  '-Xmx320m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
]

/** Who may use the secured address. */
export const USER = { username: 'baoco', password: 'correct-horse' }

export interface Broker {
  /** As `KAFKA_BROKERS` names it. */
  address: string
  /** The same broker by TLS, with `CERTIFICATE`, and SASL, for `USER`. */
  securedAddress: string
  /** SIGTERM, and wait for its end. */
  stop(): Promise<void>
  /** kill -9, and wait for its end. */
  kill(): Promise<void>
  /** SIGSTOP: connections stay and nothing answers. */
  freeze(): void
  thaw(): void
  /** Again, on the same port and with what it had. */
  start(): Promise<void>
  /** Ends it for good; its folder goes with it. */
  remove(): Promise<void>
}

const freePorts = async (count: number): Promise<number[]> => {
  const probes = await Promise.all(
    Array.from({ length: count }, async () => {
      const probe = createServer().listen(0, '127.0.0.1')
      await once(probe, 'listening')
      return probe
    }),
  )
  const ports = probes.map((probe) => (probe.address() as AddressInfo).port)
  await Promise.all(probes.map((probe) => once(probe.close(), 'close')))
  return ports
}

const configuration = (folder: string, port: number, controller: number, secure: number): string => `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controller}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller},SECURE://127.0.0.1:${secure}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL
ssl.keystore.type=PEM
ssl.keystore.location=${folder}/broker.pem
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.secure.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_${USER.username}="${USER.password}";
listener.name.secure.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.secure.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
log.dirs=${folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
`

/** A client of the test's own, which soon gives up. */
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

/** @throws where there is no Java, or the jars are neither there nor to be had */
export const startKafka = async (): Promise<Broker> => {
  const jars = await installKafka()
  const folder = await mkdtemp(join(tmpdir(), 'baoco-kafka-'))
  const settings = join(folder, 'server.properties')
  const [port = 0, controller = 0, secure = 0] = await freePorts(3)
  await writeFile(settings, configuration(folder, port, controller, secure))
  await writeFile(join(folder, 'broker.pem'), `${KEY}\n${CERTIFICATE}\n`)
  const java = [...JAVA, '-cp', `${jars}/*`]
  // The first byte keeps it from looking like an option.
  const cluster = Buffer.concat([Buffer.of(1), randomBytes(15)]).toString('base64url')
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${USER.username},password=${USER.password}]`,
  ])
  const format = ['kafka.tools.StorageTool', 'format', '-t', cluster, '-c', settings, ...users]

  const address = `127.0.0.1:${port}`
  let child: ChildProcess | null = null
  const atExit = (): void => {
    child?.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }

  const broker: Broker = {
    address,
    securedAddress: `127.0.0.1:${secure}`,
    start: async () => {
      let said = ''
      const starting = spawn('java', [...java, 'kafka.Kafka', settings], { stdio: ['ignore', 'pipe', 'pipe'] })
      for (const stream of [starting.stdout, starting.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)))
      child = starting
      const isUp = async () => {
        if (starting.exitCode !== null) return 'ended'
        return (await answers(address)) && 'up'
      }
      const state = await eventually(isUp, { within: 40_000, what: 'a Kafka broker that answers' }).catch(String)
      if (state !== 'up') throw new Error(`the Kafka broker did not start (${state}):\n${said}`)
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    remove: async () => {
      await end('SIGKILL')
      process.off('exit', atExit)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child
    child = null
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return
    ending.kill(signal)
    await once(ending, 'exit')
  }

  process.once('exit', atExit)
  try {
    await promisify(execFile)('java', [...java, ...format])
    await broker.start()
  } catch (error) {
    await broker.remove()
    throw error
  }
  return broker
}
