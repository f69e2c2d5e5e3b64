// Tests: tests/chaos/store-went-back.test.ts
/** The ids in the newest messages of a topic. The topic may know what the event store has lost. */
import type { KafkaMessage } from 'kafkajs'
import { openKafkaClient, withAdmin, type KafkaSettings } from './client.ts'
import { entryOf } from './cloud-event.ts'
import { fetchMessages } from './fetch-messages.ts'
import { topicExists } from './topic.ts'

export interface IdsOnTopic {
  /** The highest id of a transaction or an attempt; 0 if there are no messages. */
  highest: number
  transactions: readonly number[]
}

export const NO_IDS: IdsOnTopic = { highest: 0, transactions: [] }

/** Messages of each partition. Later messages have higher ids, but for those of processes with different blocks of ids. */
const NEWEST = 200n

/** @throws if no broker answers, or if the Kafka user may not read the topic */
export const newestIds = async (settings: KafkaSettings): Promise<IdsOnTopic> => {
  const { topic, installation } = settings
  const kafka = openKafkaClient(settings)
  const from = await withAdmin(kafka, async (admin) => {
    if (!(await topicExists(admin, topic, 'Read'))) return []
    const partitions = await admin.fetchTopicOffsets(topic)
    return partitions.flatMap(({ partition, low, high }) => {
      const [first, end] = [BigInt(low), BigInt(high)]
      return end > first ? [{ partition, offset: String(end - NEWEST > first ? end - NEWEST : first) }] : []
    })
  })
  if (from.length === 0) return NO_IDS
  const found = (await fetchMessages(kafka, topic, from)).flatMap((message) => {
    const entry = entryOf(message, installation)
    return entry ? [{ transaction: entry.transaction_id, attempt: attemptIn(message) }] : []
  })
  const transactions = [...new Set(found.map(({ transaction }) => transaction))]
  return { highest: Math.max(0, ...transactions, ...found.map(({ attempt }) => attempt)), transactions }
}

/** @returns 0 if the message is not about an attempt */
const attemptIn = ({ value }: KafkaMessage): number => {
  try {
    const { attempt_id } = JSON.parse(String(value)) as { attempt_id?: unknown }
    return Number.isSafeInteger(attempt_id) ? (attempt_id as number) : 0
  } catch {
    return 0
  }
}
