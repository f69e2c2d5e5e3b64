/** Everything in a store, in order, a page at a time, up to its end. */
import type { RecordedEvent } from '../../domain/event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'

const PAGE = 2_000

export async function* pages(
  store: Pick<EventStore, 'readAll'>,
  from: Checkpoint | null = null,
): AsyncGenerator<RecordedEvent[], void, undefined> {
  for (let after = from; ;) {
    const page = await store.readAll(after, PAGE)
    const last = page.at(-1)
    if (!last) return
    yield page
    after = last.checkpoint
  }
}
