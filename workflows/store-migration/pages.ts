/** Everything in a store, in order, a page at a time, up to its end. */
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
    // On its way while this one is worked on. What it fails with is thrown where it is waited for.
    coming = store.readAll(last.checkpoint, PAGE)
    coming.catch(() => {})
    yield page
  }
}
