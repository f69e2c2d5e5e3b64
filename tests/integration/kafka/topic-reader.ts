/** Reads a topic as anybody may: with a client and a group of its own, from its beginning. */
import { randomUUID } from 'node:crypto'
import { kafkaClient } from '../../harness/kafka/broker.ts'

export interface Read {
  partition: number
  key: string
  headers: Record<string, string>
  value: Record<string, unknown>
}

export interface TopicReader {
  messages: Read[]
  /** Ids of the transactions captured for a user, as they came, repeats included. */
  capturedFor(user: number): number[]
  close(): Promise<void>
}

/** The topic must be there. */
export const readTopic = async (address: string, topic: string): Promise<TopicReader> => {
  // A broker's first group waits until the topic of offsets is made.
  const patient = kafkaClient(address, 20)
  const consumer = patient.consumer({ groupId: `reader-${randomUUID()}`, maxWaitTimeInMs: 50 })
  const messages: Read[] = []
  await consumer.connect()
  await consumer.subscribe({ topic, fromBeginning: true })
  await consumer.run({
    eachMessage: ({ partition, message }) => {
      const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)])
      messages.push({
        partition,
        key: String(message.key),
        headers: Object.fromEntries(headers) as Record<string, string>,
        value: JSON.parse(String(message.value)) as Record<string, unknown>,
      })
      return Promise.resolve()
    },
  })
  return {
    messages,
    capturedFor: (user) =>
      messages
        .filter(({ key, headers }) => key === String(user) && headers.ce_type === 'TransactionCaptured')
        .map(({ value }) => value.transaction_id as number),
    close: () => consumer.disconnect(),
  }
}
