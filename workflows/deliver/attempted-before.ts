// Tests: tests/integration/delivery/takeover.test.ts
/**
 * Which entries of the log a worker may have attempted before: those up to the end of the store when the queue first knew this worker, or
 * knew it again. Their attempts are in the store, but the read models and the claims may have been lost and not yet show them.
 */
import type { Checkpoint, EventStore, LogEntry } from '../../domain/ports.ts'

export class AttemptedBefore {
  readonly #store: Pick<EventStore, 'end' | 'isAfter'>
  /** null until the end of the store is known: at the start, and after the queue was lost */
  #known: { upTo: Checkpoint | null } | null = null

  constructor(store: Pick<EventStore, 'end' | 'isAfter'>) {
    this.#store = store
  }

  get isKnown(): boolean {
    return this.#known !== null
  }

  /** Whether no worker can have attempted the entry's deliveries before. */
  isFirst({ checkpoint }: LogEntry): boolean {
    return this.#known !== null && (this.#known.upTo === null || this.#store.isAfter(checkpoint, this.#known.upTo))
  }

  /** After a heartbeat. @param isNew  the queue did not know this worker */
  async beaten(isNew: boolean): Promise<void> {
    if (isNew) this.#known = null
    this.#known ??= { upTo: await this.#store.end() }
  }
}
