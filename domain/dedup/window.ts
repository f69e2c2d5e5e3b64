/**
 * The deduplication window: the notifications of one user and bank in the last seven days, folded from `book-<user>-<bank>`.
 * Every row of "The same event" looks entries up by a key that has its own chain here. Nothing is scanned.
 *
 * Unlike the other folds it changes in place, because it may hold a week of notifications at about 300 bytes each. `backTo`
 * removes what a decision added before it was stored.
 */
import { ChainHeads, HeadsToFill, NONE, mixed, mixedFloat } from './chains.ts'
import { Entries, type EntriesState } from './entries.ts'
import type { Ending, Probe } from './probe.ts'
import { DEDUP_RETENTION_S, type NotificationSeen } from './events.ts'

/** Entries of one part of a snapshot. A part is copied, or put back, in about a millisecond. */
const ENTRIES_A_PART = 1_024

/** A snapshot of a window, except for the numbers of its entries, which are in its parts. */
export interface WindowState extends EntriesState {
  /** The number of keys, so that their table need not grow while the entries are put back. */
  keys: number
}

/** The keys by which entries are found. */
const CHAIN = {
  sending: 0, text: 1, balance: 2, content: 3, order: 4, sourceAmount: 5, sourceBalances: 6, event: 7,
} as const // prettier-ignore
const ALL_CHAINS = Object.values(CHAIN)
const RESEND_CHAINS = [CHAIN.sending]
/** References have their own chain in the same table. */
const REFERENCE_CHAIN = ALL_CHAINS.length
export type Chain = Exclude<keyof typeof CHAIN, 'event'>

/** The most steps along one chain. If a user sends thousands of equal notifications, a late copy may not be recognised. */
const MOST_WALKED = 128

const RETENTION_MS = DEDUP_RETENTION_S * 1_000
/** Expired entries are dropped together, when they are half of all entries and at least this many. */
const WORTH_DROPPING = 1_024

/** The number of parts in a snapshot of so many entries, and of those that are full. */
export const partsFor = (size: number): number => Math.ceil(size / ENTRIES_A_PART)
export const fullPartsFor = (size: number): number => Math.floor(size / ENTRIES_A_PART)

export class DedupWindow extends Entries {
  #heads = new ChainHeads()
  #numbering = 0

  override get bytes(): number {
    return super.bytes + this.#heads.bytes
  }

  /** Folds in one more event of the stream. */
  see(seen: NotificationSeen): void {
    const { transaction_id: id, copy_of } = seen
    if (copy_of === id) this.addResend(id, this.probe(seen))
    else this.add(id, copy_of ?? id, this.probe(seen))
  }

  /**
   * @param id  record of this notification
   * @param event  record of the first notification of its event
   */
  add(id: number, event: number, probe: Probe): void {
    const entry = this.push(id, event, probe)
    for (const chain of ALL_CHAINS) this.#link(entry, chain, keyOf(chain, probe, event))
    probe.references.forEach(({ kind, value }, n) => {
      const node = this.referencesFrom(entry) + n
      const key = referenceKey(probe, kind, value)
      this.setNextReference(node, this.#heads.get(key))
      this.#heads.set(key, node)
    })
  }

  /**
   * Adds a resend with a stamp of its own. Only an equal sending finds it. It does not count as a notification of the event, because what it
   * prints was printed before.
   * @param id  record of the notification that was sent again
   */
  addResend(id: number, probe: Probe): void {
    let event = id
    this.walk('text', probe, (entry) => {
      if (this.idOf(entry) === id) event = this.eventOf(entry)
      return event !== id
    })
    const entry = this.push(id, event, probe, true)
    this.#link(entry, CHAIN.sending, keyOf(CHAIN.sending, probe, event))
  }

  /** Removes everything that was added after the window had this size. */
  backTo(size: number): void {
    while (this.size > size) {
      const entry = this.size - 1
      const probe = this.probeOf(entry)
      for (let n = probe.references.length - 1; n >= 0; n--) {
        const { kind, value, next } = this.referenceAt(this.referencesFrom(entry) + n)
        this.#heads.set(referenceKey(probe, kind, value), next)
      }
      for (const chain of this.isResend(entry) ? RESEND_CHAINS : ALL_CHAINS) {
        const key = keyOf(chain, probe, this.eventOf(entry))
        if (key !== null) this.#heads.set(key, this.nextOf(entry, chain))
      }
      this.pop()
    }
  }

  /**
   * Removes entries that are no longer compared with any notification. Call it only while no `backTo` can follow.
   * @param now  Unix milliseconds
   */
  dropExpired(now: number): void {
    const half = Math.floor(this.size / 2)
    if (half < WORTH_DROPPING) return
    // Each is checked: one that was kept unread arrived long before those that it follows here.
    for (let entry = half; entry >= 0; entry--) if (now - this.arrivedOf(entry) <= RETENTION_MS) return
    this.#heads = new ChainHeads()
    this.#numbering++
    this.restart(half, (id, event, probe, isResend) =>
      isResend ? this.addResend(id, probe) : this.add(id, event, probe),
    )
  }

  /** Changes when the entries get new numbers. Until then, the first entries of a window at rest stay the same. */
  get numbering(): number {
    return this.#numbering
  }

  /** Call it only while no `backTo` can follow. */
  snapshot(): WindowState {
    return { ...this.state(), keys: this.#heads.keys }
  }

  /** A copy of one part of the first `size` entries. They may have been joined by others. */
  partOf(size: number, part: number): Uint8Array {
    return this.numbersOf(part * ENTRIES_A_PART, Math.min(size, (part + 1) * ENTRIES_A_PART))
  }

  /**
   * Fills an empty window from a snapshot, a millisecond or two at a time.
   * @param parts  what `partOf` returned for all its entries, in their order
   * @throws {RangeError} if they do not fit
   */
  async *restore(state: WindowState, parts: AsyncIterable<Uint8Array>): AsyncGenerator<void> {
    const { size, references, keys } = state
    const heads = new HeadsToFill(keys, size * ALL_CHAINS.length + references)
    this.makeRoom(state)
    for await (const numbers of parts) {
      const first = this.size
      this.refill(Math.min(size, first + ENTRIES_A_PART), numbers)
      for (let entry = first; entry < this.size; entry++) this.#setHeads(heads, entry)
      yield
    }
    if (this.size !== size) throw new RangeError('the snapshot has too few parts')
    yield* heads.fill()
    this.#heads = heads.heads
  }

  /** Makes an entry, whose own links are there, the newest of its chains. */
  #setHeads(heads: HeadsToFill, entry: number): void {
    const probe = this.probeOf(entry)
    const event = this.eventOf(entry)
    const isResend = this.isResend(entry)
    for (const chain of isResend ? RESEND_CHAINS : ALL_CHAINS) {
      const key = keyOf(chain, probe, event)
      if (key !== null) heads.set(key, entry)
    }
    // The references of a resend have no links: see `addResend`.
    if (isResend) return
    let node = this.referencesFrom(entry)
    for (const { kind, value } of probe.references) heads.set(referenceKey(probe, kind, value), node++)
  }

  #link(entry: number, chain: number, key: number | null): void {
    if (key === null) return
    this.setNext(entry, chain, this.#heads.get(key))
    this.#heads.set(key, entry)
  }

  /**
   * Visits the entries of the last seven days that have this notification's key in that chain, newest first. Keys are hashes, so
   * the visitor must compare the fields.
   * @param visit  returns true to end the walk
   */
  walk(chain: Chain, probe: Probe, visit: (entry: number) => boolean | void): void {
    const key = keyOf(CHAIN[chain], probe, NONE)
    if (key === null) return
    let entry = this.#heads.get(key)
    for (let steps = 0; entry !== NONE && steps < MOST_WALKED; steps++) {
      if (this.#isRemembered(entry, probe) && visit(entry) === true) return
      entry = this.nextOf(entry, CHAIN[chain])
    }
  }

  /** Visits the entries of other sources that have this notification's amount, like `walk`. */
  walkOtherSources(probe: Probe, visit: (entry: number) => void): void {
    for (const source of this.sources)
      if (source !== probe.source) this.walk('sourceAmount', { ...probe, source }, visit)
  }

  /** Visits the entries of a source that print a balance, like `walk`. */
  walkSource(source: number, probe: Probe, visit: (entry: number) => boolean | void): void {
    this.walk(
      'sourceBalances',
      { ...probe, source, balance: 0 },
      (entry) => this.sourceOf(entry) === source && visit(entry),
    )
  }

  /**
   * Visits entries that print the same reference for an equal amount.
   * @param visit  receives the entry, and whether that reference names the movement
   */
  walkReferences(probe: Probe, visit: (entry: number, namesMovement: boolean) => void): void {
    for (const { kind, value, namesMovement = false } of probe.references) {
      let node = this.#heads.get(referenceKey(probe, kind, value))
      for (let steps = 0; node !== NONE && steps < MOST_WALKED; steps++) {
        const there = this.referenceAt(node)
        const isEqual = there.kind === kind && there.value[0] === value[0] && there.value[1] === value[1]
        if (isEqual && this.#isRemembered(there.entry, probe)) visit(there.entry, namesMovement)
        node = there.next
      }
    }
  }

  /** All notifications of one event, the newest first. */
  entriesOf(event: number, probe: Probe): number[] {
    const entries: number[] = []
    let entry = this.#heads.get(eventKey(event))
    for (let steps = 0; entry !== NONE && steps < MOST_WALKED; steps++) {
      if (this.eventOf(entry) === event && this.#isRemembered(entry, probe)) entries.push(entry)
      entry = this.nextOf(entry, CHAIN.event)
    }
    return entries
  }

  /** Whether an event is one of those that a notification is compared with. */
  holds(event: number, probe: Probe): boolean {
    return this.entriesOf(event, probe).length > 0
  }

  endingOf(entry: number): Ending {
    const [cutAt, balance] = [this.cutOf(entry), this.balanceOf(entry)]
    return { cutAt, balance, order: this.orderOf(entry), references: this.referencesOf(entry) }
  }

  #isRemembered(entry: number, probe: Probe): boolean {
    return probe.arrived - this.arrivedOf(entry) <= RETENTION_MS
  }
}

// --- keys ----------------------------------------------------------------------------------------------------------

/** One number per chain, so that all chains share one table. */
const seed = (chain: number): number => mixed(0x2545f491, chain + 1)

const eventKey = (event: number): number => mixedFloat(seed(CHAIN.event), event)

const movementKey = (chain: number, { movement, amount }: Probe): number =>
  mixedFloat(mixed(seed(chain), movement), amount)

const referenceKey = (probe: Probe, kind: number, [one, other]: readonly [number, number]): number =>
  mixed(mixed(mixed(movementKey(REFERENCE_CHAIN, probe), kind), one), other)

const pairKey = (chain: number, probe: Probe, pair: readonly [number, number] | null): number | null =>
  pair && mixed(mixed(movementKey(chain, probe), pair[0]), pair[1])

const textKey = (chain: number, { source, text }: Probe): number =>
  mixed(mixed(mixed(seed(chain), source), text[0]), text[1])

/** A mail is identified by its Message-ID, everything else by its stamp. */
const sendingKey = (chain: number, probe: Probe): number | null => {
  const { message, stamp } = probe
  if (message) return mixed(mixed(textKey(chain, probe), message[0]), message[1])
  return Number.isNaN(stamp) ? null : mixedFloat(textKey(chain, probe), stamp)
}

/** Null if the notification has no key for that chain. */
const keyOf = (chain: number, probe: Probe, event: number): number | null => {
  switch (chain) {
    case CHAIN.sending:
      return sendingKey(chain, probe)
    case CHAIN.text:
      return textKey(chain, probe)
    case CHAIN.balance:
      return Number.isNaN(probe.balance) ? null : mixedFloat(movementKey(chain, probe), probe.balance)
    case CHAIN.content:
      return pairKey(chain, probe, probe.content)
    case CHAIN.order:
      return pairKey(chain, probe, probe.order)
    case CHAIN.sourceAmount:
      return mixed(movementKey(chain, probe), probe.source)
    case CHAIN.sourceBalances:
      return Number.isNaN(probe.balance) ? null : mixed(seed(chain), probe.source)
    default:
      return eventKey(event)
  }
}
