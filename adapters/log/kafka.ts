/**
 * The log port over Kafka. Consumers of a group share the topic's partitions; a user's events are all in one of them.
 *
 * A batch is handed over, then its offset is committed; so what a crash or a rebalance interrupts is handed over again, perhaps
 * to another consumer, and the claims decide who sends. kafkajs tells nobody that partitions were taken away, ends for good on
 * many errors, and may wait without end for a broker that says nothing: each run of a consumer is a session, and a session that
 * ended or fell silent is followed by a new one, for ever.
 */
import type { EachBatchPayload, KafkaMessage } from 'kafkajs'
import type { Log, LogEntry } from '../../domain/ports.ts'
import { retry } from '../../workflows/support/retry.ts'
import { groupIdOf, kafkaError, openKafkaClient, type KafkaSettings } from './kafka/client.ts'
import { entryOf } from './kafka/cloud-event.ts'
import { consumerSession } from './kafka/session.ts'

/** Milliseconds a consumer may be silent before the others take its partitions; meanwhile its first tries wait. */
const SESSION_TIMEOUT = 10_000

/** The longest a handler is left without a sign to the broker that its consumer lives (milliseconds). */
const BEAT_EVERY = 1_000

/** Events handed over and committed together: a crash repeats no more of a partition. */
const MOST_AT_A_TIME = 16

export interface KafkaLogOptions extends KafkaSettings {
  /** Told of all that goes wrong; it is tried again. */
  onFailure?: (error: unknown) => void
  /** Milliseconds; another only for tests. */
  sessionTimeout?: number
}

export interface KafkaLog extends Log {
  /** For the machine that watches. @throws what keeps its consumer from working */
  check(): Promise<void>
}

export const openKafkaLog = (options: KafkaLogOptions): KafkaLog => {
  const { onFailure = () => {}, sessionTimeout = SESSION_TIMEOUT, ...settings } = options
  const { topic, installation } = settings
  let trouble: Error | null = new Error('no consumer has started yet')
  const tell = (error: unknown) => {
    trouble = kafkaError(settings, error)
    onFailure(trouble)
  }
  const onWorking = () => void (trouble = null)

  const entriesOf = (messages: readonly KafkaMessage[], partition: number): LogEntry[] =>
    messages.flatMap((message) => {
      const entry = entryOf(message, installation)
      if (entry) return [entry]
      onFailure(new Error(`not a Baoco event: ${topic}, partition ${partition}, offset ${message.offset}`))
      return []
    })

  return {
    check: () => (trouble ? Promise.reject(trouble) : Promise.resolve()),
    consume: async (group, handler, signal) => {
      const kafka = openKafkaClient(settings)

      const takeBatch = async (payload: EachBatchPayload, isOver: AbortSignal): Promise<void> => {
        const { batch, heartbeat, resolveOffset, commitOffsetsIfNecessary } = payload
        const { messages, partition } = batch
        // A rebalance that a beat tells of is met after the commit, which then still counts.
        const beating = setInterval(() => void heartbeat().catch(() => {}), BEAT_EVERY)
        try {
          for (let from = 0; from < messages.length; from += MOST_AT_A_TIME) {
            const part = messages.slice(from, from + MOST_AT_A_TIME)
            const entries = entriesOf(part, partition)
            // Also when the batch before this one was cut off: nothing of a partition may be passed over.
            if (isOver.aborted) return
            const handOver = () => (entries.length > 0 ? handler(entries).then(() => true) : Promise.resolve(true))
            if (!(await retry(handOver, { signal: isOver, onFailure: onFailure }))) return
            const { offset } = part.at(-1)!
            resolveOffset(offset)
            const next = String(BigInt(offset) + 1n)
            await commitOffsetsIfNecessary({ topics: [{ topic, partitions: [{ partition, offset: next }] }] })
          }
        } finally {
          clearInterval(beating)
        }
      }

      // A session that came to work is followed by the next at once, one that did not after a while.
      const session = () =>
        consumerSession(
          { kafka, topic, groupId: groupIdOf(settings, group), sessionTimeout, takeBatch, onWorking, tell },
          signal,
        )
      while (!signal.aborted) await retry(session, { signal: signal, onFailure: tell })
    },
  }
}
