// Tests: tests/integration/mail-ingest/collect.test.ts
/** Takes the mails of an open folder, and retries those that the server did not return. */
import type { Arrival } from '../../domain/arrival/arrival.ts'
import { mailHashOf } from '../../domain/arrival/mail-hash.ts'
import { arrivalOfMail, arrivalOfSkipped } from './arrival.ts'
import { MailFailure, type FetchedMail, type MailFacts } from './mailbox.ts'
import type { RefusedMail } from './refused-mails.ts'
import type { Session } from './session.ts'

/** A mail server's clock shows seconds. */
const SECOND_MS = 1_000
/** Mails of which one is fetched again, to see whether the server returns any. */
const MOST_REMEMBERED = 20

interface TakenMail {
  received_at: Date | null
  arrival: Arrival
}

/** Whether one mail may have caused the failure. A server that exceeded the limits is counted separately (`violations.ts`). */
const mayBeOneMail = (error: unknown, signal: AbortSignal): error is MailFailure =>
  error instanceof MailFailure && !error.isViolation && !signal.aborted

const isWanted = ({ notBefore }: Session, received_at: Date | null): boolean =>
  received_at === null || received_at.getTime() >= Math.floor(notBefore.getTime() / SECOND_MS) * SECOND_MS

/** @returns the wanted ones of them */
const fetched = async (session: Session, uids: readonly number[], now: Date): Promise<TakenMail[]> => {
  const { connection, mailbox, experience } = session
  const handedOut: number[] = []
  const mails = await connection.fetch(uids, (mail: FetchedMail) => {
    const { uid, received_at } = mail
    handedOut.push(uid)
    return isWanted(session, received_at) ? { received_at, arrival: arrivalOfMail(mailbox, mail, now) } : null
  })
  experience.handedOut = [...experience.handedOut, ...handedOut].slice(-MOST_REMEMBERED)
  return mails.filter((mail) => mail !== null)
}

/** Stores the position: before it, every mail is settled. */
const keepPosition = async (session: Session, mails: readonly TakenMail[], now: Date): Promise<void> => {
  const { parts, mailbox, experience } = session
  const { uid_validity, uid } = experience.reached!
  const position = { uid_validity, uid: experience.refused.settledUntil(uid) }
  await parts.notes.keepPosition(mailbox, position, mails.at(-1)?.received_at ?? (mails.length > 0 ? now : null))
}

/**
 * Takes these mails, in ascending order of UID. A mail that fails alone is passed over, to be tried again later.
 * @returns false if it was passed over, and the server returns others
 */
export const take = async (session: Session, uids: readonly number[]): Promise<boolean> => {
  const { parts, experience, signal } = session
  const { uid_validity } = experience.reached!
  const last = uids.at(-1)!
  const now = parts.clock.now()
  let mails: TakenMail[]
  try {
    mails = await fetched(session, uids, now)
  } catch (error) {
    if (mayBeOneMail(error, signal)) {
      if (uids.length > 1) experience.chunk = Math.max(1, Math.floor(uids.length / 4))
      else if (experience.refused.add(last, error.message, performance.now())) {
        experience.reached = { uid_validity, uid: last }
        // Then the server works, and needs no pause and no new login.
        if (await handsOutOne(session).catch(() => false)) return false
      }
    }
    throw error
  }
  const arrivals = mails.map(({ arrival }) => arrival)
  await parts.capture.take(session.isNew ? arrivals : await withListed(session, arrivals))
  experience.reached = { uid_validity, uid: last }
  await keepPosition(session, mails, now)
  return true
}

/** Whether the server returns a mail now: the last one that it returned, or else one further ahead. */
const handsOutOne = async ({ connection, experience }: Session): Promise<boolean> => {
  const { handedOut, reached } = experience
  const isHandedOut = async (uid: number): Promise<boolean> => (await connection.fetch([uid], () => true)).length > 0
  for (let uid = handedOut.at(-1); uid !== undefined; uid = handedOut.at(-1)) {
    if (await isHandedOut(uid)) return true
    // It was deleted.
    handedOut.pop()
  }
  const ahead = (await connection.uidsAfter(reached!.uid)).at(-1)
  if (ahead === undefined || !(await isHandedOut(ahead))) return false
  handedOut.push(ahead)
  return true
}

/** Whether the server returns another mail now. If that fails, the next try goes without it, as that mail may be the cause. */
const handsOutAnother = async (session: Session): Promise<boolean> => {
  const { experience } = session
  const { isDoubted } = experience
  experience.isDoubted = !isDoubted
  if (isDoubted) return false
  const isFound = await handsOutOne(session)
  experience.isDoubted = false
  return isFound
}

/** Tries a refused mail again, or skips it for good after the last try. Fails only if the server fails as a whole. */
export const retryRefused = async (session: Session, mail: RefusedMail): Promise<void> => {
  const { parts, experience, signal } = session
  const { refused } = experience
  const now = parts.clock.now()
  if (refused.isGivenUp(mail)) return skip(session, mail, now)
  // If the server returns nothing, or the connection breaks, the mail waits, and new mails come first.
  refused.failed(mail, false, mail.reason, performance.now())
  const isProven = await handsOutAnother(session).catch((error: unknown) => {
    refused.putOff(performance.now())
    throw error
  })
  let mails: TakenMail[]
  try {
    mails = await fetched(session, [mail.uid], now)
  } catch (error) {
    if (!mayBeOneMail(error, signal)) throw error
    return refused.failed(mail, isProven, error.message, performance.now())
  }
  const arrivals = mails.map(({ arrival }) => arrival)
  await parts.capture.take(await withListed(session, arrivals))
  refused.remove(mail.uid)
  await keepPosition(session, mails, now)
}

const skip = async (session: Session, { uid, tries }: RefusedMail, now: Date): Promise<void> => {
  const { parts, mailbox, connection, experience } = session
  const { uid_validity } = experience.reached!
  const facts: MailFacts | null = await connection.factsOf(uid).catch((error: unknown) => {
    if (error instanceof MailFailure) return null
    throw error
  })
  if (isWanted(session, facts?.received_at ?? null)) {
    const arrival = arrivalOfSkipped(mailbox, { uid, uid_validity, tries, facts }, now)
    await parts.capture.take(await withListed(session, [arrival]))
    parts.onSkipped?.(mailbox, uid, facts)
  }
  experience.refused.remove(uid)
  await keepPosition(session, [], now)
}

const withListed = async ({ parts, mailbox }: Session, arrivals: Arrival[]): Promise<Arrival[]> => {
  if (arrivals.length === 0) return arrivals
  const hashes = arrivals.map((arrival) => mailHashOf(arrival)!)
  const known = await parts.listed(mailbox.user_id, hashes)
  return arrivals.map((arrival, index) => {
    const listed_as = known.get(hashes[index]!)
    return listed_as && arrival.mail ? { ...arrival, mail: { ...arrival.mail, listed_as } } : arrival
  })
}
