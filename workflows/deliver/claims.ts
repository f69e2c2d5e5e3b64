// Tests: tests/unit/workflows/deliver/claims.test.ts, tests/integration/delivery/takeover.test.ts
/**
 * Claims deliveries for this worker. A delivery from the queue or from a dead worker is also checked against its stream
 * before it begins. A claimed delivery must not be dropped because the store or the database is down. So the store is read again until
 * it answers, and a claim whose response was lost is looked up again: no other worker takes it over while this one
 * lives. A search can miss such a claim: its statement may still run on the server, and another statement may lock its row. So the
 * search is repeated with the heartbeats of a minute.
 */
import type { EventStore, LogEntry } from '../../domain/ports.ts'
import { retry } from '../support/retry.ts'
import type { Lanes } from './lanes.ts'
import type { Claimed, DeliveryQueue, Due, Orphan, RoomByLane } from './queue.ts'
import { checkAgainstStreams } from './stream-check.ts'
import type { TrackedTransactions } from './tracked.ts'

/** Calls in one claim from the log. A transaction may have many rules. */
const MOST_IN_CLAIM = 1_000

/** Due rows of one rule in one claim. */
const PER_RULE = 128

export interface ClaimsOptions {
  worker: string
  queue: DeliveryQueue
  store: Pick<EventStore, 'read'>
  tracked: TrackedTransactions
  lanes: Lanes
  /** Workers that no longer live. */
  dead: () => readonly string[]
  /** Whether no worker can have attempted this entry's deliveries before. */
  isFirst: (entry: LogEntry) => boolean
  /** Transactions of the claims that this worker is making, until they are handed over. */
  beingClaimed: () => readonly number[]
  begin: (claimed: readonly Claimed[]) => void
  /** Ends a delivery whose rule no longer exists. The delivery is held in `tracked`. */
  endOrphan: (orphan: Orphan) => void
  stopping: AbortSignal
  /** Claims could not be given back. The queue may still have them. */
  onLost: (error: unknown) => void
  onError: (error: unknown) => void
}

/** Milliseconds after a lost response in which each heartbeat looks for the claim. */
const LOOKED_FOR_MS = 60_000

/** How long a delivery is put off if its stream cannot be read: milliseconds. */
const PUT_OFF_MS = 30_000

const keyOf = ({ transaction_id, rule_id }: { transaction_id: number; rule_id: number }): string =>
  `${transaction_id} ${rule_id}`

export class Claims {
  readonly #options: ClaimsOptions
  /** Claims that are being checked and will then be in `tracked`. */
  readonly #beingChecked = new Set<Claimed>()
  #mayHaveLost = false
  /** When a response was last lost: milliseconds of `performance.now()`. */
  #lostAt = -Infinity

  constructor(options: ClaimsOptions) {
    this.#options = options
  }

  /** The response to a claim was lost. The claim may have been made nevertheless. */
  mayHaveLost(): void {
    this.#mayHaveLost = true
    this.#lostAt = performance.now()
  }

  /** Whether a search may find a claim that an earlier one missed. */
  get mayFindLost(): boolean {
    return performance.now() - this.#lostAt < LOOKED_FOR_MS
  }

  first(transactions: readonly number[]): Promise<{ claimed: Claimed[]; isGated: boolean }> {
    const { worker, queue, lanes } = this.#options
    return queue.claimFirst(worker, transactions, lanes.first.fullRules(), MOST_IN_CLAIM)
  }

  /** @param firstEarlier  seconds by which first attempts are claimed before they are due in the queue */
  due(room: RoomByLane, firstEarlier: number): Promise<Due> {
    const { queue, worker, lanes } = this.#options
    const [fullRules, limitedWaiting, shares] = [lanes.fullRules(), lanes.limitedWaiting(), lanes.shares()]
    return queue.claimDue(worker, { room, perRule: PER_RULE, fullRules, limitedWaiting, shares, firstEarlier })
  }

  /**
   * Claims of dead workers, and own claims whose response was lost. An own claim that this worker holds, at the beginning or at the end of
   * the search, is not lost.
   * @returns with `hasMore` if it must be called again
   */
  async takeOver(limit: number): Promise<Due> {
    const { worker, queue, dead } = this.#options
    const own = this.#mayHaveLost || this.mayFindLost
    // A response that is lost during the search is for the next one.
    this.#mayHaveLost = false
    const before = this.#inHand()
    const most = limit + (own ? before.held.size + before.beingClaimed.size : 0)
    try {
      const found = await queue.takeOver(worker, own ? [...dead(), worker] : dead(), most)
      const now = this.#inHand()
      const isHeld = (claim: Orphan) => [before, now].some(({ held }) => held.has(keyOf(claim)))
      const isBeingClaimed = ({ transaction_id }: Orphan) =>
        [before, now].some(({ beingClaimed }) => beingClaimed.has(transaction_id))
      const rows = [...found.claimed, ...found.orphans]
      const isUnclear = rows.some(isBeingClaimed)
      const isFull = rows.length >= most
      // All of them have this worker's name now.
      if (isUnclear || (own && isFull)) this.#mayHaveLost = true
      const isLost = (claim: Orphan) => !isHeld(claim) && !isBeingClaimed(claim)
      return {
        claimed: found.claimed.filter(isLost),
        orphans: found.orphans.filter(isLost),
        hasMore: isUnclear || isFull,
      }
    } catch (error) {
      this.#mayHaveLost ||= own
      throw error
    }
  }

  #inHand(): { held: ReadonlySet<string>; beingClaimed: ReadonlySet<number> } {
    const held = new Set([...this.#beingChecked, ...this.#options.tracked.held].map(keyOf))
    return { held, beingClaimed: new Set(this.#options.beingClaimed()) }
  }

  /** First attempts. @param entries the log entries that they were claimed for, by transaction */
  async beginFirst(claimed: readonly Claimed[], entries: ReadonlyMap<number, LogEntry>): Promise<void> {
    // A transaction that was just captured has no later events. So its stream need not be read: the append would detect
    // any.
    const isFresh = ({ transaction_id }: Claimed) => {
      const entry = entries.get(transaction_id)
      return entry?.type === 'TransactionCaptured' && this.#options.isFirst(entry)
    }
    const fresh = claimed.filter(isFresh)
    for (const each of fresh) this.#options.tracked.holdAt(each, entries.get(each.transaction_id)!)
    this.#options.begin(fresh)
    await this.beginChecked({ claimed: claimed.filter((each) => !isFresh(each)), orphans: [] })
  }

  async beginChecked(due: Due): Promise<void> {
    const { store, tracked, begin, endOrphan, stopping, onError } = this.#options
    for (const claim of due.claimed) this.#beingChecked.add(claim)
    const { claimed, orphans, putOff } = await checkAgainstStreams(
      due,
      async (slices) => (await retry(() => store.read(slices), { signal: stopping, onFailure: onError })) ?? null,
      tracked,
    )
    orphans.forEach(endOrphan)
    const later = new Set(putOff)
    for (const claim of due.claimed) if (!later.has(claim)) this.#beingChecked.delete(claim)
    if (putOff.length > 0) this.#putOff(putOff)
    begin(claimed)
  }

  /** Gives claims back after a while. Until then no worker claims them, so a stream that cannot be read costs only an occasional check. */
  #putOff(claims: readonly Claimed[]): void {
    const { worker, queue, stopping, onLost } = this.#options
    const giveBack = async (): Promise<void> => {
      if (stopping.aborted) return
      await queue.giveBack(worker, claims).catch(onLost)
      for (const claim of claims) this.#beingChecked.delete(claim)
    }
    setTimeout(() => void giveBack(), PUT_OFF_MS).unref()
  }
}
