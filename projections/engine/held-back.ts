// Tests: tests/unit/projections/engine/held-back.test.ts
/**
 * The batches of a subscription. A batch that can wait is held back for a short time and joined with the next one, because one transaction
 * costs less than two. Nothing is held back while a caller waits for the read models.
 */
import type { Batch } from '../../domain/ports.ts'

export interface HoldBack {
  canWait(batch: Batch): boolean
  /** Milliseconds that a batch is held back at most. */
  mostMs(batch: Batch): number
  /** Resolves when a caller waits for the read models, at the latest after the time (milliseconds). */
  awaited(timeoutMs: number): Promise<void>
}

const joined = (one: Batch, next: Batch): Batch => ({ ...next, events: [...one.events, ...next.events] })

/** @param batches  must end when their signal aborts: the consumer may end while the next one is awaited */
export async function* heldBack(batches: AsyncIterable<Batch>, held: HoldBack): AsyncGenerator<Batch, void, undefined> {
  const iterator = batches[Symbol.asyncIterator]()
  // A batch grows until it is asked for, so it is asked for early only while another one is held back.
  let coming: Promise<IteratorResult<Batch>> | null = null
  try {
    for (;;) {
      const first = await (coming ?? iterator.next())
      coming = null
      if (first.done) return
      let batch = first.value
      const since = performance.now()
      while (held.canWait(batch)) {
        const left = since + held.mostMs(batch) - performance.now()
        if (left <= 0) break
        coming ??= iterator.next()
        const next = await Promise.race([coming, held.awaited(left)])
        if (!next || next.done) break
        coming = null
        batch = joined(batch, next.value)
      }
      // If it fails, the next turn of the loop throws.
      coming?.catch(() => {})
      yield batch
    }
  } finally {
    // Otherwise it would stay a member of the store's ring. Not awaited: a subscription that waits ends only when its signal aborts.
    void iterator.return?.().catch(() => {})
  }
}
