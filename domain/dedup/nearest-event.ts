// Tests: tests/unit/domain/dedup/verdict.test.ts
/** The nearest event that a notification might be a copy of, among those that a row of `verdict.ts` finds. */
import { NONE } from './chains.ts'
import { compatible, namesEvent, type Compatible } from './compatible.ts'
import { distanceToEvent, isCloser, printedApart, type Distance } from './distance.ts'
import type { Ending, Probe } from './probe.ts'
import type { DedupWindow } from './window.ts'

const SECOND = 1_000

/** An event that a notification might be a copy of. */
export interface Candidate {
  distance: Distance
  /** Whether all notifications of the event came from other sources, except perhaps a text without its end. */
  otherSource: boolean
  printsTime: boolean
  printsSecond: boolean
  compatible: Compatible
}

/** Whether a text was cut before its balance and its memo. */
export const lacksItsEnd = ({ cutAt, balance, order, references }: Ending): boolean =>
  cutAt !== null && Number.isNaN(balance) && !order && references.length === 0

/** `lacksItsEnd` of an entry. Few texts are cut, so that is looked up first. */
export const entryLacksItsEnd = (window: DedupWindow, entry: number): boolean =>
  window.cutOf(entry) !== null && lacksItsEnd(window.endingOf(entry))

type Fits = (candidate: Candidate) => boolean

/** How an event fits: it shows the same order id or reference; nothing of the kind; or another order id. */
const NAMED = 0
const UNNAMED = 1
const OTHER_ORDER = 2

/** How an event and a notification compare. */
interface Compared {
  rank: number
  candidate: Candidate
}

/**
 * The most notifications that one row compares. A payment has a few, and a row finds a few hundred payments. Without a limit, an account that sends
 * a payment in many copies could keep the process busy for seconds. Of those that one key finds, the newest are compared first.
 */
const MOST_COMPARED = 4_096

/**
 * Finds the nearest event among those that a row's key finds. One that shows the same order id or reference precedes the others, however near they
 * are. Otherwise an event without an order id would get that of another payment, and the order would be paid twice. One with another order id
 * counts only if no other fits: a payer may write the reference of one payment into the next.
 */
export class NearestEvent {
  readonly #window: DedupWindow
  readonly #probe: Probe
  /** Each event is compared once, however many of its notifications are found. Null: it is not compatible. */
  readonly #known = new Map<number, Compared | null>()
  #compared = 0
  #distance: Distance | null = null
  #rank = OTHER_ORDER
  event = NONE

  constructor(window: DedupWindow, probe: Probe) {
    this.#window = window
    this.#probe = probe
  }

  offer(entry: number, fits: Fits): void {
    const [window, probe] = [this.#window, this.#probe]
    if (window.movementOf(entry) !== probe.movement || window.amountOf(entry) !== probe.amount) return
    // It would not be compatible. In a shop with one price, most are of another minute.
    if (printedApart(window, probe, entry) > 0) return
    const event = window.eventOf(entry)
    let found = this.#known.get(event)
    if (found === undefined) this.#known.set(event, (found = this.#compare(event)))
    if (found === null) return
    const { rank, candidate } = found
    const { distance } = candidate
    if (rank === this.#rank ? !isCloser(distance, this.#distance) : rank > this.#rank) return
    if (!fits(candidate)) return
    this.#distance = distance
    this.#rank = rank
    this.event = event
  }

  #compare(event: number): Compared | null {
    if (this.#compared >= MOST_COMPARED) return null
    const [window, probe] = [this.#window, this.#probe]
    const entries = window.entriesOf(event, probe)
    this.#compared += entries.length
    const agreed = compatible(window, probe, entries)
    if (agreed === 'no') return null
    const rank = agreed === 'but_for_the_order' ? OTHER_ORDER : namesEvent(window, probe, entries) ? NAMED : UNNAMED
    const candidate: Candidate = {
      distance: distanceToEvent(window, probe, entries),
      otherSource: !entries.some((each) => this.#isFromHere(each)),
      printsTime: entries.some((each) => window.precisionOf(each) > 0),
      printsSecond: entries.some((each) => window.precisionOf(each) === SECOND),
      compatible: agreed,
    }
    return { rank, candidate }
  }

  /** A text without its end may be of another payment, so the whole text of its source still counts. */
  #isFromHere(entry: number): boolean {
    const [window, probe] = [this.#window, this.#probe]
    return window.sourceOf(entry) === probe.source && (lacksItsEnd(probe) || !entryLacksItsEnd(window, entry))
  }
}
