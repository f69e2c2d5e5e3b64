/**
 * A book: what one user's bank has told in the last seven days, folded from `book-<user>-<bank>`. Every row of "The same
 * event" asks by a key that it has here as a chain; nothing is ever searched through.
 *
 * Unlike the other folds it changes in place, as it may hold a week of notifications; what a decision adds before it is
 * stored is taken back by `backTo`. An entry costs about 200 bytes: numbers in two arrays, texts as hashes.
 */
import { ChainHeads, NONE, grown, hashesOf, mixed, mixedFloat } from './chains.ts'
import { BOOK_RETENTION_S, type NotificationSeen, type Sighting } from './events.ts'

/** Floats of an entry. */
const ID = 0, EVENT = 1, STAMP = 2, ARRIVED = 3, PRINTED = 4, AMOUNT = 5, BALANCE = 6, FLOATS = 7 // prettier-ignore
/** Ints of an entry; behind them one per chain: the next older entry. */
const FLAGS = 0, MOVEMENT = 1, SOURCE = 2, ACCOUNT = 3, CUT_AT = 4, TEXT = 5, CONTENT = 9, ORDER = 11, REFERENCES = 13, NEXT = 14 // prettier-ignore

/** By what an entry is found. */
export const CHAIN = {
  sending: 0, text: 1, balance: 2, content: 3, order: 4, sourceAmount: 5, sourceBalances: 6, event: 7,
} as const // prettier-ignore
export type Chain = keyof typeof CHAIN
const INTS = NEXT + 8

/** A reference of an entry: entry, kind, value (two hashes), the next older one. */
const REFERENCE_INTS = 5

const SECOND = 1, MINUTE = 2, PREFIXED = 4, HAS_ORDER = 8, HAS_CONTENT = 16 // prettier-ignore
const REFERENCE_COUNT_SHIFT = 8

/** Marks are looked at only within seconds of the text, so only the newest entries keep theirs. */
const MARKED = 1_000
/** Kept beyond that, so that taking entries back never uncovers one without its marks. */
const MARKED_SPARE = 10_000

/** The longest way along one chain: who sends thousands of equal notifications pays with a late copy unrecognised. */
export const MOST_WALKED = 128

const RETENTION_MS = BOOK_RETENTION_S * 1_000
/** Expired entries are dropped together, when they are half of all and at least so many. */
const WORTH_DROPPING = 1_024

export interface ReferenceHash {
  kind: number
  value: readonly [number, number]
}

/** A sighting, ready to be looked up and to be added: parsed and hashed once. Times in Unix milliseconds, NaN for none. */
export interface Probe {
  stamp: number
  arrived: number
  printed: number
  /** Of the printed time, milliseconds: 1,000 or 60,000; 0 without one. */
  precision: number
  amount: number
  balance: number
  movement: number
  source: number
  account: number
  text: readonly [number, number, number, number]
  content: readonly [number, number] | null
  order: readonly [number, number] | null
  prefixed: boolean
  references: readonly ReferenceHash[]
  cutAt: number | null
  marks: string
}

/** Numbers small texts: accounts, sources, currencies. */
class Names {
  readonly #numbers = new Map<string, number>()
  readonly #names: string[] = []

  numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }

  nameOf(number: number): string {
    return this.#names[number]!
  }
}

const milliseconds = (moment: string | null | undefined): number => (moment ? Date.parse(moment) : NaN)

/** A 16-byte fingerprint as four ints. */
const fourInts = (fingerprint: string): readonly [number, number, number, number] => {
  const bytes = Buffer.from(fingerprint, 'base64url')
  return [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8), bytes.readInt32LE(12)]
}

export class Book {
  #floats = new Float64Array(FLOATS * 16)
  #ints = new Int32Array(INTS * 16)
  #references = new Int32Array(REFERENCE_INTS * 16)
  #referenceCount = 0
  #size = 0
  #heads = new ChainHeads()
  readonly #marks = new Map<number, string>()
  #names = new Names()

  /** Number of entries: notifications, not events. */
  get size(): number {
    return this.#size
  }

  probe(sighting: Sighting): Probe {
    const { printed_time: time, content_hash: content, account_number: account } = sighting
    const [contentA, contentB] = content ? fourInts(content) : []
    return {
      stamp: milliseconds(sighting.stamp),
      arrived: milliseconds(sighting.arrived_at),
      printed: milliseconds(time?.at),
      precision: time ? (time.precision === 'second' ? 1_000 : 60_000) : 0,
      // Exact up to 2^53 hundredths: ninety trillion.
      amount: Math.round(Number(sighting.amount) * 100),
      balance: sighting.balance === null ? NaN : Math.round(Number(sighting.balance) * 100),
      movement: this.#names.numberOf(`${sighting.direction} ${sighting.currency}`),
      source: this.#names.numberOf(sighting.source),
      account: account === null ? NONE : this.#names.numberOf(account),
      text: fourInts(sighting.fingerprint),
      content: content ? [contentA!, contentB!] : null,
      order: sighting.order_id === null ? null : hashesOf(sighting.order_id),
      prefixed: sighting.prefix !== null,
      references: sighting.references.map(({ kind, value }) => ({ kind: hashesOf(kind)[0], value: hashesOf(value) })),
      cutAt: sighting.cut_at,
      marks: sighting.marks,
    }
  }

  /** One more event of the stream, folded in. */
  see(seen: NotificationSeen): void {
    this.add(seen.transaction_id, seen.copy_of ?? seen.transaction_id, this.probe(seen))
  }

  /**
   * @param id  record of this notification
   * @param event  record of the first notification of its event
   */
  add(id: number, event: number, probe: Probe): void {
    const entry = this.#size++
    if (this.#floats.length < this.#size * FLOATS) this.#floats = grown(this.#floats, this.#size * FLOATS)
    if (this.#ints.length < this.#size * INTS) this.#ints = grown(this.#ints, this.#size * INTS)
    this.#floats.set(
      [id, event, probe.stamp, probe.arrived, probe.printed, probe.amount, probe.balance],
      entry * FLOATS,
    )
    const at = entry * INTS
    const ints = this.#ints
    ints[at + FLAGS] =
      (probe.precision === 1_000 ? SECOND : probe.precision ? MINUTE : 0) |
      (probe.prefixed ? PREFIXED : 0) |
      (probe.order ? HAS_ORDER : 0) |
      (probe.content ? HAS_CONTENT : 0) |
      (probe.references.length << REFERENCE_COUNT_SHIFT)
    ints[at + MOVEMENT] = probe.movement
    ints[at + SOURCE] = probe.source
    ints[at + ACCOUNT] = probe.account
    ints[at + CUT_AT] = probe.cutAt ?? NONE
    for (let part = 0; part < 4; part++) ints[at + TEXT + part] = probe.text[part]!
    for (let part = 0; part < 2; part++) {
      ints[at + CONTENT + part] = probe.content?.[part] ?? 0
      ints[at + ORDER + part] = probe.order?.[part] ?? 0
    }
    ints[at + REFERENCES] = this.#referenceCount
    this.#marks.set(entry, probe.marks)
    this.#marks.delete(entry - MARKED - MARKED_SPARE)
    for (const chain of Object.values(CHAIN)) {
      const key = keyOf(chain, probe, event)
      if (key === null) continue
      ints[at + NEXT + chain] = this.#heads.get(key)
      this.#heads.set(key, entry)
    }
    for (const reference of probe.references) this.#addReference(entry, probe, reference)
  }

  /** Takes back what was added since the book had this size. */
  backTo(size: number): void {
    while (this.#size > size) {
      const entry = this.#size - 1
      const probe = this.#probeOf(entry)
      const count = this.#ints[entry * INTS + FLAGS]! >>> REFERENCE_COUNT_SHIFT
      for (let n = 0; n < count; n++) {
        const at = --this.#referenceCount * REFERENCE_INTS
        const key = referenceKey(probe, this.#references[at + 1]!, this.#references[at + 2]!, this.#references[at + 3]!)
        this.#heads.set(key, this.#references[at + 4]!)
      }
      for (const chain of Object.values(CHAIN)) {
        const key = keyOf(chain, probe, this.eventOf(entry))
        if (key !== null) this.#heads.set(key, this.#ints[entry * INTS + NEXT + chain]!)
      }
      this.#marks.delete(entry)
      this.#size--
    }
  }

  /** Makes room of entries that no notification is compared with any more; only while nothing may be taken back. */
  dropExpired(now: number): void {
    const half = Math.floor(this.#size / 2)
    if (half < WORTH_DROPPING || now - this.#floats[half * FLOATS + ARRIVED]! <= RETENTION_MS) return
    const kept = Array.from({ length: this.#size - half }, (_, n) => {
      const probe = this.#probeOf(half + n)
      return { id: this.idOf(half + n), event: this.eventOf(half + n), probe, marks: this.#marks.get(half + n) ?? '' }
    })
    this.#size = this.#referenceCount = 0
    this.#heads = new ChainHeads()
    this.#marks.clear()
    this.#floats = new Float64Array(FLOATS * kept.length)
    this.#ints = new Int32Array(INTS * kept.length)
    this.#references = new Int32Array(REFERENCE_INTS * kept.length)
    for (const { id, event, probe, marks } of kept) this.add(id, event, { ...probe, marks })
  }

  /**
   * Entries under the key that this notification has in that chain, newest first, of the last seven days.
   * @param visit  answers true to end the walk
   */
  walk(chain: Chain, probe: Probe, visit: (entry: number) => boolean | void): void {
    const key = keyOf(CHAIN[chain], probe, NONE)
    if (key === null) return
    let entry = this.#heads.get(key)
    for (let steps = 0; entry !== NONE && steps < MOST_WALKED; steps++) {
      if (this.#isRemembered(entry, probe) && visit(entry) === true) return
      entry = this.#ints[entry * INTS + NEXT + CHAIN[chain]]!
    }
  }

  /** Entries that print a reference which this notification prints too, for an equal amount. */
  walkReferences(probe: Probe, visit: (entry: number) => void): void {
    for (const { kind, value } of probe.references) {
      let node = this.#heads.get(referenceKey(probe, kind, value[0], value[1]))
      for (let steps = 0; node !== NONE && steps < MOST_WALKED; steps++) {
        const at = node * REFERENCE_INTS
        const equal = this.#references[at + 1] === kind && this.#references[at + 2] === value[0] && this.#references[at + 3] === value[1] // prettier-ignore
        const entry = this.#references[at]!
        if (equal && this.#isRemembered(entry, probe)) visit(entry)
        node = this.#references[at + 4]!
      }
    }
  }

  /** All notifications of one event, the newest first. */
  entriesOf(event: number, probe: Probe): number[] {
    const entries: number[] = []
    let entry = this.#heads.get(eventKey(event))
    while (entry !== NONE && entries.length < MOST_WALKED) {
      if (this.eventOf(entry) === event && this.#isRemembered(entry, probe)) entries.push(entry)
      entry = this.#ints[entry * INTS + NEXT + CHAIN.event]!
    }
    return entries
  }

  idOf(entry: number): number {
    return this.#floats[entry * FLOATS + ID]!
  }
  eventOf(entry: number): number {
    return this.#floats[entry * FLOATS + EVENT]!
  }
  stampOf(entry: number): number {
    return this.#floats[entry * FLOATS + STAMP]!
  }
  arrivedOf(entry: number): number {
    return this.#floats[entry * FLOATS + ARRIVED]!
  }
  printedOf(entry: number): number {
    return this.#floats[entry * FLOATS + PRINTED]!
  }
  /** Milliseconds: 1,000 or 60,000; 0 where no time is printed. */
  precisionOf(entry: number): number {
    const flags = this.#ints[entry * INTS + FLAGS]!
    return flags & SECOND ? 1_000 : flags & MINUTE ? 60_000 : 0
  }
  amountOf(entry: number): number {
    return this.#floats[entry * FLOATS + AMOUNT]!
  }
  balanceOf(entry: number): number {
    return this.#floats[entry * FLOATS + BALANCE]!
  }
  movementOf(entry: number): number {
    return this.#ints[entry * INTS + MOVEMENT]!
  }
  sourceOf(entry: number): number {
    return this.#ints[entry * INTS + SOURCE]!
  }
  accountOf(entry: number): string | null {
    const account = this.#ints[entry * INTS + ACCOUNT]!
    return account === NONE ? null : this.#names.nameOf(account)
  }
  /** The name behind a number of a probe. */
  nameOf(number: number): string | null {
    return number === NONE ? null : this.#names.nameOf(number)
  }
  cutOf(entry: number): number | null {
    const cut = this.#ints[entry * INTS + CUT_AT]!
    return cut === NONE ? null : cut
  }
  /** Empty for all but the newest entries. */
  marksOf(entry: number): string {
    return entry >= this.#size - MARKED ? (this.#marks.get(entry) ?? '') : ''
  }
  isPrefixed(entry: number): boolean {
    return (this.#ints[entry * INTS + FLAGS]! & PREFIXED) !== 0
  }
  hasText(entry: number, [a, b, c, d]: Probe['text']): boolean {
    const at = entry * INTS + TEXT
    const ints = this.#ints
    return ints[at] === a && ints[at + 1] === b && ints[at + 2] === c && ints[at + 3] === d
  }
  contentOf(entry: number): readonly [number, number] | null {
    return this.#pair(entry, HAS_CONTENT, CONTENT)
  }
  orderOf(entry: number): readonly [number, number] | null {
    return this.#pair(entry, HAS_ORDER, ORDER)
  }
  referencesOf(entry: number): ReferenceHash[] {
    const first = this.#ints[entry * INTS + REFERENCES]!
    const count = this.#ints[entry * INTS + FLAGS]! >>> REFERENCE_COUNT_SHIFT
    return Array.from({ length: count }, (_, n) => {
      const at = (first + n) * REFERENCE_INTS
      return { kind: this.#references[at + 1]!, value: [this.#references[at + 2]!, this.#references[at + 3]!] }
    })
  }

  #pair(entry: number, flag: number, field: number): readonly [number, number] | null {
    const at = entry * INTS
    return this.#ints[at + FLAGS]! & flag ? [this.#ints[at + field]!, this.#ints[at + field + 1]!] : null
  }

  #addReference(entry: number, probe: Probe, { kind, value }: ReferenceHash): void {
    const node = this.#referenceCount++
    const at = node * REFERENCE_INTS
    if (this.#references.length < at + REFERENCE_INTS) this.#references = grown(this.#references, at + REFERENCE_INTS)
    const key = referenceKey(probe, kind, value[0], value[1])
    this.#references.set([entry, kind, value[0], value[1], this.#heads.get(key)], at)
    this.#heads.set(key, node)
  }

  #isRemembered(entry: number, probe: Probe): boolean {
    return probe.arrived - this.arrivedOf(entry) <= RETENTION_MS
  }

  /** An entry as it was when it was added, but for its marks. */
  #probeOf(entry: number): Probe {
    const at = entry * INTS
    const ints = this.#ints
    return {
      stamp: this.stampOf(entry),
      arrived: this.arrivedOf(entry),
      printed: this.printedOf(entry),
      precision: this.precisionOf(entry),
      amount: this.amountOf(entry),
      balance: this.balanceOf(entry),
      movement: this.movementOf(entry),
      source: this.sourceOf(entry),
      account: ints[at + ACCOUNT]!,
      text: [ints[at + TEXT]!, ints[at + TEXT + 1]!, ints[at + TEXT + 2]!, ints[at + TEXT + 3]!],
      content: this.contentOf(entry),
      order: this.orderOf(entry),
      prefixed: this.isPrefixed(entry),
      references: this.referencesOf(entry),
      cutAt: this.cutOf(entry),
      marks: '',
    }
  }
}

// --- keys ----------------------------------------------------------------------------------------------------------

/** One number per chain, so that all chains share one table. */
const seed = (chain: number): number => mixed(0x2545f491, chain + 1)

const eventKey = (event: number): number => mixedFloat(seed(CHAIN.event), event)

const movementKey = (chain: number, { movement, amount }: Probe): number =>
  mixedFloat(mixed(seed(chain), movement), amount)

const referenceKey = (probe: Probe, kind: number, one: number, other: number): number =>
  mixed(mixed(mixed(movementKey(64, probe), kind), one), other)

const pairKey = (chain: number, probe: Probe, pair: readonly [number, number] | null): number | null =>
  pair && mixed(mixed(movementKey(chain, probe), pair[0]), pair[1])

const textKey = (chain: number, { source, text }: Probe): number =>
  mixed(mixed(mixed(seed(chain), source), text[0]), text[1])

/** Null where the notification has nothing to be found by there. */
const keyOf = (chain: number, probe: Probe, event: number): number | null => {
  switch (chain) {
    case CHAIN.sending:
      return Number.isNaN(probe.stamp) ? null : mixedFloat(textKey(chain, probe), probe.stamp)
    case CHAIN.text:
      return textKey(chain, probe)
    case CHAIN.balance:
      return Number.isNaN(probe.balance) ? null : mixedFloat(movementKey(chain, probe), probe.balance)
    case CHAIN.content:
      return probe.precision ? pairKey(chain, probe, probe.content) : null
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
