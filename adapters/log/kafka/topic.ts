/** The topic of the transaction events, made when it is missing. */
import type { Kafka } from 'kafkajs'

const PARTITIONS = 12
const KEPT_MS = 14 * 24 * 60 * 60 * 1_000
const MOST_REPLICAS = 3

/**
 * Leaves an existing topic unchanged. Several processes may call this at the same time.
 * @throws when no broker answers, or the topic is missing and may not be made
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
