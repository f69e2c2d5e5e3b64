// Tests: tests/integration/mail-ingest/collect.test.ts
/**
 * Collects one mailbox for as long as this process holds its lease: connects, takes the mails after the stored
 * position, and waits for more. The position moves only after the mails before it are stored. So after a crash a mail
 * may be taken again, but none is missed. The deduplication window recognizes a mail by its Message-ID, and a mail that
 * was no transaction is not listed again.
 *
 * Without a position, or if the server has renumbered its mails (UIDVALIDITY), it begins by date: two days back, but
 * never before the mail account was created.
 */
import { StoreUnavailable } from '../../domain/errors.ts'
import type { Arrival } from '../../domain/arrival/arrival.ts'
import { mailHashOf } from '../../domain/arrival/mail-hash.ts'
import type { Clock } from '../../domain/ports.ts'
import { waitUnlessAborted } from '../support/abort.ts'
import { retry } from '../support/retry.ts'
import type { Capture } from '../capture/capture.ts'
import { arrivalOfMail } from './arrival.ts'
import { MailFailure, type Connection, type FetchedMail, type Login, type Mailbox } from './mailbox.ts'
import type { MailboxNotes, MailboxPosition, MailServer } from './mailbox.ts'
import type { Slots } from './slots.ts'
import { Violations } from './violations.ts'

export interface CollectParts {
  server: MailServer
  notes: MailboxNotes
  capture: Pick<Capture, 'take'>
  clock: Clock
  /**
   * For these mails, by hash: the reasons for which each is listed as no transaction. Current, if that can be known
   * quickly.
   */
  listed: (userId: number, hashes: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>
  /** Returns the plain password. */
  open: (sealed: string) => string
  /** Limits concurrent connection attempts of all mailboxes. */
  connecting: Slots
  /** Limits concurrent fetches of all mailboxes. */
  fetching: Slots
  /** Stops reading the mailbox until its owner changes it. The reason is a plain sentence. */
  pause: (mailbox: Mailbox, reason: string) => Promise<void>
  onFailure: (error: unknown) => void
}

/** Most mails that are fetched and stored together; fewer if the server is slow. */
const CHUNK = 20
/** Mails per minute of one mailbox. If there are more, they are collected at this rate. */
const MOST_A_MINUTE = 600
const BACK_OFF = { firstMs: 1_000, mostMs: 60_000 }
const BACK_OFF_OF_REFUSALS = { firstMs: 60_000, mostMs: 15 * 60_000 }
const LOOKS_BACK_MS = 2 * 86_400_000
/** A mail server's clock shows seconds, and days are counted in the server's time zone. */
const SECOND_MS = 1_000
const DAY_MS = 86_400_000

/** What is remembered about a server between connections. */
interface Experience {
  /** Mails per fetch. */
  chunk: number
  violations: Violations
}

/** Runs until the signal aborts, or the mailbox is paused. */
export const collectMailbox = async (parts: CollectParts, mailbox: Mailbox, signal: AbortSignal): Promise<void> => {
  const experience: Experience = { chunk: CHUNK, violations: new Violations() }
  const ending = new AbortController()
  const until = AbortSignal.any([signal, ending.signal])
  const onFailure = async (error: unknown): Promise<void> => {
    if (until.aborted) return
    await report(parts, mailbox, error)
    if (!(error instanceof MailFailure)) return
    if (error.isViolation && (await paused(parts, mailbox, error, experience))) ending.abort()
    if (error.isSlow) experience.chunk = Math.max(1, Math.floor(experience.chunk / 4))
  }
  const backOff = (error: unknown) =>
    error instanceof MailFailure && error.isRefusal ? BACK_OFF_OF_REFUSALS : BACK_OFF
  const attempt = (worked: () => void) => connected(parts, mailbox, until, experience, worked)
  while (!until.aborted) await retry(attempt, { signal: until, backOff, onFailure })
}

/** @returns false if the server may go on, or if the pause could not be stored */
const paused = async (
  { pause, onFailure }: CollectParts,
  mailbox: Mailbox,
  failure: MailFailure,
  { violations }: Experience,
): Promise<boolean> => {
  if (!violations.add(performance.now())) return false
  try {
    await pause(mailbox, failure.message)
    return true
  } catch (error) {
    onFailure(error)
    return false
  }
}

const report = async ({ notes, onFailure }: CollectParts, mailbox: Mailbox, error: unknown): Promise<void> => {
  // If we cannot store, that is not the mailbox's fault.
  if (error instanceof StoreUnavailable) return onFailure(error)
  if (!(error instanceof MailFailure)) onFailure(error)
  const words = error instanceof MailFailure ? error.message : 'The mailbox could not be read.'
  await notes.report(mailbox, words).catch(onFailure)
}

const loginOf = ({ open }: CollectParts, { sealed_password, ...address }: Mailbox): Login => ({
  ...address,
  password: open(sealed_password),
})

const connected = async (
  parts: CollectParts,
  mailbox: Mailbox,
  signal: AbortSignal,
  experience: Experience,
  worked: () => void,
): Promise<void> => {
  const owner = mailbox.user_id
  const connection = await parts.connecting.use(owner, () => parts.server.connect(loginOf(parts, mailbox), signal))
  try {
    let { position, notBefore } = await startPosition(parts, mailbox, connection)
    let isReported = false
    /** A login proves nothing yet: the mailbox works when its mails were taken, or when there are none. */
    const works = async (): Promise<void> => {
      if (!isReported) await parts.notes.report(mailbox, null)
      isReported = true
    }
    // Mails from before this connection may have been taken before.
    let isNew = false
    const pace = openPace()
    while (!signal.aborted && !connection.isUsedUp) {
      const uids = await connection.uidsAfter(position.uid)
      worked()
      if (uids.length === 0) {
        // Mails that come from now on are new, whatever their date is.
        notBefore = new Date(mailbox.since)
        isNew = true
        await works()
        await connection.newMails(signal)
        continue
      }
      while (uids.length > 0 && !signal.aborted) {
        const some = uids.splice(0, experience.chunk)
        const taking = () => take(parts, mailbox, connection, position, some, { notBefore, isNew })
        position = await parts.fetching.use(owner, taking)
        await works()
        experience.chunk = Math.min(CHUNK, experience.chunk * 2)
        await pace(some.length, signal)
      }
    }
  } finally {
    await connection.close()
  }
}

const startPosition = async (
  { notes, clock }: CollectParts,
  mailbox: Mailbox,
  connection: Connection,
): Promise<{ position: MailboxPosition; notBefore: Date }> => {
  const { uid_validity } = connection
  const since = new Date(mailbox.since)
  const kept = await notes.position(mailbox)
  if (kept?.uid_validity === uid_validity) return { position: kept, notBefore: since }
  const notBefore = new Date(Math.max(since.getTime(), clock.now().getTime() - LOOKS_BACK_MS))
  const uid = await connection.lastUidBefore(new Date(notBefore.getTime() - DAY_MS))
  return { position: { uid_validity, uid }, notBefore }
}

/** @returns the position after these mails, once they are stored */
const take = async (
  parts: CollectParts,
  mailbox: Mailbox,
  connection: Connection,
  { uid_validity }: MailboxPosition,
  uids: readonly number[],
  { notBefore, isNew }: { notBefore: Date; isNew: boolean },
): Promise<MailboxPosition> => {
  const { notes, capture, clock } = parts
  const floor = Math.floor(notBefore.getTime() / SECOND_MS) * SECOND_MS
  const isWanted = ({ received_at }: FetchedMail) => received_at === null || received_at.getTime() >= floor
  const now = clock.now()
  const mails = (
    await connection.fetch(uids, (mail) => {
      const { received_at } = mail
      return isWanted(mail) ? { received_at, arrival: arrivalOfMail(mailbox, mail, now) } : null
    })
  ).filter((mail) => mail !== null)
  const arrivals = mails.map(({ arrival }) => arrival)
  await capture.take(isNew ? arrivals : await withListed(parts, mailbox, arrivals))
  const position = { uid_validity, uid: uids.at(-1)! }
  await notes.keepPosition(mailbox, position, mails.at(-1)?.received_at ?? (mails.length > 0 ? now : null))
  return position
}

const withListed = async ({ listed }: CollectParts, { user_id }: Mailbox, arrivals: Arrival[]): Promise<Arrival[]> => {
  if (arrivals.length === 0) return arrivals
  const hashes = arrivals.map((arrival) => mailHashOf(arrival)!)
  const known = await listed(user_id, hashes)
  return arrivals.map((arrival, index) => {
    const listed_as = known.get(hashes[index]!)
    return listed_as && arrival.mail ? { ...arrival, mail: { ...arrival.mail, listed_as } } : arrival
  })
}

/** Limits the mails per minute. A burst may use the whole minute's limit. */
const openPace = () => {
  let began = performance.now()
  let taken = 0
  return async (mails: number, signal: AbortSignal): Promise<void> => {
    const passed = performance.now() - began
    if (passed > 60_000) {
      began = performance.now()
      taken = 0
    }
    taken += mails
    if (taken < MOST_A_MINUTE) return
    await waitUnlessAborted(Math.max(0, 60_000 - passed), signal)
  }
}
