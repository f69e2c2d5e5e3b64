/**
 * Limits that a mail server broke (`adapters/mail/server-limits.ts`). The third time within a day its mailbox is paused. The
 * count lives with the connection's owner: a change of the mail account begins it anew.
 */

const DAY_MS = 86_400_000
const MOST = 3

export class Violations {
  #at: number[] = []

  /** @param now  milliseconds · @returns true where it was one too many */
  add(now: number): boolean {
    this.#at = [...this.#at.filter((at) => now - at < DAY_MS), now]
    return this.#at.length >= MOST
  }
}
