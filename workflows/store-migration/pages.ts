// Tests: tests/integration/store-migration/store-migration.test.ts
/** Reads everything in a store up to its end, in order, page by page. */
import type { RecordedEvent } from '../../domain/event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'

const PAGE = 2_000

export async function* pages<Event extends RecordedEvent>(
  store: Pick<EventStore<Event>, 'readAll'>,
  from: Checkpoint | null = null,
): AsyncGenerator<Event[], void, undefined> {
  let coming = store.readAll(from, PAGE)
  for (;;) {
    const page = await coming
    const last = page.at(-1)
    if (!last) return
    // The next page is read while this one is processed. Its error is thrown at the await.
    coming = store.readAll(last.checkpoint, PAGE)
    coming.catch(() => {})
    yield page
  }
}
