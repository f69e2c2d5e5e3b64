/** The parts of the event store contract that an adapter under test supplies, and those that its cases share. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { RememberingStore } from '../../../adapters/event-store/history.ts'
import type { NewEvent, RecordedEvent } from '../../../domain/event.ts'
import type { Batch, EventStore, StreamAppend, Unit, UnitResult } from '../../../domain/ports.ts'

export interface StoreHarness {
  /** The store under test. It reaches its server through the network below. */
  store: RememberingStore<RecordedEvent>
  /** Another client, as in another process, with a direct connection to the server. The harness closes it. */
  another(options?: { deadlineMs?: number }): Promise<RememberingStore<RecordedEvent>>
  /** Missing if the tests do not own the server. */
  server?: {
    stop(): Promise<void>
    start(): Promise<void>
    /** Puts an older state in place, which ends at this event, and ends every connection. */
    putBack(checkpoint: string): Promise<void>
  }
  network: {
    /** Ends every connection and accepts none until `mend`. */
    cut(): void
    mend(): void
    /** Existing connections stay open but transmit nothing more. New connections work. */
    silence(): void
    /** Drops the next answer of the server and its connection. Resolves when that has happened. */
    loseNextAnswer(): Promise<void>
  }
  /** A module with `openStore(argument): Promise<EventStore>`, with which a child process opens the same store. */
  child: { module: string; argument: string }
  close(): Promise<void>
}

/** The abilities of the environment of an adapter under test. */
export interface Abilities {
  canStopServer: boolean
}

/** Registers the cases of one subject. `under` returns the harness once the suite has begun. */
export type Cases = (under: () => StoreHarness, abilities: Abilities) => void

/** A random name, so that the suite can run against a used store. */
export const streamName = (kind = 'contract'): string => `${kind}-${randomUUID()}`

export const event = (data: unknown = { note: 'ghi có' }, type = 'Noted'): NewEvent => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    user_id: 7,
    at: '2026-11-21T02:15:27.000Z',
    correlation_id: randomUUID(),
    causation_id: randomUUID(),
    version: 1,
  },
})

export const eventsOf = (count: number): NewEvent[] => Array.from({ length: count }, (_, n) => event({ n }))

/** One stream's part of a unit. */
export const part = (
  stream: string,
  expectedRevision: number,
  events: readonly NewEvent[] = [event()],
): StreamAppend => ({
  stream,
  expectedRevision,
  events,
})

export const appendOne = async (store: EventStore<RecordedEvent>, unit: Unit): Promise<UnitResult> => {
  const results = await store.append([unit])
  expect(results).to.have.length(1)
  return results[0]!
}

/** @returns the checkpoint of a unit that must succeed */
export const appended = async (store: EventStore<RecordedEvent>, unit: Unit): Promise<string> =>
  checkpointOf(await appendOne(store, unit))

export const checkpointOf = (result: UnitResult | undefined): string => {
  if (!result?.ok) throw new Error(`expected a success, got ${JSON.stringify(result)}`)
  return result.checkpoint
}

export const conflictWith = (stream: string, revision: number): UnitResult => ({
  ok: false,
  conflict: { stream, revision },
})

export const readStream = async (store: EventStore<RecordedEvent>, stream: string): Promise<RecordedEvent[]> =>
  (await store.read([{ stream }]))[0]!

export const idsOf = (events: readonly { id: string }[]): string[] => events.map(({ id }) => id)

export const revisionsOf = (events: readonly RecordedEvent[]): number[] => events.map(({ revision }) => revision)

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

/** Everything after a checkpoint, page by page. */
export const readToEnd = async (
  store: EventStore<RecordedEvent>,
  after: string | null,
  page = 100,
): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  for (let position = after; ; position = events.at(-1)!.checkpoint) {
    const more = await store.readAll(position, page)
    if (more.length === 0) return events
    events.push(...more)
  }
}

/** A subscription that records what it receives. */
export const follow = (
  store: EventStore<RecordedEvent>,
  options: { after: string | null; prefixes?: readonly string[]; maxBatch?: number },
  onBatch: (batch: Batch<RecordedEvent>) => void | Promise<void> = () => {},
) => {
  const stop = new AbortController()
  const batches: Batch<RecordedEvent>[] = []
  const ended = (async () => {
    for await (const batch of store.subscribe({ ...options, signal: stop.signal })) {
      batches.push(batch)
      await onBatch(batch)
    }
  })()
  return {
    batches,
    events: (): RecordedEvent[] => batches.flatMap(({ events }) => events),
    isLive: (): boolean => batches.at(-1)?.live === true,
    /** Rejects if the subscription fails. */
    ended,
    stop: async (): Promise<void> => {
      stop.abort()
      await ended
    },
  }
}

/** Checkpoints must rise from event to event. */
export const expectRising = (store: EventStore<RecordedEvent>, events: readonly RecordedEvent[]): void => {
  for (let index = 1; index < events.length; index++) {
    const [before, after] = [events[index - 1]!.checkpoint, events[index]!.checkpoint]
    if (!store.isAfter(after, before)) throw new Error(`${after} does not come after ${before} (event ${index})`)
  }
}
