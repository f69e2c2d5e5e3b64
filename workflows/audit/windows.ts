// Tests: tests/integration/audit-since-last.test.ts
/** Finds new transactions whose notification is in no deduplication window. Memory holds only the ids of the last days. */
import { DEDUP_RETENTION_S, dedupStream } from '../../domain/dedup/events.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import type { EventStore } from '../../domain/ports.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import { pagesOfStream } from '../support/store-pages.ts'
import { slicesOf } from '../support/slices.ts'

/** Newer transactions must be in their window, even if the clocks of processes differ a little. */
const MARGIN_S = 3_600
const PAGE = 2_000

type Reading = Pick<EventStore, 'read'>

export class Windows {
  readonly #begin: number
  readonly #seen = new Set<number>()
  readonly #young: number[] = []

  constructor(now: Date) {
    this.#begin = now.getTime() - (DEDUP_RETENTION_S - MARGIN_S) * 1_000
  }

  /** Takes every event. */
  take({ type, data }: StoredEvent): void {
    if (type === 'NotificationSeen') this.#seen.add(data.transaction_id)
  }

  /** Takes the first event of a new transaction. */
  mustHave(first: StoredEvent | undefined): void {
    if (first?.type === 'TransactionCaptured' && Date.parse(first.data.created_at) > this.#begin)
      this.#young.push(first.data.transaction_id)
  }

  /** Call it after all events. @throws {StoreUnavailable} */
  async report(store: Reading, found: (fault: string) => void): Promise<void> {
    const unseen = this.#young.filter((id) => !this.#seen.has(id))
    // EventStoreDB stores the streams of a capture one after the other, so the audit may have begun in between.
    const windows = new Set<string>()
    for await (const [, [first]] of slicesOf(
      store,
      unseen.map((id) => ({ stream: transactionStream(id), limit: 1 })),
    ))
      if (first?.type === 'TransactionCaptured') windows.add(dedupStream(first.data.user_id, first.data.bank_code))
    for (const stream of windows) await this.#read(store, stream)
    for (const id of unseen)
      if (!this.#seen.has(id)) found(`${transactionStream(id)}: its notification is in no deduplication window`)
  }

  async #read(store: Reading, stream: string): Promise<void> {
    for await (const events of pagesOfStream(store, stream, PAGE)) for (const event of events) this.take(event)
  }
}
