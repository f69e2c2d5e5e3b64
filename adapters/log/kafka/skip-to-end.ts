// Tests: tests/integration/kafka/acls.test.ts
/** Moves a consumer group to the end of its topic, so that existing messages are no longer delivered. */
import { groupIdOf, openKafkaClient, withAdmin, type KafkaTopic } from './client.ts'
import { consumerFailure } from './consumer-failure.ts'
import { topicExists } from './topic.ts'

/** All consumers of the group must be stopped. A topic that does not exist yet is left alone. */
export const skipToEnd = (settings: KafkaTopic, group: string): Promise<void> => {
  const kafka = openKafkaClient(settings)
  const { topic } = settings
  return withAdmin(kafka, async (admin) => {
    if (!(await topicExists(admin, topic, 'Read'))) return
    const ends = await admin.fetchTopicOffsets(topic)
    const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }))
    const groupId = groupIdOf(settings, group)
    await admin.setOffsets({ groupId, topic, partitions }).catch(async (error: Error) => {
      throw await consumerFailure(error, { kafka, topic, groupId })
    })
  })
}
