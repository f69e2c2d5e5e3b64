// Tests: tests/unit/domain/parse-event.test.ts
/**
 * The edge of the event store: what leaves it is parsed once. Data that this process appended, and data that was parsed for another
 * subscription, is known to be good and is not checked again.
 */
import type { RecordedEvent } from '../../domain/event.ts'
import { parseEvent, type StoredEvent } from '../../domain/parse-event.ts'
import type { EventStore } from '../../domain/ports.ts'

const isObject = (data: unknown): data is object => typeof data === 'object' && data !== null

/** @param store  returns events as they are stored */
export const parsing = (store: EventStore<RecordedEvent>): EventStore => {
  const known = new WeakSet<object>()

  const parsed = (event: RecordedEvent): StoredEvent => {
    const { data } = event
    if (isObject(data) && known.has(data)) return event as StoredEvent
    const found = parseEvent(event)
    if (found.type !== 'Unreadable') known.add(found.data)
    return found
  }

  return {
    ...store,
    append: (units) => {
      for (const unit of units)
        for (const { events } of unit) for (const { data } of events) if (isObject(data)) known.add(data)
      return store.append(units)
    },
    read: async (slices) => (await store.read(slices)).map((events) => events.map(parsed)),
    readAll: async (after, limit) => (await store.readAll(after, limit)).map(parsed),
    subscribe: (options) => parsedBatches(store.subscribe(options), parsed),
  }
}

async function* parsedBatches(
  batches: ReturnType<EventStore<RecordedEvent>['subscribe']>,
  parsed: (event: RecordedEvent) => StoredEvent,
): ReturnType<EventStore['subscribe']> {
  for await (const batch of batches) yield { ...batch, events: batch.events.map(parsed) }
}
