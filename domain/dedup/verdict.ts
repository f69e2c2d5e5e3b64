/**
 * The rules of "The same event". A notification is one of three things: a resend of an earlier notification, a copy of one that
 * arrived by another channel, or another event. The first row of this table that any event matches decides. Within that row,
 * the nearest event counts, and one that shows the same order id or reference precedes the others (`nearest-event.ts`):
 *
 *   1  same source, text and stamp                                                        resend
 *   2  same source and text, linked by printed values or by a short time between them     resend
 *   3  equal reference; balance and time; balance alone; time and content; one a cut      copy
 *   4  another source, equal order id                                                     copy
 *   5  another source, one of the two lost its end before balance and memo                copy
 *   6  anything else                                                                      another event
 *
 * One payment pays one order (decisions, T4): an equal reference that the bank gives each movement, or an equal balance and
 * time with seconds, makes a copy in row 3 even if the order ids differ. In all other cases a different order id means a
 * different event.
 *
 * Row 2 links some resends by their times and by what the source printed in between. Later notifications could change that
 * result. Such a resend is entered in the window, so that it is found by row 1 if it is sent once more.
 *
 * Rows 1 and 2 require the same text, so all printed values are the same and need no comparison. For the other rows, the
 * notification must be *compatible* with every notification of the event: the printed values of all copies count together.
 * The functions are pure and deterministic: all times come from the notifications.
 */
import { NONE } from './chains.ts'
import { accountsContradict, guessesApart, samePair } from './compatible.ts'
import { distanceTo, isCloser, stampsOf, type Distance } from './distance.ts'
import { entryLacksItsEnd, lacksItsEnd, NearestEvent, type Candidate } from './nearest-event.ts'
import type { DedupWindow } from './window.ts'
import type { Probe } from './probe.ts'
import { isCutOf } from './text-marks.ts'

export type Verdict =
  | { kind: 'new' }
  /** `of` is the record of the notification that was sent again. `event` is the first record of its event. */
  | {
      kind: 'resend'
      of: number
      event: number
      /** Whether the window must be given this notification's stamp: `DedupWindow.addResend`. */
      isNewStamp?: true
    }
  /** Another notification of the event whose first record is `event`. */
  | { kind: 'copy'; event: number }

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** Android posts one notification twice within this time. */
const SAME_PUSH = 10 * SECOND
const SAME_SMS = 5 * SECOND
const SENT_AGAIN = 10 * MINUTE
const SAME_CUT = 10 * SECOND
const OTHER_CHANNEL = 120 * MINUTE
/** Only the amount, the account and this time link a text without its end to one that prints no time. */
const WITHOUT_END = 2 * MINUTE

// --- rows 1 and 2: sent again --------------------------------------------------------------------------------------

/**
 * Whether the notification's source printed a different balance of the account between an earlier notification and this one.
 * If so, money moved in between. Only the newest notifications of the source are checked.
 */
const otherBalanceBetween = (window: DedupWindow, probe: Probe, since: number): boolean => {
  let found = false
  const stamps = stampsOf(window, probe, since)
  window.walk('sourceBalances', probe, (entry) => {
    if (entry === since || window.sourceOf(entry) !== probe.source || window.balanceOf(entry) === probe.balance)
      return false
    if (accountsContradict(window, probe, entry)) return false
    const [now, then, at] =
      stamps && !Number.isNaN(window.stampOf(entry))
        ? [...stamps, window.stampOf(entry) + stamps[0] - probe.stamp]
        : [probe.arrived, window.arrivedOf(since), window.arrivedOf(entry)]
    // If clocks are equal, the order of arrival decides.
    found =
      then <= now
        ? (at > then || (at === then && entry > since)) && at <= now
        : (at < then || (at === then && entry < since)) && at >= now
    return found
  })
  return found
}

const bindsItsText = (probe: Probe): boolean =>
  probe.references.length > 0 || probe.precision === SECOND || (probe.precision > 0 && !Number.isNaN(probe.balance))

const printsOnlyBalance = (probe: Probe): boolean => !Number.isNaN(probe.balance) && probe.precision === 0

/** Row 1. Source and text are already known to be equal. */
const isSameSending = (window: DedupWindow, probe: Probe, entry: number): boolean => {
  const message = window.messageOf(entry)
  return probe.message && message ? samePair(probe.message, message) : window.stampOf(entry) === probe.stamp
}

/** Row 2. Source and text are already known to be equal. */
const isSentAgain = (window: DedupWindow, probe: Probe, entry: number, isPush: boolean): boolean => {
  if (bindsItsText(probe)) return true
  const { apart } = distanceTo(window, probe, entry)
  if (printsOnlyBalance(probe) && apart <= SENT_AGAIN && !otherBalanceBetween(window, probe, entry)) return true
  const stamped = window.stampOf(entry)
  if (Number.isNaN(probe.stamp) && Number.isNaN(stamped)) return apart <= SENT_AGAIN
  return Math.abs(probe.stamp - stamped) <= (isPush ? SAME_PUSH : SAME_SMS)
}

const nearestEntry = (
  window: DedupWindow,
  probe: Probe,
  chain: 'sending' | 'text',
  fits: (entry: number) => boolean,
): number => {
  let nearest = NONE
  let distance: Distance | null = null
  window.walk(chain, probe, (entry) => {
    if (window.sourceOf(entry) !== probe.source || !window.hasText(entry, probe.text) || !fits(entry)) return
    const found = distanceTo(window, probe, entry)
    if (!isCloser(found, distance)) return
    distance = found
    nearest = entry
  })
  return nearest
}

// --- rows 3 and 4: copies ------------------------------------------------------------------------------------------

const isCut = (window: DedupWindow, probe: Probe, entry: number): boolean => {
  const marks = window.marksOf(entry)
  const cut = window.cutOf(entry)
  if (marks === '') return false
  return (
    (probe.cutAt !== null && isCutOf({ marks: probe.marks, cut_at: probe.cutAt }, { marks })) ||
    (cut !== null && isCutOf({ marks, cut_at: cut }, probe))
  )
}

/** Whether the order ids allow a copy. Only ids that were not guessed can forbid it, and not against the bank's own proof. */
const ordersAllow = (candidate: Candidate, isProved: boolean): boolean =>
  isProved || candidate.compatible !== 'but_for_the_order'

/** Whether two channels report within the time that one of them may be late, or arrive together although a phone's clock is wrong. */
const isNear = ({ apart, arrivals }: Distance): boolean => apart <= OTHER_CHANNEL || arrivals <= SENT_AGAIN

/** Row 3. A guessed order id cannot outweigh a reference, a balance with a time, or a cut. */
const rowThree = (window: DedupWindow, probe: Probe): number => {
  const nearest = new NearestEvent(window, probe)
  const printsTime = probe.precision > 0
  window.walkReferences(probe, (entry, namesMovement) =>
    nearest.offer(entry, (candidate) => ordersAllow(candidate, namesMovement)),
  )
  window.walk('balance', probe, (entry) => {
    if (window.balanceOf(entry) !== probe.balance) return
    nearest.offer(entry, (candidate) => {
      if (printsTime && candidate.printsTime)
        return ordersAllow(candidate, probe.precision === SECOND && candidate.printsSecond)
      const { apart } = candidate.distance
      // A different order id that a cut may have changed does not mean another payment if the balance is still the same soon afterwards.
      if (candidate.compatible === 'but_for_a_cut' && candidate.otherSource)
        return apart <= SENT_AGAIN && !otherBalanceBetween(window, probe, entry)
      if (candidate.compatible !== 'yes') return false
      if (candidate.otherSource) return isNear(candidate.distance)
      const sameSource = window.sourceOf(entry) === probe.source
      return (
        sameSource && distanceTo(window, probe, entry).apart <= SENT_AGAIN && !otherBalanceBetween(window, probe, entry)
      )
    })
  })
  if (printsTime) {
    window.walk('content', probe, (entry) => {
      const content = window.contentOf(entry)
      if (!content || !probe.content || !samePair(content, probe.content)) return
      nearest.offer(
        entry,
        (candidate) => candidate.printsTime && candidate.otherSource && candidate.compatible === 'yes',
      )
    })
  }
  // In a shop with a single price this walk is long, and usually finds nothing.
  if (probe.cutAt !== null || window.holdsCuts) {
    window.walk('sourceAmount', probe, (entry) => {
      if (window.sourceOf(entry) !== probe.source || (probe.cutAt === null && window.cutOf(entry) === null)) return
      if (distanceTo(window, probe, entry).apart > SAME_CUT || !isCut(window, probe, entry)) return
      // An equal text is a resend or another payment: row 2.
      if (window.hasText(entry, probe.text) || guessesApart(window, probe, entry)) return
      nearest.offer(entry, (candidate) => ordersAllow(candidate, false))
    })
  }
  return nearest.event
}

const rowFour = (window: DedupWindow, probe: Probe): number => {
  const nearest = new NearestEvent(window, probe)
  window.walk('order', probe, (entry) => {
    const order = window.orderOf(entry)
    if (!order || !probe.order || !samePair(order, probe.order)) return
    nearest.offer(
      entry,
      (candidate) => candidate.otherSource && candidate.compatible === 'yes' && isNear(candidate.distance),
    )
  })
  return nearest.event
}

/**
 * Row 5. An app may cut a text before its balance and its memo: `TK 42xxx584|GD: +150,000VND 20/11/26 10:00 |SD: 5,3...`. No order id is lost if
 * that is the text of another payment of the same minute.
 */
const rowFive = (window: DedupWindow, probe: Probe): number => {
  const nearest = new NearestEvent(window, probe)
  const isShort = lacksItsEnd(probe)
  if (!isShort && !window.holdsCuts) return NONE
  window.walkOtherSources(probe, (entry) => {
    if (!isShort && !entryLacksItsEnd(window, entry)) return
    nearest.offer(
      entry,
      ({ otherSource, printsTime, compatible: agreed, distance }) =>
        otherSource &&
        agreed === 'yes' &&
        ((printsTime && probe.precision > 0) || Math.min(distance.apart, distance.arrivals) <= WITHOUT_END),
    )
  })
  return nearest.event
}

const resendOf = (window: DedupWindow, entry: number): Extract<Verdict, { kind: 'resend' }> => ({
  kind: 'resend',
  of: window.idOf(entry),
  event: window.eventOf(entry),
})

/**
 * @param window  the deduplication window of the notification's user and bank
 * @param isPush  whether the notification's source is an app's pushes
 */
export const verdictOn = (window: DedupWindow, probe: Probe, isPush: boolean): Verdict => {
  const sentBefore = nearestEntry(window, probe, 'sending', (entry) => isSameSending(window, probe, entry))
  if (sentBefore !== NONE) return resendOf(window, sentBefore)
  const again = nearestEntry(window, probe, 'text', (entry) => isSentAgain(window, probe, entry, isPush))
  if (again !== NONE) {
    const isNewStamp = !bindsItsText(probe) && (probe.message !== null || !Number.isNaN(probe.stamp))
    return isNewStamp ? { ...resendOf(window, again), isNewStamp } : resendOf(window, again)
  }
  let event = NONE
  for (const row of [rowThree, rowFour, rowFive]) if (event === NONE) event = row(window, probe)
  return event === NONE ? { kind: 'new' } : { kind: 'copy', event }
}
