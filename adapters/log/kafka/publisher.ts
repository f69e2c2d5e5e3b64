// Tests: tests/contract/log/kafka.test.ts
/**
 * Writes events to the topic with one idempotent producer and one request in flight. All in-sync replicas acknowledge it.
 *
 * After any failure, the next attempt uses a new producer. The broker may have written messages that it could not
 * acknowledge. A producer that reused their sequence numbers for other messages would be refused permanently.
 */
import { Partitioners, type Kafka, type Message, type Producer } from 'kafkajs'
import { asStored, type StoredEvent } from '../../../domain/parse-event.ts'
import type { Publisher } from '../../../workflows/relay/relay.ts'
import { orAborted } from '../../../workflows/support/abort.ts'
import { endedWithin } from '../../../workflows/support/ended-within.ts'
import { kafkaError, openKafkaClient, type KafkaSettings } from './client.ts'
import { messageOf, type Origin } from './cloud-event.ts'
import { hasType, needing } from './missing-acl.ts'
import { FRAMING, openPartSize } from './part-size.ts'
import { ensureTopic } from './topic.ts'

const TOO_LARGE = /^(MESSAGE|RECORD_LIST)_TOO_LARGE$/

const CLOSE_WITHIN_MS = 1_000

export interface PublisherOptions extends KafkaSettings {
  /** `ce_source` of the events: the address of this installation. */
  source: string
  /** Whether the events contain names and account numbers. Default: false. */
  personalData?: boolean
  /** Called with each event that no message can be made of. */
  onLeftOut?: (reason: string) => void
}

export const openKafkaPublisher = (options: PublisherOptions): Publisher => {
  const { onLeftOut = () => {}, ...settings } = options
  const kafka = openKafkaClient(settings)
  const { topic } = settings
  let producer: Producer | null = null
  const partSize = openPartSize()

  const send = async (messages: readonly Message[], signal: AbortSignal): Promise<void> => {
    if (!producer) {
      partSize.stated(await ensureTopic(kafka, topic))
      const fresh = await connected(kafka, topic)
      // The caller has stopped waiting.
      if (signal.aborted) return fresh.disconnect()
      producer = fresh
    } else if (partSize.isOutdated()) partSize.stated(await ensureTopic(kafka, topic))
    const sending = producer
    for (const part of inParts(messages, partSize.bytes())) {
      if (signal.aborted) return
      await needing(writing(topic), () =>
        sending.sendBatch({ acks: -1, timeout: 10_000, topicMessages: [{ topic, messages: part }] }),
      )
    }
  }

  const giveUp = (): Promise<void> => {
    const closing = producer?.disconnect() ?? Promise.resolve()
    producer = null
    return closing
  }

  return {
    publish: async (events, signal) => {
      const messages = messagesOf(events, settings, onLeftOut)
      try {
        // Nothing ends the retries of kafkajs.
        const isSent = await orAborted(
          send(messages, signal).then(() => true),
          signal,
        )
        if (!isSent) throw new Error('stopped')
        partSize.accepted()
      } catch (error) {
        giveUp().catch(() => {})
        if (hasType(error, TOO_LARGE)) partSize.refused()
        throw kafkaError(settings, error)
      }
    },
    close: () => endedWithin(CLOSE_WITHIN_MS, giveUp()),
  }
}

const connected = async (kafka: Kafka, topic: string): Promise<Producer> => {
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: Partitioners.DefaultPartitioner,
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 },
  })
  try {
    await needing(writing(topic), () => producer.connect())
    return producer
  } catch (error) {
    producer.disconnect().catch(() => {})
    throw error
  }
}

const writing = (topic: string) => ({ operation: 'Write', resource: 'topic', name: topic }) as const

/** Leaves out skipped events, and an event without a user, a bug of its writer: stopping would stop all deliveries. */
const messagesOf = (events: readonly StoredEvent[], from: Origin, onLeftOut: (reason: string) => void): Message[] =>
  events.flatMap((event) => {
    if (event.type === 'Skipped') return []
    const message = messageOf(asStored(event), from)
    if (message) return [message]
    onLeftOut(`event without a user or transaction: ${event.stream}, revision ${event.revision}`)
    return []
  })

/** Splits messages in order. Each part fits into one request, even if all its messages belong to one user. A part has one message at least. */
const inParts = (messages: readonly Message[], mostBytes: number): Message[][] => {
  const parts: Message[][] = []
  let room = 0
  for (const message of messages) {
    const size = FRAMING + Buffer.byteLength(message.value ?? '')
    if (size > room) {
      parts.push([])
      room = mostBytes
    }
    parts.at(-1)!.push(message)
    room -= size
  }
  return parts
}
