// Tests: tests/integration/audit-since-last.test.ts
/** Reads many slices of streams, a few at a time, so that memory never holds the events of all. */
import type { StoredEvent } from '../../domain/parse-event.ts'
import type { EventStore, Slice } from '../../domain/ports.ts'

const AT_A_TIME = 200

/** @throws {StoreUnavailable} */
export async function* slicesOf(
  store: Pick<EventStore, 'read'>,
  slices: readonly Slice[],
): AsyncGenerator<[stream: string, events: StoredEvent[]], void, undefined> {
  for (let from = 0; from < slices.length; from += AT_A_TIME) {
    const some = slices.slice(from, from + AT_A_TIME)
    const found = await store.read(some)
    for (const [index, { stream }] of some.entries()) yield [stream, found[index]!]
  }
}
