// Tests: tests/unit/workflows/relay/publish-again.test.ts, tests/integration/kafka/again.test.ts
/**
 * Publishes past events again. Either beside the relay, whose checkpoint stays where it is, or by the relay itself, whose
 * checkpoint is moved back. In the first case the repeats arrive between new events. In the second case all events from that
 * time on arrive again in order, the new ones after the old ones.
 *
 * Repeats have the id and the revision of the first message.
 */
import { decidedAt, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore, LogLines } from '../../domain/ports.ts'
import { retry } from '../support/retry.ts'
import { isPositionIn, lastPositionIn, storePositionOf, type StorePosition } from '../support/store-position.ts'
import { MOST_IN_BATCH, PREFIXES, type Publisher, type RelayCheckpoint } from './relay.ts'

interface Past {
  store: EventStore
  checkpoint: Pick<RelayCheckpoint, 'load'>
  /** Events that were decided at this time or later are published again. */
  from: Date
}

export interface AgainOptions extends Past {
  publisher: Publisher
  log: Pick<LogLines, 'warn'>
  onProgress?: (published: number) => void
}

/**
 * Publishes again the events that the relay has already published. Waits for servers that become unavailable meanwhile.
 * @returns the number of published events
 * @throws if the relay has not published yet · if the brokers are unavailable or refuse at the start
 */
export const publishAgain = async (options: AgainOptions, signal: AbortSignal): Promise<number> => {
  const { publisher, log, onProgress = () => {} } = options
  const until = (await publishedUpTo(options)).checkpoint
  let published = 0
  try {
    await publisher.publish([], signal)
    for await (const events of pastEvents(options, until, signal)) {
      const due = events.filter((event) => isDue(event, options))
      if (due.length === 0) continue
      const onFailure = (error: unknown) => log.warn({ reason: (error as Error).message }, 'relay.waits')
      if (!(await retry(() => publisher.publish(due, signal).then(() => true), { signal, onFailure }))) break
      published += due.length
      onProgress(published)
    }
  } finally {
    await publisher.close()
  }
  return published
}

/**
 * The position from which the relay publishes these events again.
 * @throws if the relay has not published yet, or if it has published no such event
 */
export const positionBefore = async (past: Past, signal: AbortSignal): Promise<StorePosition> => {
  const { store } = past
  const until = await publishedUpTo(past)
  // The first event of a store belongs to no transaction: it records the id of the installation.
  const [first] = await store.readAll(null, 1)
  let before = storePositionOf(first!)
  for await (const events of pastEvents(past, until.checkpoint, signal)) {
    const next = events.findIndex((event) => isDue(event, past))
    const last = lastPositionIn(next < 0 ? events : events.slice(0, next))
    if (last) before = storePositionOf(last)
    if (next >= 0) return before
  }
  throw new Error(signal.aborted ? 'stopped before the position was found' : 'no event of this time has been published')
}

const isDue = (event: StoredEvent, { from }: Past): boolean => {
  const at = decidedAt(event)
  return at !== null && Date.parse(at) >= from.getTime()
}

const publishedUpTo = async ({ store, checkpoint }: Past): Promise<StorePosition> => {
  const known = await checkpoint.load()
  if (known && (await isPositionIn(store, known))) return known
  throw new Error('the relay has not published events to this topic yet: it publishes all of them when it runs')
}

/** Batches of the transactions' events, up to a position. */
async function* pastEvents(
  { store }: Past,
  until: Checkpoint,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEvent[]> {
  const over = new AbortController()
  const ends = AbortSignal.any([over.signal, signal])
  try {
    for await (const { events, checkpoint, live } of store.subscribe({
      after: null,
      prefixes: PREFIXES,
      signal: ends,
      maxBatch: MOST_IN_BATCH,
    })) {
      yield events.filter((event) => !store.isAfter(event.checkpoint, until))
      if (live || !store.isAfter(until, checkpoint)) return
    }
  } finally {
    over.abort()
  }
}
