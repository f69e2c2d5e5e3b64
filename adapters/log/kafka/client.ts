// Tests: tests/integration/kafka/relay.test.ts
/** The Kafka cluster that the settings name. Only this folder uses `kafkajs`, so that another client can replace it. */
import { Kafka, logLevel, type Admin, type SASLOptions } from 'kafkajs'

export interface KafkaServers {
  /** `host:port` of some of the brokers. The client learns the others from them. */
  brokers: readonly string[]
  ssl?: boolean
  /** `mechanism` is plain, scram-sha-256 or scram-sha-512. */
  sasl?: { mechanism: string; username: string; password: string }
}

export interface KafkaTopic extends KafkaServers {
  topic: string
}

export interface KafkaSettings extends KafkaTopic {
  /** Id of the installation whose events are on the topic. */
  installation: string
}

/** Milliseconds. If a broker does not answer, our code retries soon instead of waiting for it. */
const CONNECT_WITHIN = 3_000
const ANSWER_WITHIN = 10_000

export const openKafkaClient = ({ brokers, ssl = false, sasl }: KafkaServers): Kafka =>
  new Kafka({
    clientId: 'baoco',
    brokers: [...brokers],
    ssl,
    ...(sasl && { sasl: sasl as SASLOptions }),
    connectionTimeout: CONNECT_WITHIN,
    requestTimeout: ANSWER_WITHIN,
    // Few and quick retries: the caller retries without limit, each time with a new connection.
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 },
    // Errors reach the caller and are logged once there.
    logLevel: logLevel.NOTHING,
  })

/** Wraps an error in one that names the servers. */
export const kafkaError = ({ brokers }: KafkaServers, cause: unknown): Error =>
  new Error(`Kafka at ${brokers.join(', ')}: ${(cause as Error)?.message ?? String(cause)}`, { cause })

/** Installations that share a cluster have separate topics, and so separate groups. */
export const groupIdOf = ({ topic }: Pick<KafkaTopic, 'topic'>, group: string): string => `${topic}.${group}`

/** Connects an admin client for the duration of some work. */
export const withAdmin = async <Result>(kafka: Kafka, work: (admin: Admin) => Promise<Result>): Promise<Result> => {
  const admin = kafka.admin()
  try {
    await admin.connect()
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}

/** @throws when no broker answers */
export const reachKafka = async (servers: KafkaServers): Promise<void> => {
  try {
    await withAdmin(openKafkaClient(servers), (admin) => admin.describeCluster())
  } catch (error) {
    throw kafkaError(servers, error)
  }
}
