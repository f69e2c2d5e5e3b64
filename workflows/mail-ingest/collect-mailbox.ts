// Tests: tests/integration/mail-ingest/collect.test.ts
/**
 * Collects one mailbox for as long as this process holds its lease: connects, takes the mails after the stored
 * position, and waits for more. The position moves only after the mails before it are stored. So after a crash a mail
 * may be taken again, but none is missed. The deduplication window recognizes a mail by its Message-ID, and a mail that
 * was no transaction is not listed again.
 *
 * A mail that the server lists but does not return is passed over and tried again (`refused-mails.ts`).
 *
 * Without a position, or if the server has renumbered its mails (UIDVALIDITY), it begins by date: two days back, but
 * never before the mail account was created. A mail that is moved into the folder later is not taken either if it is
 * half a day older than the mail account.
 */
import { CLOCK_ERROR_MS } from '../../domain/clock.ts'
import { StoreUnavailable } from '../../domain/errors.ts'
import { DAY_MS } from '../../domain/time.ts'
import { waitUnlessAborted } from '../support/abort.ts'
import { retry, type BackOff } from '../support/retry.ts'
import { MailFailure, type Connection, type Login, type Mailbox, type MailboxPosition } from './mailbox.ts'
import { openRefusedMails, type RefusedMails } from './refused-mails.ts'
import type { CollectParts, Experience, Session } from './session.ts'
import { retryRefused, take } from './take-mails.ts'
import { Violations } from './violations.ts'

/** Most mails that are fetched and stored together; fewer if the server is slow. */
const CHUNK = 20
/** Mails per minute of one mailbox. If there are more, they are collected at this rate. */
const MOST_A_MINUTE = 600
const BACK_OFF = { firstMs: 1_000, mostMs: 60_000 }
const BACK_OFF_OF_REFUSALS = { firstMs: 60_000, mostMs: 15 * 60_000 }
const LOOKS_BACK_MS = 2 * DAY_MS

/** Runs until the signal aborts, or the mailbox is paused. */
export const collectMailbox = async (parts: CollectParts, mailbox: Mailbox, signal: AbortSignal): Promise<void> => {
  const { patience = 1 } = parts
  const experience: Experience = {
    chunk: CHUNK,
    violations: new Violations(),
    refused: openRefusedMails(patience),
    reached: null,
    handedOut: [],
    isDoubted: false,
    endReachedOf: null,
  }
  const ending = new AbortController()
  const until = AbortSignal.any([signal, ending.signal])
  const onFailure = async (error: unknown): Promise<void> => {
    if (until.aborted) return
    await report(parts, mailbox, error)
    if (!(error instanceof MailFailure)) return
    if (error.isViolation && (await paused(parts, mailbox, error, experience))) ending.abort()
    if (error.isSlow) experience.chunk = Math.max(1, Math.floor(experience.chunk / 4))
  }
  const backOff = (error: unknown): BackOff => {
    const { firstMs, mostMs } = error instanceof MailFailure && error.isRefusal ? BACK_OFF_OF_REFUSALS : BACK_OFF
    return { firstMs: firstMs * patience, mostMs: mostMs * patience }
  }
  const attempt = (worked: () => void) => collectOnce(parts, mailbox, until, experience, worked)
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

/** Connects, and collects for as long as the connection lasts. @param worked  is called when the mailbox works */
const collectOnce = async (
  parts: CollectParts,
  mailbox: Mailbox,
  signal: AbortSignal,
  experience: Experience,
  worked: () => void,
): Promise<void> => {
  const connection = await parts.connecting.use(mailbox.user_id, () =>
    parts.server.connect(loginOf(parts, mailbox), signal),
  )
  try {
    const start = await startPosition(parts, mailbox, connection)
    resume(experience, start.position)
    const isEndKnown = experience.endReachedOf === connection.uid_validity
    const notBefore = isEndKnown ? oldestNew(parts, mailbox) : start.notBefore
    // Mails that are older than this connection may have been taken already.
    await collect({ parts, mailbox, connection, experience, signal, notBefore, isNew: false }, worked)
  } finally {
    await connection.close()
  }
}

const collect = async (session: Session, worked: () => void): Promise<void> => {
  const { parts, mailbox, connection, experience, signal } = session
  const { refused } = experience
  let isReported = false
  /** A login proves nothing yet: the mailbox works when its mails were taken, or when there are none. */
  const works = async (): Promise<void> => {
    if (!isReported && !refused.isServerUnsure()) {
      await parts.notes.report(mailbox, null)
      isReported = true
    }
    worked()
  }
  const pace = openPace()
  while (!signal.aborted && !connection.isUsedUp) {
    const uids = await connection.uidsAfter(experience.reached!.uid)
    if (uids.length === 0) {
      // Mails that come from now on are new.
      session.notBefore = oldestNew(parts, mailbox)
      session.isNew = true
      experience.endReachedOf = connection.uid_validity
      await works()
    }
    // After all others, because it may break the connection; but before them if no further mail may be passed over.
    const again = uids.length === 0 || refused.isFull() ? refused.due(performance.now()) : null
    if (again) {
      await parts.fetching.use(mailbox.user_id, () => retryRefused(session, again))
      continue
    }
    if (uids.length === 0) await untilDue(refused, signal, (until) => connection.newMails(until))
    await takeInChunks(session, uids, async (taken) => {
      await works()
      await pace(taken, signal)
    })
  }
}

/** The earliest date of a new mail. The server's clock may be behind, and the one that dated the account was perhaps ahead. */
const oldestNew = ({ clock }: CollectParts, { since }: Mailbox): Date =>
  new Date(Math.min(Date.parse(since), clock.now().getTime()) - CLOCK_ERROR_MS)

/** @param afterChunk  is called with the number of mails */
const takeInChunks = async (
  session: Session,
  uids: readonly number[],
  afterChunk: (mails: number) => Promise<void>,
): Promise<void> => {
  const { parts, mailbox, experience, signal } = session
  const open = [...uids]
  while (open.length > 0 && !signal.aborted) {
    const some = open.splice(0, experience.chunk)
    const isTaken = await parts.fetching.use(mailbox.user_id, () => take(session, some))
    // Refused mails often lie side by side.
    if (isTaken) experience.chunk = Math.min(CHUNK, experience.chunk * 2)
    await afterChunk(some.length)
  }
}

/** Goes on where this process stopped reading, which may be behind mails that were refused and so behind the stored position. */
const resume = (experience: Experience, stored: MailboxPosition): void => {
  const { reached, refused } = experience
  if (reached?.uid_validity === stored.uid_validity && reached.uid >= stored.uid) return
  refused.clear()
  experience.reached = stored
  experience.handedOut = stored.uid > 0 ? [stored.uid] : []
}

/** Waits until the signal aborts, or a refused mail is to be tried again. */
const untilDue = async (
  refused: RefusedMails,
  signal: AbortSignal,
  wait: (until: AbortSignal) => Promise<void>,
): Promise<void> => {
  const milliseconds = refused.msUntilDue(performance.now())
  if (milliseconds === null) return wait(signal)
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(), milliseconds)
  try {
    await wait(AbortSignal.any([signal, ending.signal]))
  } finally {
    clearTimeout(timer)
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
  // The server counts days in its own time zone.
  const uid = await connection.lastUidBefore(new Date(notBefore.getTime() - DAY_MS))
  return { position: { uid_validity, uid }, notBefore }
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
