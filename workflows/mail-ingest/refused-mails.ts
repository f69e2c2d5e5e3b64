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

/** @param patience  factor for all pauses; only tests use a value other than 1 */
export const openRefusedMails = (patience: number) => {
  const mails = new Map<number, RefusedMail>()

  /** Whether all failures may be the server's. Then the mailbox does not work. */
  const isServerUnsure = (): boolean => unsure() > 0

  /** Whether no further mail may be passed over until one of these was tried again. */
  const isFull = (): boolean => unsure() >= MOST_UNSURE

  /** @returns false if too many wait already */
  const add = (uid: number, reason: string, now: number): boolean => {
    if (isFull()) return false
    mails.set(uid, { uid, tries: 0, dueAt: now + PAUSES_MS[0]! * patience, reason })
    return true
  }

  /** @param isProven  whether the server returned another mail just before */
  const failed = (mail: RefusedMail, isProven: boolean, reason: string, now: number): void => {
    const tries = isProven ? mail.tries + 1 : mail.tries
    const pause = isProven ? (PAUSES_MS[tries] ?? 0) : UNSURE_PAUSE_MS
    // It comes last of those that are due at the same time.
    mails.delete(mail.uid)
    mails.set(mail.uid, { ...mail, tries, reason, dueAt: now + pause * patience })
  }

  /** Called when a try broke the connection: then all wait, so that many of them do not mean many logins. */
  const putOff = (now: number): void => {
    for (const mail of mails.values()) mail.dueAt = Math.max(mail.dueAt, now + UNSURE_PAUSE_MS * patience)
  }

  /** Called when it was returned, no longer exists, or was recorded as skipped. */
  const remove = (uid: number): void => {
    mails.delete(uid)
  }

  const isGivenUp = ({ tries }: RefusedMail): boolean => tries >= PAUSES_MS.length

  /** The one that is due first; null if none is due. */
  const due = (now: number): RefusedMail | null => {
    const [first] = [...mails.values()].sort((a, b) => a.dueAt - b.dueAt)
    return first && first.dueAt <= now ? first : null
  }

  /** Milliseconds until the next try; null if there is none. */
  const msUntilDue = (now: number): number | null => {
    const times = [...mails.values()].map(({ dueAt }) => dueAt)
    return times.length === 0 ? null : Math.max(0, Math.min(...times) - now)
  }

  /** The last UID before which every mail is settled. */
  const settledUntil = (uid: number): number => Math.min(uid, ...[...mails.keys()].map((refused) => refused - 1))

  /** The server has renumbered its mails. */
  const clear = (): void => {
    mails.clear()
  }

  const unsure = (): number => [...mails.values()].filter(({ tries }) => tries === 0).length

  return { isServerUnsure, isFull, add, failed, putOff, remove, isGivenUp, due, msUntilDue, settledUntil, clear }
}

export type RefusedMails = ReturnType<typeof openRefusedMails>
