/**
 * The event store as everything inside sees it: an event that the operator has skipped is `Skipped` for every reader.
 *
 * The decisions are read once, and again whenever an event appears that cannot be read. So a skip takes effect at the next read of its
 * stream, in every process, and reads of good events cost nothing.
 */
import { isResolution, Resolutions } from '../../domain/parked/resolutions.ts'
import { PARKED_STREAM } from '../../domain/parked/events.ts'
import { asSkipped, type StoredEvent, type Unreadable } from '../../domain/parse-event.ts'
import type { Batch, EventStore } from '../../domain/ports.ts'
import { retry } from '../support/retry.ts'

/** All decisions that the store has. @throws {StoreUnavailable} */
export const readResolutions = async (store: Pick<EventStore, 'read'>): Promise<Resolutions> => {
  const resolutions = new Resolutions()
  const [events = []] = await store.read([{ stream: PARKED_STREAM }])
  for (const event of events) if (isResolution(event)) resolutions.add(event)
  return resolutions
}

/** The operator's decisions, as read last. */
class Decisions {
  readonly #store: Pick<EventStore, 'read'>
  #known: Promise<Resolutions> | null = null
  /** Whether the decisions are known, and none is to skip an event. */
  isNothingSkipped = false

  constructor(store: Pick<EventStore, 'read'>) {
    this.#store = store
  }

  forget(): void {
    this.#known = null
    this.isNothingSkipped = false
  }

  read(): Promise<Resolutions> {
    if (this.#known) return this.#known
    const reading = (this.#known = readResolutions(this.#store))
    const isCurrent = (): boolean => this.#known === reading
    reading.then(
      ({ size }) => isCurrent() && (this.isNothingSkipped = size === 0),
      () => isCurrent() && this.forget(),
    )
    return reading
  }
}

const isOpen = (event: StoredEvent): event is Unreadable =>
  event.type === 'Unreadable' && event.stream !== PARKED_STREAM

const isBlocked = (events: readonly StoredEvent[]): boolean => events.some(isOpen)

/** @param onUnreadable  is called once for each event that cannot be read and is not skipped */
export const storeWithSkips = (store: EventStore, onUnreadable: (event: Unreadable) => void = () => {}): EventStore => {
  const decisions = new Decisions(store)
  const reported = new Set<string>()

  const report = (event: Unreadable): void => {
    if (reported.has(event.id)) return
    reported.add(event.id)
    onUnreadable(event)
  }

  /** Whether it is known, without a read, that nothing in the events is skipped or cannot be read. */
  const isClear = (events: readonly StoredEvent[]): boolean => decisions.isNothingSkipped && !isBlocked(events)

  /** @returns the same lists if they contain nothing to skip */
  const obey = async <List extends readonly StoredEvent[]>(lists: List[]): Promise<List[]> => {
    if (lists.every(isClear)) return lists
    if (lists.some(isBlocked)) decisions.forget()
    const skips = await decisions.read()
    if (lists.every(isClear)) return lists
    return lists.map((events) =>
      events.map((event) => {
        if (skips.isSkipped(event)) return asSkipped(event)
        if (isOpen(event)) report(event)
        return event
      }),
    ) as unknown as List[]
  }

  return {
    keepsOrder: store.keepsOrder,
    comparesUnwritten: store.comparesUnwritten,
    append: (units) => store.append(units),
    read: async (slices) => obey(await store.read(slices)),
    readAll: async (...asked) => (await obey([await store.readAll(...asked)]))[0]!,
    subscribe: (options) => obeyed(store.subscribe(options), { isClear, obey }, options.signal),
    end: () => store.end(),
    isAfter: (a, b) => store.isAfter(a, b),
    retain: (prefix, maxAgeSeconds) => store.retain(prefix, maxAgeSeconds),
    expire: () => store.expire(),
    erase: (stream) => store.erase(stream),
    close: () => store.close(),
  }
}

interface Obeying {
  isClear: (events: Batch['events']) => boolean
  obey: (lists: Batch['events'][]) => Promise<Batch['events'][]>
}

async function* obeyed(
  batches: AsyncIterable<Batch>,
  { isClear, obey }: Obeying,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    if (isClear(batch.events)) {
      yield batch
      continue
    }
    // A subscription survives a store that goes away.
    const [events] = (await retry(() => obey([batch.events]), { signal, onFailure: () => {} })) ?? []
    if (!events) return
    yield events === batch.events ? batch : { ...batch, events }
  }
}
