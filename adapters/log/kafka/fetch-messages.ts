// Tests: tests/integration/kafka/acls.test.ts
/**
 * Reads messages of a topic without a consumer group. A group would need an ACL of its own, and its members would wait for
 * each other.
 */
import type { Kafka, KafkaMessage } from 'kafkajs'
import { withConnection } from './connection.ts'

export interface TopicPosition {
  partition: number
  offset: string
}

/** A batch of messages is returned whole, even if it is larger. In bytes. */
const MOST_BYTES = 1_048_576
/** Milliseconds. The messages exist, so the broker answers at once. */
const WAIT = 1_000

/** @returns messages of each partition from an offset on; of a large partition not all, and possibly some before the offset */
export const fetchMessages = (kafka: Kafka, topic: string, from: readonly TopicPosition[]): Promise<KafkaMessage[]> =>
  withConnection(kafka, async (connection) => {
    await connection.addTargetTopic(topic)
    const offsets = new Map(from.map(({ partition, offset }) => [partition, offset]))
    const leaders = connection.findLeaderForPartitions(topic, [...offsets.keys()])
    const found = Object.entries(leaders).map(async ([nodeId, led]) => {
      const leader = await connection.findBroker({ nodeId })
      const partitions = led.map((partition) => ({
        partition,
        fetchOffset: offsets.get(partition)!,
        maxBytes: MOST_BYTES,
      }))
      const answer = await leader.fetch({
        isolationLevel: 0,
        maxWaitTime: WAIT,
        minBytes: 1,
        maxBytes: MOST_BYTES * led.length,
        topics: [{ topic, partitions }],
      })
      return answer.responses.flatMap(({ partitions }) => partitions.flatMap(({ messages }) => messages))
    })
    return (await Promise.all(found)).flat()
  })
