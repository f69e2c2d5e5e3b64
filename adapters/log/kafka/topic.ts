// Tests: tests/integration/kafka/relay.test.ts
/** The topic of the transaction events. The relay creates it if it is missing, and refuses one that is compacted. */
import type { Admin, ConfigResourceTypes, Kafka } from 'kafkajs'
import { DAY_MS } from '../../../domain/time.ts'
import { kafkaError, openKafkaClient, withAdmin, type KafkaTopic } from './client.ts'
import { hasType, needing } from './missing-acl.ts'

/** The partitions of a topic that the relay creates. */
export const PARTITIONS = 12
export const KEPT_MS = 14 * DAY_MS
const MOST_REPLICAS = 3

/** kafkajs exports this name to CommonJS only. */
const TOPIC_RESOURCE: ConfigResourceTypes.TOPIC = 2

/** Compaction would keep one event per user and remove all others. */
export class CompactedTopic extends Error {
  override name = 'CompactedTopic'
  constructor(topic: string, policy: string) {
    super(
      `the topic ${topic} is compacted, which would remove events: set its cleanup.policy to delete (it is ${policy}), or name another topic in KAFKA_TOPIC`,
    )
  }
}

/**
 * @param operation  an ACL that the caller needs on the topic for its own work. It includes the right to look.
 * @throws {MissingAcl}
 */
export const topicExists = (admin: Admin, topic: string, operation: 'Read' | 'Write'): Promise<boolean> =>
  needing({ operation, resource: 'topic', name: topic }, async () => {
    try {
      await admin.fetchTopicMetadata({ topics: [topic] })
      return true
    } catch (error) {
      if (hasType(error, /^UNKNOWN_TOPIC_OR_PARTITION$/)) return false
      throw error
    }
  })

const POLICY = 'cleanup.policy'
const LIMIT = 'max.message.bytes'
const COMPRESSION = 'compression.type'

/** Whether messages are compressed in a way that the client cannot read: Snappy, LZ4 or Zstandard. */
export const isUnreadable = (error: unknown): boolean =>
  error instanceof Error && error.name === 'KafkaJSNotImplemented'

/** What to change, for the log. */
export const unreadable = ({ message }: Error, topic: string): Error =>
  new Error(
    `${message}: set ${COMPRESSION} of the topic ${topic} to producer. Messages that are compressed already stay so until they expire`,
  )

/**
 * @returns the most bytes of one request to the topic; null if the brokers do not say
 * @throws {CompactedTopic} · {MissingAcl}
 */
const checkTopic = async (admin: Admin, topic: string): Promise<number | null> => {
  const { resources } = await needing({ operation: 'DescribeConfigs', resource: 'topic', name: topic }, () =>
    admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: TOPIC_RESOURCE, name: topic, configNames: [POLICY, LIMIT] }],
    }),
  )
  const valueOf = (name: string) =>
    resources[0]?.configEntries.find(({ configName }) => configName === name)?.configValue
  const policy = valueOf(POLICY) ?? ''
  if (policy.split(',').includes('compact')) throw new CompactedTopic(topic, policy)
  return Number(valueOf(LIMIT)) || null
}

/**
 * Checks that an existing topic is not compacted.
 * @throws {CompactedTopic} · an error of the brokers
 */
export const keepsAll = async (settings: KafkaTopic): Promise<void> => {
  const { topic } = settings
  const look = (admin: Admin) =>
    topicExists(admin, topic, 'Write').then(async (exists) => void (exists && (await checkTopic(admin, topic))))
  await withAdmin(openKafkaClient(settings), look).catch((error: unknown) => {
    throw error instanceof CompactedTopic ? error : kafkaError(settings, error)
  })
}

/**
 * Leaves an existing topic unchanged. Several processes may call this at the same time.
 * @returns the most bytes of one request to the topic; null for the default, or if the brokers do not say
 * @throws if no broker answers, if the topic is missing and must not be created, or if it is compacted
 */
export const ensureTopic = (kafka: Kafka, topic: string): Promise<number | null> =>
  withAdmin(kafka, async (admin) => {
    if (await topicExists(admin, topic, 'Write')) return checkTopic(admin, topic)
    const { brokers } = await admin.describeCluster()
    const settings = {
      numPartitions: PARTITIONS,
      replicationFactor: Math.min(MOST_REPLICAS, brokers.length),
      configEntries: [
        { name: POLICY, value: 'delete' },
        { name: 'retention.ms', value: String(KEPT_MS) },
        // The brokers' time. With the time of a relay whose clock is wrong, messages would end too early or be refused.
        { name: 'message.timestamp.type', value: 'LogAppendTime' },
        // The relay does not compress. Brokers may by default, and the client reads only gzip.
        { name: COMPRESSION, value: 'producer' },
      ],
    }
    await needing({ operation: 'Create', resource: 'topic', name: topic }, () =>
      admin.createTopics({ topics: [{ topic, ...settings }] }),
    )
    return null
  })
