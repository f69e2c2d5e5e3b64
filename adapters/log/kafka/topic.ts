// Tests: tests/integration/kafka/relay.test.ts
/** The topic of the transaction events. It is created if it is missing. */
import type { Kafka } from 'kafkajs'

const PARTITIONS = 12
const KEPT_MS = 14 * 24 * 60 * 60 * 1_000
const MOST_REPLICAS = 3

/**
 * Leaves an existing topic unchanged. Several processes may call this at the same time.
 * @throws if no broker answers, or if the topic is missing and must not be created
 */
export const ensureTopic = async (kafka: Kafka, topic: string): Promise<void> => {
  const admin = kafka.admin()
  await admin.connect()
  try {
    if ((await admin.listTopics()).includes(topic)) return
    const { brokers } = await admin.describeCluster()
    await admin.createTopics({
      topics: [
        {
          topic,
          numPartitions: PARTITIONS,
          replicationFactor: Math.min(MOST_REPLICAS, brokers.length),
          configEntries: [
            { name: 'cleanup.policy', value: 'delete' },
            { name: 'retention.ms', value: String(KEPT_MS) },
          ],
        },
      ],
    })
  } finally {
    await admin.disconnect()
  }
}
