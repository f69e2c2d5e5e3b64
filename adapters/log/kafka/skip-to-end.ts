// Tests: tests/integration/kafka/relay.test.ts
/** Moves a consumer group to the end of its topic, so that existing messages are not handed over any more. */
import { groupIdOf, openKafkaClient, type KafkaTopic } from './client.ts'

/** No consumer of the group may be running. A topic that does not exist yet is left alone. */
export const skipToEnd = async (settings: KafkaTopic, group: string): Promise<void> => {
  const { topic } = settings
  const admin = openKafkaClient(settings).admin()
  await admin.connect()
  try {
    if (!(await admin.listTopics()).includes(topic)) return
    const partitions = (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({
      partition,
      offset: high,
    }))
    await admin.setOffsets({ groupId: groupIdOf(settings, group), topic, partitions })
  } finally {
    await admin.disconnect()
  }
}
