// Tests: tests/contract/log/embedded.test.ts
/**
 * The log port without Kafka. It uses the store's own subscription to the `transaction-` streams and keeps one offset per
 * consumer group in Postgres. Every consumer of a group reads all events; claims decide which consumer sends. So a dead
 * consumer needs no rebalancing, and a late consumer only reads events that the others have already handled.
 */
import { asStored, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore, Log, LogEntry } from '../../domain/ports.ts'
import type { Database } from '../database/database.ts'
import { commitOffset, readOffset } from './offset.ts'
import { retry } from '../../workflows/support/retry.ts'

/** Events of accounts are read only for their positions. */
const PREFIXES = ['transaction-', 'account-']

/** After a crash, events that were not committed yet are handed over again. Consumers must expect that. */
const COMMIT_EVERY_MS = 1_000

export interface EmbeddedLogOptions {
  store: EventStore
  /** The migrated database that stores the offsets. */
  database: Database
  /** Called with every failure of a handler, an offset query or the subscription. The attempt is repeated. */
  onFailure?: (error: unknown) => void
  /** Called with each event that no entry can be made of. */
  onLeftOut?: (reason: string) => void
}

export const openEmbeddedLog = ({
  store,
  database,
  onFailure = () => {},
  onLeftOut = () => {},
}: EmbeddedLogOptions): Log => ({
  consume: async (group, handler, signal) => {
    const again = <Result>(attempt: (worked: () => void) => Promise<Result>) => retry(attempt, { signal, onFailure })
    const start = await again(async () => withinStore(store, await readOffset(database, group)))
    if (start === undefined) return
    let known = start
    let handedOver = start
    const commit = async (): Promise<void> => {
      if (handedOver !== null && handedOver !== known)
        known = await commitOffset(database, store, group, handedOver, known)
    }
    let committedAt = -Infinity
    const toEntries = entriesOf(start, onLeftOut)
    const follow = async (worked: () => void): Promise<void> => {
      for await (const { events, checkpoint } of store.subscribe({ after: handedOver, prefixes: PREFIXES, signal })) {
        const entries = toEntries(events)
        if (entries.length > 0) {
          const handled = await again(() => handler(entries).then(() => true))
          if (!handled) return
        }
        handedOver = checkpoint
        worked()
        if (performance.now() - committedAt < COMMIT_EVERY_MS) continue
        await again(commit)
        committedAt = performance.now()
      }
    }
    // A subscription waits for a store that is away, and ends if the store refuses it.
    await again(follow)
    // A last commit, so that the next start does not hand these events over again.
    await commit().catch(onFailure)
  },
})

/** @returns null if the offset is beyond the end: the store went back in time, and new events take the positions up to there */
const withinStore = async (store: EventStore, offset: Checkpoint | null): Promise<Checkpoint | null> => {
  if (offset === null) return null
  const end = await store.end()
  return end !== null && !store.isAfter(offset, end) ? offset : null
}

/**
 * Converts events to log entries. Skipped events are left out. An event without a user or a transaction is a bug of its writer. It is
 * reported and left out, because stopping at it would stop all deliveries permanently.
 * @param from  the position at which the subscription starts
 */
const entriesOf = (from: Checkpoint | null, onLeftOut: (reason: string) => void) => {
  let accountsAt = from
  return (events: readonly StoredEvent[]): LogEntry[] => {
    const entries: LogEntry[] = []
    for (const event of events) {
      if (event.stream.startsWith('account-')) accountsAt = event.checkpoint
      else if (event.type !== 'Skipped') {
        const entry = entryOf(event, accountsAt)
        if (entry) entries.push(entry)
        else onLeftOut(`event without a user or transaction: ${event.stream}, revision ${event.revision}`)
      }
    }
    return entries
  }
}

const entryOf = (event: StoredEvent, accountsAt: Checkpoint | null): LogEntry | null => {
  const { id, type, data, metadata, revision, checkpoint } = asStored(event)
  const transaction_id =
    typeof data === 'object' && data !== null && 'transaction_id' in data ? Number(data.transaction_id) : undefined
  const { user_id, at, correlation_id } = metadata
  if (user_id === null || transaction_id === undefined) return null
  const entry: LogEntry = { event_id: id, type, user_id, transaction_id, revision, at, correlation_id, checkpoint }
  if (event.type === 'TransactionCaptured') entry.captured = { data: event.data, accountsAt }
  return entry
}
