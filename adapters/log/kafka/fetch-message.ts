// Tests: tests/integration/kafka/acls.test.ts
/**
 * Reads one message of a topic without a consumer group. A group would need an ACL of its own, and its members would wait for
 * each other.
 */
import type { Kafka, KafkaMessage } from 'kafkajs'
import { withConnection } from './connection.ts'

export interface TopicPosition {
  topic: string
  partition: number
  offset: string
}

/** A batch of messages is returned whole, even if it is larger. In bytes. */
const MOST_BYTES = 1_048_576
/** Milliseconds. The message exists, so the broker answers at once. */
const WAIT = 1_000

/** @returns null if there is no message at this position any more */
export const fetchMessage = (kafka: Kafka, { topic, partition, offset }: TopicPosition): Promise<KafkaMessage | null> =>
  withConnection(kafka, async (connection) => {
    await connection.addTargetTopic(topic)
    const [nodeId = ''] = Object.keys(connection.findLeaderForPartitions(topic, [partition]))
    const leader = await connection.findBroker({ nodeId })
    const partitions = [{ partition, fetchOffset: offset, maxBytes: MOST_BYTES }]
    const size = { minBytes: 1, maxBytes: MOST_BYTES }
    const answer = await leader.fetch({
      isolationLevel: 0,
      maxWaitTime: WAIT,
      ...size,
      topics: [{ topic, partitions }],
    })
    const messages = answer.responses.flatMap(({ partitions }) => partitions.flatMap(({ messages }) => messages))
    return messages.find((message) => message.offset === offset) ?? null
  })
