// Tests: tests/integration/mail-ingest/imap.test.ts
/**
 * An open folder of a mailbox. UIDs are requested in windows, so that an answer always fits into one line. An answer that
 * contains more than was requested ends the connection.
 */
import type { FetchMessageObject, ImapFlow } from 'imapflow'
import { MailFailure, type Connection, type FetchedMail, type MailFacts } from '../../workflows/mail-ingest/mailbox.ts'
import { orAborted, waitUnlessAborted } from '../../workflows/support/abort.ts'
import { endedWithin } from '../../workflows/support/ended-within.ts'
import { parseMail } from './parse.ts'
import { fetchOf, OPEN_FOLDER, SEARCH } from './server-limits.ts'
import { within, type Limited } from './imap-command.ts'

/** The most bytes fetched of a mail. The rest is cut off. */
export const MAIL_BYTES = 256 * 1024

/** UIDs of one search. With 11 characters each, an answer stays below 256 KB. */
const WINDOW = 20_000
const LAST_UID = 2 ** 32 - 1
/** Windows that are searched one by one: a million UIDs. */
const MOST_WINDOWS = 50
/** Answers to one FETCH that contain no mail, such as flags that changed meanwhile. */
const MOST_ASIDE = 1_000
/** Minimum milliseconds between two searches for new mails, however often the server reports some. */
const LOOK_EVERY = 1_000
const CLOSE_WITHIN = 1_000

const EARLIEST = Date.UTC(1990, 0)
const LATEST = Date.UTC(2100, 0)

const violation = (message: string): MailFailure => new MailFailure(message, { isViolation: true })

/** Signals new mails. A report that arrives while nobody waits is remembered. */
class Bell {
  #rung = false
  #wake = (): void => {}
  #looked = -LOOK_EVERY

  ring(): void {
    this.#rung = true
    this.#wake()
  }

  async rings(signal: AbortSignal): Promise<void> {
    if (!this.#rung) await orAborted(new Promise<void>((resolve) => (this.#wake = resolve)), signal)
    const early = this.#looked + LOOK_EVERY - performance.now()
    if (early > 0) await waitUnlessAborted(early, signal)
    this.#looked = performance.now()
    this.#rung = false
  }
}

const tooMany = (): MailFailure => violation('The server lists mails that were not asked for.')

const receivedAt = ({ internalDate }: FetchMessageObject): Date | null => {
  const at = internalDate === undefined ? NaN : new Date(internalDate).getTime()
  return at >= EARLIEST && at < LATEST ? new Date(at) : null
}

/** @returns the mails, and the UIDs that the server sent no mail for */
const fetched = async <Kept>(
  client: ImapFlow,
  uids: readonly number[],
  keep: (mail: FetchedMail) => Kept,
): Promise<{ mails: Kept[]; missing: Set<number> }> => {
  const missing = new Set(uids)
  const mails = new Map<number, Kept>()
  let aside = 0
  const wanted = { uid: true, internalDate: true, source: { start: 0, maxLength: MAIL_BYTES } }
  for await (const message of client.fetch(uids.join(), wanted, { uid: true })) {
    const { uid, source } = message
    // A mail is never empty: a server that sends nothing has lost its content, or cannot read it now.
    const isMail = source !== undefined && source.length > 0
    if (isMail ? !missing.delete(uid) : ++aside > MOST_ASIDE)
      throw violation('The server sent mails that were not asked for.')
    if (isMail) mails.set(uid, keep(await parseMail(source, { uid, received_at: receivedAt(message) })))
  }
  return { mails: [...mails].sort(([a], [b]) => a - b).map(([, kept]) => kept), missing }
}

const factsOf = async (client: ImapFlow, uid: number): Promise<MailFacts | null> => {
  let facts: MailFacts | null = null
  for await (const message of client.fetch(String(uid), { uid: true, internalDate: true, size: true }, { uid: true })) {
    if (message.uid !== uid) continue
    const { size } = message
    facts = { received_at: receivedAt(message), bytes: Number.isSafeInteger(size) ? size! : null }
  }
  return facts
}

const uidValidityOf = (given: bigint | undefined): string => {
  if (typeof given === 'bigint' && given > 0n && given <= BigInt(LAST_UID)) return String(given)
  throw new MailFailure('The server does not report UIDVALIDITY.')
}

/** Searches for UIDs in a folder. */
const finderOf = (limited: Limited) => {
  const { client } = limited
  const search = async (uid: string, since?: Date): Promise<number[]> => {
    const query = { uid, ...(since ? { since } : {}) }
    const found = await within(limited, SEARCH, () => client.search(query, { uid: true }))
    if (!found) throw new MailFailure('The server does not list its mails.')
    return found.sort((a, b) => a - b)
  }
  const between = async (from: number, to: number, since?: Date): Promise<number[]> => {
    const found = await search(`${from}:${to}`, since)
    if (found.some((uid) => uid < from || uid > to)) throw tooMany()
    return found
  }
  const from = async (first: number): Promise<number[]> => {
    const found = await search(`${first}:*`)
    const asked = found.filter((uid) => uid >= first)
    // A server answers `n:*` with its last mail even if that mail is older.
    if (found.length > asked.length + 1) throw tooMany()
    return asked.slice(0, WINDOW)
  }

  /** @param next  the next UID of the folder, as far as known */
  const after = async (uid: number, next: number): Promise<number[]> => {
    let first = uid + 1
    let size = WINDOW
    for (let windows = 1; first + size < next; windows++) {
      const found = await between(first, first + size - 1)
      if (found.length > 0) return found
      first += size
      // Real folders have no gap this wide. The steps double to cross it.
      if (windows > MOST_WINDOWS) size *= 2
    }
    return first > LAST_UID ? [] : from(first)
  }

  /** The first mail since a day. The search starts at the last mail and goes backwards. */
  const firstSince = async (day: Date, next: number): Promise<number | null> => {
    let first: number | null = null
    let to = next - 1
    for (let windows = 0; to > 0 && windows < MOST_WINDOWS; windows++) {
      const [found] = await between(Math.max(1, to - WINDOW + 1), to, day)
      if (found === undefined) break
      first = found
      to -= WINDOW
    }
    return first
  }

  /** Whether one of these mails still exists. */
  const exists = async (uids: readonly number[]): Promise<boolean> => {
    const found = await search(uids.join())
    if (found.some((uid) => !uids.includes(uid))) throw tooMany()
    return found.length > 0
  }

  const last = async (): Promise<number> => (await search('*')).at(-1) ?? 0
  return { after, firstSince, exists, last }
}

export const openFolder = async (limited: Limited, folder: string): Promise<Connection> => {
  const { client, limits, end } = limited
  const bell = new Bell()
  let isClosed = false
  /** The library lets a server list as many mails as the server claims to have, and that may be any number. */
  const forgetCount = (): void => {
    if (client.mailbox) client.mailbox.exists = 0
  }
  client.on('exists', () => {
    forgetCount()
    const failure = limits.report()
    if (failure) end(failure)
    bell.ring()
  })
  client.on('close', () => {
    isClosed = true
    bell.ring()
  })
  const open = () =>
    // Read-only, so that mails stay unread for their owner.
    client.mailboxOpen(folder, { readOnly: true }).catch((error: unknown) => {
      if ((error as { responseStatus?: unknown }).responseStatus !== 'NO') throw error
      throw new MailFailure(`The mailbox has no folder ${folder}.`)
    })
  const { uidValidity, uidNext } = await within(limited, OPEN_FOLDER, open)
  const uid_validity = uidValidityOf(uidValidity)
  forgetCount()
  const find = finderOf(limited)
  const next = uidNext > 0 && uidNext <= LAST_UID ? uidNext : (await find.last()) + 1
  return {
    uid_validity,
    uidsAfter: (uid) => find.after(uid, next),
    lastUidBefore: async (day) => ((await find.firstSince(day, next)) ?? next) - 1,
    fetch: async (uids, keep) => {
      const { mails, missing } = await within(limited, fetchOf(uids.length, MAIL_BYTES), () =>
        fetched(client, uids, keep),
      )
      if (missing.size > 0 && (await find.exists([...missing])))
        throw new MailFailure('The server lists a mail but does not return it.')
      return mails
    },
    factsOf: (uid) => within(limited, fetchOf(1, 0), () => factsOf(client, uid)),
    get isUsedUp() {
      return limits.isUsedUp
    },
    newMails: async (signal) => {
      await bell.rings(signal)
      if (isClosed && !signal.aborted) throw limits.failure ?? new MailFailure('The server closed the connection.')
    },
    close: async () => {
      if (client.usable) await endedWithin(CLOSE_WITHIN, client.logout())
      client.close()
    },
  }
}
