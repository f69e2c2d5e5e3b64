// Tests: tests/unit/workflows/relay/relay.test.ts, tests/integration/kafka/relay.test.ts
/**
 * The relay: sends every event of the `transaction-` streams to the topic, in the order of the store.
 *
 * A lease ensures that one process relays. Its checkpoint moves by compare-and-set after the broker's acknowledgement.
 * So each event is sent at least once, and twice only if a relay ended between the two steps. A relay that was frozen
 * while another took over finds the checkpoint moved when it wakes. Then it ends, after sending at most the batch that
 * it held.
 *
 * One batch is under way at a time. Meanwhile the store's subscription collects new events, so batches grow with the
 * load.
 */
import { decidedAt, type StoredEvent } from '../../domain/parse-event.ts'
import type { EventStore, Lease, LogLines } from '../../domain/ports.ts'
import { isPositionIn, lastPositionIn, storePositionOf, type StorePosition } from '../support/store-position.ts'
import { retry } from '../support/retry.ts'

export const PREFIXES = ['transaction-']

/** Most events in one batch. */
export const MOST_IN_BATCH = 500

export interface Publisher {
  /**
   * Resolves when all events are acknowledged. The order per user is kept. Without events, it only connects.
   * @throws if the acknowledgement failed or the signal aborts; all of them may be published again
   */
  publish(events: readonly StoredEvent[], signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface RelayCheckpoint {
  /** null before the first event */
  load(): Promise<StorePosition | null>
  /** Moves from one position to the next. @returns false if it is no longer at the first one */
  advance(from: StorePosition | null, to: StorePosition): Promise<boolean>
}

/** The progress of the relay, for monitoring. */
export class RelayProgress {
  #isActive = false
  /** When the oldest event that is not yet on the topic was decided, as far as is known. */
  #behindSince: string | null = null
  #failure: unknown = null

  /** Milliseconds from that event to now; 0 if all events are on the topic; null if another process relays. */
  lag(now: Date): number | null {
    if (!this.#isActive) return null
    return this.#behindSince === null ? 0 : Math.max(0, now.getTime() - Date.parse(this.#behindSince))
  }

  /** The failure that the relay waits out; null if it works or another process relays. */
  failure(): unknown {
    return this.#failure
  }

  started(): void {
    this.#isActive = true
    this.#behindSince = null
  }
  ended(): void {
    this.#isActive = false
    this.#failure = null
  }
  waits(failure: unknown): void {
    this.#failure = failure
  }
  works(): void {
    this.#failure = null
  }
  sending(events: readonly StoredEvent[]): void {
    this.#behindSince = decidedAt(events[0]!) ?? this.#behindSince
  }
  /** @param isLast  whether no further events wait */
  sent(events: readonly StoredEvent[], isLast: boolean): void {
    this.#behindSince = isLast ? null : (decidedAt(events.at(-1)!) ?? this.#behindSince)
  }
}

export interface RelayOptions {
  store: EventStore
  publisher: Publisher
  checkpoint: RelayCheckpoint
  lease: Lease
  log: Pick<LogLines, 'info' | 'warn'>
  progress?: RelayProgress
}

/** Relays while it holds the lease, until the signal aborts. While a server is unavailable, it keeps retrying. */
export const runRelay = async (options: RelayOptions, signal: AbortSignal): Promise<void> => {
  const { lease, progress = new RelayProgress() } = options
  const relay = async (held: AbortSignal) => {
    progress.started()
    await relayWhileHeld(options, progress, held).finally(() => progress.ended())
  }
  await lease.hold(relay, signal)
  await options.publisher.close()
}

const relayWhileHeld = async (options: RelayOptions, progress: RelayProgress, held: AbortSignal): Promise<void> => {
  const { store, publisher, checkpoint, log } = options
  const onFailure = (error: unknown): void => {
    if (held.aborted) return
    progress.waits(error)
    log.warn({ reason: (error as Error).message }, 'relay.waits')
  }
  const insist = async <Result>(attempt: () => Promise<Result>): Promise<Result | undefined> => {
    const result = await retry(attempt, { signal: held, onFailure })
    progress.works()
    return result
  }

  const start = await insist(() => whereToStart(options))
  if (!start) return
  // Before the first event, so that a missing right of the Kafka user is found at the start.
  const connected = insist(() => publisher.publish([], held).then(() => true))
  log.info({ after: start.after?.checkpoint ?? null }, 'relay.started')
  let position = start.known
  const after = start.after?.checkpoint ?? null
  for await (const { events, live } of store.subscribe({
    after,
    prefixes: PREFIXES,
    signal: held,
    maxBatch: MOST_IN_BATCH,
  })) {
    if (events.length === 0) continue
    const last = lastPositionIn(events)
    if (!last) continue
    const next = storePositionOf(last)
    progress.sending(events)
    const isMoved =
      (await connected) &&
      (await insist(() => publisher.publish(events, held).then(() => true))) &&
      (await insist(() => checkpoint.advance(position, next)))
    if (isMoved === false) log.warn({ after: position?.checkpoint ?? null }, 'relay.overtaken')
    if (!isMoved) return
    progress.sent(events, live)
    position = next
  }
}

/** Starts after the last sent event, or from the first event if the store is a different one. */
const whereToStart = async ({ store, checkpoint, log }: RelayOptions) => {
  const known = await checkpoint.load()
  if (!known || (await isPositionIn(store, known))) return { known, after: known }
  log.warn({ reason: 'last sent event not found in the store' }, 'relay.from_the_first_event')
  return { known, after: null }
}
