/**
 * Writes events to the topic: one idempotent producer, one request in flight, acknowledged by all replicas in sync.
 *
 * After any failure the next try has a new producer: the broker may have written what it could not acknowledge, and a producer
 * that goes on with other messages under those sequence numbers would be refused for good.
 */
import { Partitioners, type Kafka, type Message, type Producer } from 'kafkajs'
import { asStored, type StoredEvent } from '../../../domain/parse-event.ts'
import type { Publisher } from '../../../workflows/relay/relay.ts'
import { kafkaError, openKafkaClient, type KafkaSettings } from './client.ts'
import { messageOf } from './cloud-event.ts'
import { ensureTopic } from './topic.ts'
import { endedWithin, unlessAborted } from './within.ts'

/** Brokers take 1 MB a partition and request by default; headers and framing come on top of what is counted here. */
const MOST_BYTES = 400_000
const FRAMING = 600

const CLOSE_WITHIN_MS = 1_000

export interface PublisherOptions extends KafkaSettings {
  /** `ce_source` of the events: the address of this installation. */
  source: string
  onFailure?: (error: unknown) => void
}

export const openKafkaPublisher = ({ source, onFailure = () => {}, ...settings }: PublisherOptions): Publisher => {
  const kafka = openKafkaClient(settings)
  const { topic, installation } = settings
  let producer: Producer | null = null

  const send = async (messages: readonly Message[], signal: AbortSignal): Promise<void> => {
    if (!producer) {
      const fresh = await connected(kafka, topic)
      // Nobody waits for it any more.
      if (signal.aborted) return fresh.disconnect()
      producer = fresh
    }
    const sending = producer
    for (const part of inParts(messages)) {
      if (signal.aborted) return
      await sending.sendBatch({ acks: -1, timeout: 10_000, topicMessages: [{ topic, messages: part }] })
    }
  }

  const giveUp = (): Promise<void> => {
    const closing = producer?.disconnect() ?? Promise.resolve()
    producer = null
    return closing
  }

  return {
    publish: async (events, signal) => {
      const messages = messagesOf(events, { source, installation }, onFailure)
      if (messages.length === 0) return
      try {
        await unlessAborted(send(messages, signal), signal)
      } catch (error) {
        giveUp().catch(() => {})
        throw kafkaError(settings, error)
      }
    },
    close: () => endedWithin(CLOSE_WITHIN_MS, giveUp()),
  }
}

const connected = async (kafka: Kafka, topic: string): Promise<Producer> => {
  await ensureTopic(kafka, topic)
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 },
  })
  await producer.connect()
  return producer
}

/** An event without a user is a bug of its writer. It is skipped, because stopping would stop all deliveries. */
const messagesOf = (
  events: readonly StoredEvent[],
  from: { source: string; installation: string },
  onFailure: (error: unknown) => void,
): Message[] =>
  events.flatMap((event) => {
    const message = messageOf(asStored(event), from)
    if (message) return [message]
    onFailure(new Error(`event without a user or transaction: ${event.stream}, revision ${event.revision}`))
    return []
  })

/** In order, each part small enough for one request even where all of it is one user's. */
const inParts = (messages: readonly Message[]): Message[][] => {
  const parts: Message[][] = []
  let room = 0
  for (const message of messages) {
    const size = FRAMING + Buffer.byteLength(message.value ?? '')
    if (size > room) {
      parts.push([])
      room = MOST_BYTES
    }
    parts.at(-1)!.push(message)
    room -= size
  }
  return parts
}
