// Tests: tests/integration/store-migration/store-migration.test.ts
/** Reads a store or a stream up to its end, in order, page by page. */
import type { RecordedEvent } from '../../domain/event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'

/** Limits of one page. With the longest texts, 2,000 events have 260 MB. */
const MOST_EVENTS = 2_000
const MOST_BYTES = 8 * 1_048_576

export async function* pages<Event extends RecordedEvent>(
  store: Pick<EventStore<Event>, 'readAll'>,
  from: Checkpoint | null = null,
): AsyncGenerator<Event[], void, undefined> {
  let coming = store.readAll(from, MOST_EVENTS, MOST_BYTES)
  for (;;) {
    const page = await coming
    const last = page.at(-1)
    if (!last) return
    // The next page is read while this one is processed. Its error is thrown at the await.
    coming = store.readAll(last.checkpoint, MOST_EVENTS, MOST_BYTES)
    coming.catch(() => {})
    yield page
  }
}

/** @param limit  events of a page. The last page has fewer. */
export async function* pagesOfStream<Event extends RecordedEvent>(
  store: Pick<EventStore<Event>, 'read'>,
  stream: string,
  limit: number,
): AsyncGenerator<readonly Event[], void, undefined> {
  for (let from = 0; ;) {
    const [page = []] = await store.read([{ stream, from, limit }])
    yield page
    if (page.length < limit) return
    from = page.at(-1)!.revision + 1
  }
}
