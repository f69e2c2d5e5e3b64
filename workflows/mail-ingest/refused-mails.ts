// Tests: tests/unit/workflows/mail-ingest/refused-mails.test.ts, tests/integration/mail-ingest/refused-mails.test.ts
/**
 * Mails that a server lists but does not return: its FETCH answers NO, has no body, or always breaks the connection.
 * Such a mail must not stop its mailbox, so the mails after it are taken while it is tried again. It is given up only
 * after several tries, each right after the server has returned another mail. So a server that returns nothing at
 * all loses no mail.
 *
 * The stored position stays before the first of them. After a restart they are tried from the beginning, and the mails
 * after them are recognized as taken before.
 */

/** Before each try, milliseconds: about eight minutes in all. */
const PAUSES_MS = [15_000, 30_000, 60_000, 120_000, 240_000]
/** While nothing shows that the server returns other mails. */
const UNSURE_PAUSE_MS = 60_000
/** With more failing mails while none is returned, no further one is passed over. */
const MOST_UNSURE = 20

export interface RefusedMail {
  uid: number
  /** Failed tries while the server returned another mail. 0: perhaps it returns none. */
  tries: number
  /** `performance.now()` of the next try. */
  dueAt: number
  /** In a sentence for the owner. */
  reason: string
}

export class RefusedMails {
  readonly #mails = new Map<number, RefusedMail>()
  readonly #patience: number

  /** @param patience  factor for all pauses; only tests use a value other than 1 */
  constructor(patience: number) {
    this.#patience = patience
  }

  /** Whether all failures may be the server's. Then the mailbox does not work. */
  get isServerUnsure(): boolean {
    return this.#unsure() > 0
  }

  /** Whether no further mail may be passed over until one of these was tried again. */
  get isFull(): boolean {
    return this.#unsure() >= MOST_UNSURE
  }

  /** @returns false if too many wait already */
  add(uid: number, reason: string, now: number): boolean {
    if (this.isFull) return false
    this.#mails.set(uid, { uid, tries: 0, dueAt: now + PAUSES_MS[0]! * this.#patience, reason })
    return true
  }

  /** @param isProven  whether the server returned another mail just before */
  failed(mail: RefusedMail, isProven: boolean, reason: string, now: number): void {
    const tries = isProven ? mail.tries + 1 : mail.tries
    const pause = isProven ? (PAUSES_MS[tries] ?? 0) : UNSURE_PAUSE_MS
    // It comes last of those that are due at the same time.
    this.#mails.delete(mail.uid)
    this.#mails.set(mail.uid, { ...mail, tries, reason, dueAt: now + pause * this.#patience })
  }

  /** Called when a try broke the connection: then all wait, so that many of them do not mean many logins. */
  putOff(now: number): void {
    for (const mail of this.#mails.values()) mail.dueAt = Math.max(mail.dueAt, now + UNSURE_PAUSE_MS * this.#patience)
  }

  /** Called when it was returned, no longer exists, or was recorded as skipped. */
  remove(uid: number): void {
    this.#mails.delete(uid)
  }

  isGivenUp({ tries }: RefusedMail): boolean {
    return tries >= PAUSES_MS.length
  }

  /** The one that is due first; null if none is due. */
  due(now: number): RefusedMail | null {
    const [first] = [...this.#mails.values()].sort((a, b) => a.dueAt - b.dueAt)
    return first && first.dueAt <= now ? first : null
  }

  /** Milliseconds until the next try; null if there is none. */
  msUntilDue(now: number): number | null {
    const times = [...this.#mails.values()].map(({ dueAt }) => dueAt)
    return times.length === 0 ? null : Math.max(0, Math.min(...times) - now)
  }

  /** The last UID before which every mail is settled. */
  settledUntil(uid: number): number {
    return Math.min(uid, ...[...this.#mails.keys()].map((refused) => refused - 1))
  }

  /** The server has renumbered its mails. */
  clear(): void {
    this.#mails.clear()
  }

  #unsure(): number {
    return [...this.#mails.values()].filter(({ tries }) => tries === 0).length
  }
}
