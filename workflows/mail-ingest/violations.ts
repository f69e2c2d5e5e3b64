// Tests: tests/unit/workflows/mail-ingest/slots.test.ts
/**
 * Limits that a mail server has exceeded (`adapters/mail/server-limits.ts`). At the third time within a day, its
 * mailbox is paused. The count belongs to the process that holds the connection. A change of the mail account resets
 * it.
 */

import { DAY_MS } from '../../domain/time.ts'

const MOST = 3

export class Violations {
  #at: number[] = []

  /** @param now  milliseconds · @returns true if this was one too many */
  add(now: number): boolean {
    this.#at = [...this.#at.filter((at) => now - at < DAY_MS), now]
    return this.#at.length >= MOST
  }
}
