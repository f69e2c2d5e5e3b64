// Tests: tests/integration/kafka/acls.test.ts
/**
 * Finds the installation that owns a topic, from the topic's newest event. Checked at the start, so that two installations
 * that were given one topic by mistake do not mix their events.
 */
import type { Kafka } from 'kafkajs'
import { kafkaError, openKafkaClient, withAdmin, type KafkaSettings } from './client.ts'
import { installationIn } from './cloud-event.ts'
import { fetchMessages, type TopicPosition } from './fetch-messages.ts'
import { needing } from './missing-acl.ts'
import { isUnreadable, topicExists } from './topic.ts'

/**
 * @returns the id of the installation that wrote the newest event of a partition. Null if the topic is missing or empty, if
 *   its events come from a version that did not record the id, or if the client cannot read them.
 * @throws if no broker answers, or if the Kafka user may not read the topic
 */
export const whoseTopic = async (settings: KafkaSettings): Promise<string | null> => {
  const kafka = openKafkaClient(settings)
  const { topic } = settings
  try {
    const newest = await newestPosition(kafka, topic)
    if (!newest) return null
    const acl = { operation: 'Read', resource: 'topic', name: topic } as const
    const messages = await needing(acl, () => fetchMessages(kafka, topic, [newest]))
    // The broker may have deleted it meanwhile.
    return installationIn(messages.find(({ offset }) => offset === newest.offset)?.headers)
  } catch (error) {
    if (isUnreadable(error)) return null
    throw kafkaError(settings, error)
  }
}

const newestPosition = (kafka: Kafka, topic: string): Promise<TopicPosition | null> =>
  withAdmin(kafka, async (admin) => {
    if (!(await topicExists(admin, topic, 'Read'))) return null
    const partitions = await admin.fetchTopicOffsets(topic)
    const used = partitions.find(({ low, high }) => BigInt(high) > BigInt(low))
    return used ? { partition: used.partition, offset: String(BigInt(used.high) - 1n) } : null
  })
