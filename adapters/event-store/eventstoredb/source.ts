/**
 * One subscription of the client, to everything of this installation, taken from in batches. What the client tells beside
 * the events (caught up, a checkpoint) it tells when it arrives, which is ahead of events that nobody has taken yet; here it
 * counts when those before it have been taken.
 */
import { START, streamNameFilter, type EventStoreDBClient, type Position } from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import { NoAnswer } from './outage.ts'
import { recorded } from './recorded.ts'

/** Events held here for a consumer that is busy; the rest waits at the server. */
const BUFFERED = 256
/** The server tells a checkpoint after looking through so many events of others. */
const SEARCH_WINDOW = 500

export interface Taken {
  events: RecordedEvent[]
  /** Everything up to here has been taken; null: nothing was. */
  position: Position | null
  /** The past is over, and nothing more is here. */
  live: boolean
}

export class Source {
  readonly #subscription: ReturnType<EventStoreDBClient['subscribeToAll']>
  readonly #prefix: string
  #taken = 0
  #liveFrom = Infinity
  #checkpoints: { from: number; position: Position }[] = []
  #failure: { error: unknown } | undefined
  #isConfirmed = false
  #wake: () => void = () => {}

  /** @param prefix  of the names of all streams of this installation · @param after  null: from the start */
  constructor(client: EventStoreDBClient, prefix: string, after: Position | null) {
    this.#prefix = prefix
    const filter = streamNameFilter({
      prefixes: [prefix],
      maxSearchWindow: SEARCH_WINDOW,
      checkpointInterval: 1,
      checkpointReached: (_subscription, position) => {
        this.#checkpoints.push({ from: this.#arrived(), position })
        this.#wake()
        return Promise.resolve()
      },
    })
    this.#subscription = client.subscribeToAll({ fromPosition: after ?? START, filter }, { highWaterMark: BUFFERED })
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
      // It never ends by itself. Both signals mean that it must be recreated.
      .on('end', () => this.fail(new NoAnswer('the subscription ended')))
      .on('close', () => this.fail(new NoAnswer('the subscription was closed')))
  }

  get isConfirmed(): boolean {
    return this.#isConfirmed
  }

  /** Why it has ended; undefined while it goes on. */
  get failure(): { error: unknown } | undefined {
    return this.#failure
  }

  fail(error: unknown): void {
    this.#failure ??= { error }
    this.#wake()
  }

  /** What is here, without waiting. @param most  wanted events at most */
  take(most: number, isWanted: (stream: string) => boolean): Taken {
    const events: RecordedEvent[] = []
    let position: Position | null = null
    while (events.length < most) {
      const resolved = this.#subscription.read() as { event?: Parameters<typeof recorded>[0] } | null
      if (resolved === null) break
      this.#taken++
      const { event } = resolved
      if (!event) continue
      position = event.position ?? position
      const stream = event.streamId.slice(this.#prefix.length)
      if (isWanted(stream)) events.push(recorded(event, stream))
    }
    while (this.#checkpoints.length > 0 && this.#checkpoints[0]!.from <= this.#taken)
      position = later(position, this.#checkpoints.shift()!.position)
    return { events, position, live: this.#liveFrom <= this.#taken && this.#subscription.readableLength === 0 }
  }

  /** Resolves when something has come or failed, or the time is over (milliseconds). */
  moved(withinMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#failure) return resolve()
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#wake = () => {}
        // What else has come with it joins the same batch.
        setImmediate(resolve)
      }
      const timer = setTimeout(done, withinMs)
      signal.addEventListener('abort', done)
      this.#wake = done
    })
  }

  close(): void {
    this.#subscription.unsubscribe().catch(() => {})
  }

  /** How many events have come so far. */
  #arrived(): number {
    return this.#taken + this.#subscription.readableLength
  }
}

const later = (a: Position | null, b: Position): Position => (a === null || b.commit > a.commit ? b : a)
