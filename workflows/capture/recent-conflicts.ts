// Tests: tests/unit/workflows/capture/recent-conflicts.test.ts
/** Accounts whose streams another process has changed recently. It will probably change them again, so groups read them before they append. */
import { BoundedMap } from '../support/bounded-map.ts'

/** For this long after a conflict, groups read first: milliseconds. */
const READ_FIRST_MS = 10_000
/** A forgotten account costs a conflict. */
const MOST_ACCOUNTS = 10_000

export class RecentConflicts {
  readonly #now: () => number
  /** When the last one was, by account. */
  readonly #at = new BoundedMap<number, number>(MOST_ACCOUNTS)

  /** @param now  milliseconds that never go back */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  note(userId: number): void {
    this.#at.set(userId, this.#now())
  }

  has(userId: number): boolean {
    const at = this.#at.get(userId)
    if (at === undefined) return false
    if (this.#now() - at < READ_FIRST_MS) return true
    this.#at.delete(userId)
    return false
  }
}
