/** Reads a topic from its beginning as any client can, with its own client and group. */
import { randomUUID } from 'node:crypto'
import { eventually } from '../../harness/eventually.ts'
import { kafkaClient } from '../../harness/kafka/broker.ts'

export interface Read {
  partition: number
  key: string
  headers: Record<string, string>
  value: Record<string, unknown>
}

export interface TopicReader {
  messages: Read[]
  /** The ids of the transactions captured for a user in the order of arrival, including repeats. */
  capturedFor(user: number): number[]
  close(): Promise<void>
}

/** Waits until the topic exists: deliveries may be made from the queue before the relay has created it. */
export const readTopic = async (address: string, topic: string): Promise<TopicReader> => {
  // The first group of a broker waits until the topic of offsets is created.
  const patient = kafkaClient(address, 20)
  const consumer = patient.consumer({
    groupId: `reader-${randomUUID()}`,
    maxWaitTimeInMs: 50,
    // The topic must be the one that the relay creates.
    allowAutoTopicCreation: false,
  })
  const messages: Read[] = []
  await consumer.connect()
  await eventually(() => consumer.subscribe({ topic, fromBeginning: true }).then(() => true), {
    what: `the topic ${topic}`,
  })
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
