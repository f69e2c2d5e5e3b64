/**
 * The event store as everything inside sees it: an event that the operator has skipped is `Skipped`, whatever reads it.
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

/** @param onUnreadable  is called once for each event that cannot be read and is not skipped */
export const obeyingSkips = (store: EventStore, onUnreadable: (event: Unreadable) => void = () => {}): EventStore => {
  let known: Promise<Resolutions> | null = null
  const reported = new Set<string>()

  const resolutions = (): Promise<Resolutions> =>
    (known ??= readResolutions(store).catch((error: unknown) => {
      known = null
      throw error
    }))

  const report = (event: Unreadable): void => {
    if (reported.has(event.id)) return
    reported.add(event.id)
    onUnreadable(event)
  }

  const isOpen = (event: StoredEvent): event is Unreadable =>
    event.type === 'Unreadable' && event.stream !== PARKED_STREAM

  /** @returns the same lists if they contain nothing to skip */
  const obey = async <List extends readonly StoredEvent[]>(lists: List[]): Promise<List[]> => {
    const isBlocked = lists.some((events) => events.some(isOpen))
    if (isBlocked) known = null
    const skips = await resolutions()
    if (skips.size === 0 && !isBlocked) return lists
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
    readAll: async (after, limit) => (await obey([await store.readAll(after, limit)]))[0]!,
    subscribe: (options) => obeyed(store.subscribe(options), obey, options.signal),
    end: () => store.end(),
    isAfter: (a, b) => store.isAfter(a, b),
    retain: (prefix, maxAgeSeconds) => store.retain(prefix, maxAgeSeconds),
    expire: () => store.expire(),
    erase: (stream) => store.erase(stream),
    close: () => store.close(),
  }
}

async function* obeyed(
  batches: AsyncIterable<Batch>,
  obey: (lists: Batch['events'][]) => Promise<Batch['events'][]>,
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    // A subscription survives a store that goes away.
    const [events] = (await retry(() => obey([batch.events]), { signal, onFailure: () => {} })) ?? []
    if (!events) return
    yield events === batch.events ? batch : { ...batch, events }
  }
}
