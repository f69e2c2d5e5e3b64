// Tests: tests/contract/log/kafka.test.ts
/**
 * The log port over Kafka. The consumers of a group share the topic's partitions. All events of one user are in one
 * partition.
 *
 * A batch is handed over, then its offset is committed. So a batch that a crash or a rebalance interrupts is handed over
 * again, perhaps to another consumer, and claims decide which consumer sends. kafkajs does not report that partitions were
 * taken away, stops permanently on many errors, and may wait without limit for a broker that does not respond. So each run of
 * a consumer is a session. A new session follows every session that ended or became silent, without limit.
 */
import type { EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { EventStore, Log, LogEntry } from '../../domain/ports.ts'
import { retry } from '../../workflows/support/retry.ts'
import { isAtOrAfter } from '../../workflows/support/store-position.ts'
import { groupIdOf, kafkaError, openKafkaClient, type KafkaSettings } from './kafka/client.ts'
import { entryOf } from './kafka/cloud-event.ts'
import { consumerSession } from './kafka/session.ts'

/**
 * Milliseconds a consumer may be silent before the others take over its partitions. Until then, their first attempts wait.
 */
const SESSION_TIMEOUT = 10_000

/** The longest time in milliseconds between two heartbeats while a handler works. */
const BEAT_EVERY = 1_000

/** Events that are handed over and committed together. A crash repeats at most this many events of a partition. */
const MOST_AT_A_TIME = 16

export interface KafkaLogOptions extends KafkaSettings {
  /** Of the store whose events are on the topic. */
  isAfter: EventStore['isAfter']
  /** Called with every failure. The failed step is repeated. */
  onFailure?: (error: unknown) => void
  /** Called with each message that is not an event of Baoco. */
  onLeftOut?: (reason: string) => void
  /** Milliseconds. Only tests change it. */
  sessionTimeout?: number
}

export interface KafkaLog extends Log {
  /** For the health check. @throws the error that keeps the consumer from working */
  check(): Promise<void>
}

export const openKafkaLog = (options: KafkaLogOptions): KafkaLog => {
  const { isAfter, onFailure = () => {}, onLeftOut = () => {}, sessionTimeout = SESSION_TIMEOUT, ...settings } = options
  const { topic, installation } = settings
  let failure: Error | null = new Error('no consumer has started yet')
  const report = (error: unknown) => {
    failure = kafkaError(settings, error)
    onFailure(failure)
  }
  const onWorking = () => void (failure = null)

  const entriesOf = (messages: readonly KafkaMessage[], partition: number): LogEntry[] =>
    messages.flatMap((message) => {
      const entry = entryOf(message, installation)
      // A position that the store cannot have issued would make the handler fail again and again.
      if (entry && isAtOrAfter(entry.checkpoint, entry.checkpoint, isAfter)) return [entry]
      onLeftOut(`not a Baoco event: ${topic}, partition ${partition}, offset ${message.offset}`)
      return []
    })

  return {
    check: () => (failure ? Promise.reject(failure) : Promise.resolve()),
    consume: async (group, handler, signal) => {
      const kafka = openKafkaClient(settings)

      const takeBatch = (payload: EachBatchPayload, isOver: AbortSignal): Promise<void> =>
        handOverBatch(payload, async ({ messages, partition }) => {
          const entries = entriesOf(messages, partition)
          const handOver = () => (entries.length > 0 ? handler(entries).then(() => true) : Promise.resolve(true))
          return Boolean(await retry(handOver, { signal: isOver, onFailure }))
        })

      // After a session that had started to work, the next one starts at once. After one that had not, it starts after a
      // pause.
      const session = () =>
        consumerSession(
          { kafka, topic, groupId: groupIdOf(settings, group), sessionTimeout, takeBatch, onWorking, report },
          signal,
        )
      while (!signal.aborted) await retry(session, { signal, onFailure: report })
    },
  }
}

interface Part {
  messages: readonly KafkaMessage[]
  partition: number
}

/** Hands a batch over in parts, and commits each. @param handOver  returns false if the session has ended */
const handOverBatch = async (
  { batch, heartbeat, resolveOffset, commitOffsetsIfNecessary }: EachBatchPayload,
  handOver: (part: Part) => Promise<boolean>,
): Promise<void> => {
  const { topic, messages, partition } = batch
  // If a heartbeat reports a rebalance, the commit still counts; the session meets the rebalance afterwards.
  const beating = setInterval(() => void heartbeat().catch(() => {}), BEAT_EVERY)
  try {
    for (let from = 0; from < messages.length; from += MOST_AT_A_TIME) {
      const part = messages.slice(from, from + MOST_AT_A_TIME)
      // Also if the previous batch was cut off: no event of a partition may be skipped.
      if (!(await handOver({ messages: part, partition }))) return
      const { offset } = part.at(-1)!
      resolveOffset(offset)
      const next = String(BigInt(offset) + 1n)
      await commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset: next }] }] })
    }
  } finally {
    clearInterval(beating)
  }
}
