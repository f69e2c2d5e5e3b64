// Tests: tests/integration/eventstoredb/subscriptions.test.ts
/**
 * One subscription of the client to all events of this installation, read in batches. The client also reports that it has
 * caught up, and checkpoints. It reports them on arrival, which is ahead of events that are still buffered. This class
 * applies them only once the events before them have been taken.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { START, streamNameFilter, type EventStoreDBClient, type Position } from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Parse } from '../parse.ts'
import { ReceivedEvent } from './received-event.ts'
import type { Names } from './stream-names.ts'
import { NoAnswer } from './outage.ts'
import { isAfter, START_POSITION } from './position.ts'
import { recorded } from './event-conversion.ts'
import { waitUntilWoken } from '../../../workflows/support/abort.ts'

/** The number of events buffered here for a busy consumer. The rest waits at the server. */
const BUFFERED = 256
/** The server sends a checkpoint after it has checked this many events of others. */
const SEARCH_WINDOW = 1_000

export interface Taken<Event extends RecordedEvent> {
  events: ReceivedEvent<Event>[]
  /** All events up to here were taken. Null if none was. */
  position: Position | null
  /** All past events were taken, and no more are buffered. */
  live: boolean
  /** Somebody waits for this position (`end.ts`). */
  isMarked: boolean
}

export class Source<Event extends RecordedEvent> {
  readonly #subscription: ReturnType<EventStoreDBClient['subscribeToAll']>
  readonly #names: Names
  readonly #parse: Parse<Event>
  #taken = 0
  #liveFrom = Infinity
  #checkpoints: { from: number; position: Position }[] = []
  #failure: { error: unknown } | undefined
  #isConfirmed = false
  readonly #waiting = new Set<() => void>()

  constructor(client: EventStoreDBClient, names: Names, after: Position, parse: Parse<Event>) {
    this.#names = names
    this.#parse = parse
    const filter = streamNameFilter({
      prefixes: [names.prefix],
      maxSearchWindow: SEARCH_WINDOW,
      checkpointInterval: 1,
      checkpointReached: (_subscription, position) => {
        this.#checkpoints.push({ from: this.#arrived(), position })
        this.#wake()
        return Promise.resolve()
      },
    })
    const fromPosition = isAfter(after, START_POSITION) ? after : START
    this.#subscription = client.subscribeToAll({ fromPosition, filter }, { highWaterMark: BUFFERED })
    this.#subscription
      .on('readable', () => this.#wake())
      .on('confirmation', () => {
        this.#isConfirmed = true
        this.#wake()
      })
      .on('caughtUp', () => {
        this.#liveFrom = this.#arrived()
        this.#wake()
      })
      .on('fellBehind', () => (this.#liveFrom = Infinity))
      .on('error', (error) => this.fail(error))
      // A subscription never ends by itself. Both events mean that it must be recreated.
      .on('end', () => this.fail(new NoAnswer('the subscription ended')))
      .on('close', () => this.fail(new NoAnswer('the subscription was closed')))
  }

  get isConfirmed(): boolean {
    return this.#isConfirmed
  }

  /** The reason it ended. Undefined while it continues. */
  get failure(): { error: unknown } | undefined {
    return this.#failure
  }

  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#wake()
  }

  /** Takes the buffered events without waiting. @param most  the largest number of wanted events */
  take(most: number, isWanted: (stream: string) => boolean): Taken<Event> {
    const events: ReceivedEvent<Event>[] = []
    let position: Position | null = null
    let isMarked = false
    while (events.length < most) {
      const resolved = this.#subscription.read() as { event?: Parameters<typeof recorded>[0] } | null
      if (resolved === null) break
      this.#taken++
      const { event } = resolved
      if (!event) continue
      position = event.position ?? position
      isMarked ||= this.#names.isInternal(event)
      const stream = this.#names.of(event)
      if (stream === null || !isWanted(stream)) continue
      events.push(new ReceivedEvent(event.position!, recorded(event, stream), this.#parse))
    }
    while (this.#checkpoints.length > 0 && this.#checkpoints[0]!.from <= this.#taken)
      position = later(position, this.#checkpoints.shift()!.position)
    return {
      events,
      position,
      isMarked,
      live: this.#liveFrom <= this.#taken && this.#subscription.readableLength === 0,
    }
  }

  /** Resolves when something arrived or failed, or after this many milliseconds. */
  async moved(withinMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#failure) return
    await waitUntilWoken(withinMs, signal, this.#waiting)
    // Everything else that arrived with it joins the same batch.
    await nextTurn()
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }

  close(): void {
    this.#subscription.unsubscribe().catch(() => {})
  }

  /** The number of events that have arrived so far. */
  #arrived(): number {
    return this.#taken + this.#subscription.readableLength
  }
}

const later = (a: Position | null, b: Position): Position => (a === null || b.commit > a.commit ? b : a)
