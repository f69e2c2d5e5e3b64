/**
 * The log port without Kafka: the store's own subscription to the `transaction-` streams, and an offset per consumer group in
 * Postgres. Every consumer of a group reads everything; the claims decide who sends. So a consumer that dies needs no
 * rebalancing, and one that comes late only reads what the others have done.
 */
import { asStored, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore, Log, LogEntry } from '../../domain/ports.ts'
import type { Database } from '../database/database.ts'
import { commitOffset, readOffset } from './offset.ts'
import { retry } from '../../workflows/support/retry.ts'

const PREFIXES = ['transaction-']

/** A crash hands over again what this leaves uncommitted, which consumers expect. */
const COMMIT_EVERY_MS = 200

export interface EmbeddedLogOptions {
  store: EventStore
  /** Where the offsets are; migrated. */
  database: Database
  /** Where a group that nobody has heard of begins; null, and by default: at the store's first event. */
  from?: Checkpoint | null
  /** Told of every failed try of a handler or an offset; it is made again. */
  onFailure?: (error: unknown) => void
}

export const openEmbeddedLog = ({ store, database, from = null, onFailure = () => {} }: EmbeddedLogOptions): Log => ({
  consume: async (group, handler, signal) => {
    const again = <Result>(attempt: () => Promise<Result>) => retry(attempt, { signal: signal, onFailure: onFailure })
    const start = await again(() => readOffset(database, group))
    if (start === undefined) return
    let known = start
    let handedOver = start
    const commit = async (): Promise<void> => {
      if (handedOver !== null && handedOver !== known)
        known = await commitOffset(database, store, group, handedOver, known)
    }
    let committedAt = -Infinity
    for await (const { events, checkpoint } of store.subscribe({ after: start ?? from, prefixes: PREFIXES, signal })) {
      const entries = entriesOf(events, onFailure)
      if (entries.length > 0) {
        const handled = await again(() => handler(entries).then(() => true))
        if (!handled) break
      }
      handedOver = checkpoint
      if (performance.now() - committedAt < COMMIT_EVERY_MS) continue
      await again(commit)
      committedAt = performance.now()
    }
    // Written once more at the end: what was handed over need not be handed over again at the next start.
    await commit().catch(onFailure)
  },
})

/**
 * What the log carries of events; the personal data stays behind. An event that belongs to nobody is a fault of whoever wrote
 * it: it is told and left out, for stopping at it would stop everybody's deliveries for good.
 */
const entriesOf = (events: readonly StoredEvent[], onFailure: (error: unknown) => void): LogEntry[] =>
  events.map(asStored).flatMap(({ id, type, data, metadata, revision, checkpoint, stream }) => {
    const transaction_id =
      typeof data === 'object' && data !== null && 'transaction_id' in data ? Number(data.transaction_id) : undefined
    if (metadata.user_id !== null && transaction_id !== undefined)
      return [{ event_id: id, type, user_id: metadata.user_id, transaction_id, revision, at: metadata.at, checkpoint }]
    onFailure(new Error(`event without a user or transaction: ${stream}, revision ${revision}`))
    return []
  })
