/**
 * The relay: every event of the `transaction-` streams goes to the topic, in the store's order.
 *
 * One process of many relays, by a lease. Its checkpoint moves on by compare-and-set after the broker's acknowledgement, so each
 * event is sent at least once, and again only where a relay ended between the two. A relay that was frozen while another took
 * over finds the checkpoint moved when it wakes and ends, having sent at most the batch it held.
 *
 * One batch is on its way at a time. Meanwhile the store's subscription gathers what comes, so batches grow with the load.
 */
import type { RecordedEvent } from '../../domain/event.ts'
import type { EventStore, Lease } from '../../domain/ports.ts'
import { isPlaceIn, placeOf, type Place } from '../place.ts'
import { untilDone } from '../until-done.ts'

const PREFIXES = ['transaction-']

/** Events on their way at a time. */
const MOST_IN_BATCH = 500

export interface Publisher {
  /**
   * Resolves when all of them are acknowledged; in order for each user.
   * @throws when they may not be, or the signal aborts; all of them may be published again
   */
  publish(events: readonly RecordedEvent[], signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface RelayCheckpoint {
  /** null before the first event */
  load(): Promise<Place | null>
  /** Moves from one place to the next. @returns false where it does not stand at the first any more */
  advance(from: Place | null, to: Place): Promise<boolean>
}

interface Lines {
  info(fields: object, what: string): void
  warn(fields: object, what: string): void
}

export interface RelayOptions {
  store: EventStore
  publisher: Publisher
  checkpoint: RelayCheckpoint
  lease: Lease
  log: Lines
}

/** Relays whenever it holds the lease, until the signal aborts; what is away is waited for. */
export const runRelay = async (options: RelayOptions, signal: AbortSignal): Promise<void> => {
  await options.lease.hold((held) => relayWhileHeld(options, held), signal)
  await options.publisher.close()
}

const relayWhileHeld = async (options: RelayOptions, held: AbortSignal): Promise<void> => {
  const { store, publisher, checkpoint, log } = options
  const insist = <Result>(attempt: () => Promise<Result>) =>
    untilDone(attempt, held, (error) => {
      if (!held.aborted) log.warn({ reason: (error as Error).message }, 'relay.waits')
    })

  const start = await insist(() => whereToStart(options))
  if (!start) return
  log.info({ after: start.after?.checkpoint ?? null }, 'relay.started')
  let place = start.known
  const after = start.after?.checkpoint ?? null
  for await (const { events } of store.subscribe({
    after,
    prefixes: PREFIXES,
    signal: held,
    maxBatch: MOST_IN_BATCH,
  })) {
    if (events.length === 0) continue
    const next = placeOf(events.at(-1)!)
    const isSent = await insist(() => publisher.publish(events, held).then(() => true))
    if (!isSent) return
    const isMoved = await insist(() => checkpoint.advance(place, next))
    if (isMoved === undefined) return
    if (!isMoved) return log.warn({ after: place?.checkpoint ?? null }, 'relay.overtaken')
    place = next
  }
}

/** After the event sent last; from the first where the store is not the one it was. */
const whereToStart = async ({ store, checkpoint, log }: RelayOptions) => {
  const known = await checkpoint.load()
  if (!known || (await isPlaceIn(store, known))) return { known, after: known }
  log.warn({ reason: 'the event sent last is not in the store' }, 'relay.from_the_first_event')
  return { known, after: null }
}
