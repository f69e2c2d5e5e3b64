/**
 * "The same event": is a notification sent again, a copy of one that another channel brought, or another event? The highest
 * row of the table that any event fits decides, and within it the nearest event:
 *
 *   1  same source, text and stamp                                                        resend
 *   2  same source and text, and what it prints, or how close they came, binds them       resend
 *   3  equal reference; balance and time; balance alone; time and content; one a cut      copy
 *   4  another source, equal order id                                                     copy
 *   5  anything else                                                                      another event
 *
 * Rows 1 and 2 ask for the same text, which prints the same: it fits its event as well as it did the first time. For the
 * other rows the notification must be *compatible* with every notification of the event: what copies print counts together.
 * Pure, and so deterministic: times come from the notifications.
 */
import { digitsContradict } from './account-digits.ts'
import { NONE } from './chains.ts'
import type { Book } from './book.ts'
import type { Probe } from './entries.ts'
import { isCutOf } from './text-marks.ts'

export type Verdict =
  | { kind: 'new' }
  /** `of` is the record of the very notification that was sent again, `event` the first record of its event. */
  | { kind: 'resend'; of: number; event: number }
  /** Another notification of the event whose first record is `event`. */
  | { kind: 'copy'; event: number }

const SECOND = 1_000
const MINUTE = 60 * SECOND
/** Android posts one notification twice. */
const SAME_PUSH = 10 * SECOND
const SAME_SMS = 5 * SECOND
const SENT_AGAIN = 10 * MINUTE
const SAME_CUT = 10 * SECOND
const OTHER_CHANNEL = 120 * MINUTE

/** How close two notifications are: by *apart*, and where that is equal by their stamps or arrivals. */
interface Distance {
  apart: number
  clock: number
}

const isCloser = (a: Distance, b: Distance | null): boolean =>
  !b || a.apart < b.apart || (a.apart === b.apart && a.clock < b.clock)

/** Between stamps where both have one, else between arrivals. */
const clockApart = (book: Book, probe: Probe, entry: number): number => {
  const byStamp = Math.abs(probe.stamp - book.stampOf(entry))
  return Number.isNaN(byStamp) ? Math.abs(probe.arrived - book.arrivedOf(entry)) : byStamp
}

/** Between printed times at the coarser precision; NaN where one prints none. */
const printedApart = (book: Book, probe: Probe, entry: number): number => {
  const precision = Math.max(probe.precision, book.precisionOf(entry))
  const floor = (time: number): number => Math.floor(time / precision) * precision
  return Math.abs(floor(probe.printed) - floor(book.printedOf(entry)))
}

const distanceTo = (book: Book, probe: Probe, entry: number): Distance => {
  const clock = clockApart(book, probe, entry)
  const printed = printedApart(book, probe, entry)
  return { apart: Number.isNaN(printed) ? clock : printed, clock }
}

/** To an event: its copies' prints count together, else its nearest notification counts. */
const distanceToEvent = (book: Book, probe: Probe, entries: readonly number[]): Distance => {
  const clock = Math.min(...entries.map((entry) => clockApart(book, probe, entry)))
  const printed = entries.map((entry) => printedApart(book, probe, entry)).find((apart) => !Number.isNaN(apart))
  return { apart: printed ?? clock, clock }
}

// --- compatible ----------------------------------------------------------------------------------------------------

/** `but_for_a_guess`: only the order ids differ, and of the two one hit no prefix of the user: it was a guess. */
type Compatible = 'yes' | 'but_for_a_guess' | 'no'

const samePair = (a: readonly [number, number], b: readonly [number, number]): boolean => a[0] === b[0] && a[1] === b[1]

/** References contradict where both have one of the same label or shape, and none of it is equal. */
const referencesContradict = (book: Book, probe: Probe, entry: number): boolean => {
  if (probe.references.length === 0) return false
  const others = book.referencesOf(entry)
  return probe.references.some(({ kind }) => {
    const theirs = others.filter((other) => other.kind === kind)
    const ours = probe.references.filter((own) => own.kind === kind)
    return theirs.length > 0 && !theirs.some((other) => ours.some((own) => samePair(own.value, other.value)))
  })
}

const accountsContradict = (book: Book, probe: Probe, entry: number): boolean => {
  const [ours, theirs] = [book.nameOf(probe.account), book.accountOf(entry)]
  return ours !== null && theirs !== null && digitsContradict(ours, theirs)
}

const compatibleWith = (book: Book, probe: Probe, entry: number): Compatible => {
  const balance = book.balanceOf(entry)
  const contradicts =
    book.movementOf(entry) !== probe.movement ||
    book.amountOf(entry) !== probe.amount ||
    (balance !== probe.balance && !Number.isNaN(balance) && !Number.isNaN(probe.balance)) ||
    printedApart(book, probe, entry) > 0 ||
    accountsContradict(book, probe, entry) ||
    referencesContradict(book, probe, entry)
  if (contradicts) return 'no'
  const order = book.orderOf(entry)
  if (!probe.order || !order || samePair(probe.order, order)) return 'yes'
  return probe.prefixed === book.isPrefixed(entry) ? 'no' : 'but_for_a_guess'
}

const compatible = (book: Book, probe: Probe, entries: readonly number[]): Compatible => {
  let answer: Compatible = 'yes'
  for (const entry of entries) {
    const each = compatibleWith(book, probe, entry)
    if (each === 'no') return 'no'
    if (each === 'but_for_a_guess') answer = each
  }
  return answer
}

// --- rows 1 and 2: sent again --------------------------------------------------------------------------------------

/**
 * Whether the notification's source printed another balance of the account between an earlier notification and this one:
 * then money moved in between. Only the newest of the source are looked at.
 */
const otherBalanceBetween = (book: Book, probe: Probe, since: number): boolean => {
  let found = false
  book.walk('sourceBalances', probe, (entry) => {
    if (entry === since || book.sourceOf(entry) !== probe.source || book.balanceOf(entry) === probe.balance)
      return false
    if (accountsContradict(book, probe, entry)) return false
    const stamped = ![probe.stamp, book.stampOf(since), book.stampOf(entry)].some(Number.isNaN)
    const [now, then, at] = stamped
      ? [probe.stamp, book.stampOf(since), book.stampOf(entry)]
      : [probe.arrived, book.arrivedOf(since), book.arrivedOf(entry)]
    // Where clocks are equal the order in which they came decides.
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

/** Row 2, given the same source and text. */
const isSentAgain = (book: Book, probe: Probe, entry: number, isPush: boolean): boolean => {
  if (bindsItsText(probe)) return true
  const { apart } = distanceTo(book, probe, entry)
  if (printsOnlyBalance(probe) && apart <= SENT_AGAIN && !otherBalanceBetween(book, probe, entry)) return true
  const stamped = book.stampOf(entry)
  if (Number.isNaN(probe.stamp) && Number.isNaN(stamped)) return apart <= SENT_AGAIN
  return Math.abs(probe.stamp - stamped) <= (isPush ? SAME_PUSH : SAME_SMS)
}

const nearestEntry = (
  book: Book,
  probe: Probe,
  chain: 'sending' | 'text',
  fits: (entry: number) => boolean,
): number => {
  let nearest = NONE
  let distance: Distance | null = null
  book.walk(chain, probe, (entry) => {
    if (book.sourceOf(entry) !== probe.source || !book.hasText(entry, probe.text) || !fits(entry)) return
    const found = distanceTo(book, probe, entry)
    if (!isCloser(found, distance)) return
    distance = found
    nearest = entry
  })
  return nearest
}

// --- rows 3 and 4: copies ------------------------------------------------------------------------------------------

/** An event that a notification might be a copy of. */
interface Candidate {
  /** The notification of the event that was found by the row's key. */
  entry: number
  entries: readonly number[]
  distance: Distance
  /** Nothing of it came from this source yet. */
  otherSource: boolean
  printsTime: boolean
  compatible: Compatible
}

const isCut = (book: Book, probe: Probe, entry: number): boolean => {
  const marks = book.marksOf(entry)
  const cut = book.cutOf(entry)
  if (marks === '') return false
  return (
    (probe.cutAt !== null && isCutOf({ marks: probe.marks, cut_at: probe.cutAt }, { marks })) ||
    (cut !== null && isCutOf({ marks, cut_at: cut }, probe))
  )
}

type Fits = (candidate: Candidate) => boolean

/** Finds the nearest event among those that a row's key brings up. */
class NearestEvent {
  readonly #book: Book
  readonly #probe: Probe
  #distance: Distance | null = null
  event = NONE

  constructor(book: Book, probe: Probe) {
    this.#book = book
    this.#probe = probe
  }

  offer(entry: number, fits: Fits): void {
    const [book, probe] = [this.#book, this.#probe]
    if (book.movementOf(entry) !== probe.movement || book.amountOf(entry) !== probe.amount) return
    const event = book.eventOf(entry)
    const entries = book.entriesOf(event, probe)
    const agreed = compatible(book, probe, entries)
    if (agreed === 'no') return
    const distance = distanceToEvent(book, probe, entries)
    if (!isCloser(distance, this.#distance)) return
    const candidate: Candidate = {
      entry,
      entries,
      distance,
      otherSource: !entries.some((each) => book.sourceOf(each) === probe.source),
      printsTime: entries.some((each) => book.precisionOf(each) > 0),
      compatible: agreed,
    }
    if (!fits(candidate)) return
    this.#distance = distance
    this.event = event
  }
}

/** Row 3. A guessed order id stands against nothing that binds so closely as a reference, a balance with a time, a cut. */
const rowThree = (book: Book, probe: Probe): number => {
  const nearest = new NearestEvent(book, probe)
  const printsTime = probe.precision > 0
  book.walkReferences(probe, (entry) => nearest.offer(entry, () => true))
  book.walk('balance', probe, (entry) => {
    if (book.balanceOf(entry) !== probe.balance) return
    nearest.offer(entry, (candidate) => {
      if (printsTime && candidate.printsTime) return true
      if (candidate.compatible !== 'yes') return false
      if (candidate.otherSource) return candidate.distance.apart <= OTHER_CHANNEL
      const sameSource = book.sourceOf(entry) === probe.source
      return (
        sameSource && distanceTo(book, probe, entry).apart <= SENT_AGAIN && !otherBalanceBetween(book, probe, entry)
      )
    })
  })
  if (printsTime) {
    book.walk('content', probe, (entry) => {
      const content = book.contentOf(entry)
      if (!content || !probe.content || !samePair(content, probe.content)) return
      nearest.offer(
        entry,
        (candidate) => candidate.printsTime && candidate.otherSource && candidate.compatible === 'yes',
      )
    })
  }
  book.walk('sourceAmount', probe, (entry) => {
    if (book.sourceOf(entry) !== probe.source || (probe.cutAt === null && book.cutOf(entry) === null)) return
    if (distanceTo(book, probe, entry).apart > SAME_CUT || !isCut(book, probe, entry)) return
    nearest.offer(entry, () => true)
  })
  return nearest.event
}

const rowFour = (book: Book, probe: Probe): number => {
  const nearest = new NearestEvent(book, probe)
  book.walk('order', probe, (entry) => {
    const order = book.orderOf(entry)
    if (!order || !probe.order || !samePair(order, probe.order)) return
    nearest.offer(
      entry,
      (candidate) =>
        candidate.otherSource && candidate.compatible === 'yes' && candidate.distance.apart <= OTHER_CHANNEL,
    )
  })
  return nearest.event
}

/**
 * @param book  the events of the notification's user and bank
 * @param isPush  whether the notification's source is an app's pushes
 */
export const verdictOn = (book: Book, probe: Probe, isPush: boolean): Verdict => {
  const sentBefore = nearestEntry(book, probe, 'sending', (entry) => book.stampOf(entry) === probe.stamp)
  const again =
    sentBefore === NONE
      ? nearestEntry(book, probe, 'text', (entry) => isSentAgain(book, probe, entry, isPush))
      : sentBefore
  if (again !== NONE) return { kind: 'resend', of: book.idOf(again), event: book.eventOf(again) }
  const three = rowThree(book, probe)
  const event = three === NONE ? rowFour(book, probe) : three
  return event === NONE ? { kind: 'new' } : { kind: 'copy', event }
}
