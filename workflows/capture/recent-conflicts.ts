// Tests: tests/unit/workflows/capture/recent-conflicts.test.ts
/** Accounts whose streams another process has changed lately. It probably changes them again, so that groups read them before they append. */

/** For this long after a conflict, groups read first: milliseconds. */
const READ_FIRST_MS = 10_000
/** A forgotten account costs a conflict. */
const MOST_ACCOUNTS = 10_000

export class RecentConflicts {
  readonly #now: () => number
  /** When the last one was, by account: the oldest first. */
  readonly #at = new Map<number, number>()

  /** @param now  milliseconds that never go back */
  constructor(now = () => performance.now()) {
    this.#now = now
  }

  note(userId: number): void {
    this.#at.delete(userId)
    this.#at.set(userId, this.#now())
    if (this.#at.size > MOST_ACCOUNTS) this.#at.delete(this.#at.keys().next().value!)
  }

  has(userId: number): boolean {
    const at = this.#at.get(userId)
    if (at === undefined) return false
    if (this.#now() - at < READ_FIRST_MS) return true
    this.#at.delete(userId)
    return false
  }
}
