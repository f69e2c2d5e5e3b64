// Tests: tests/unit/domain/dedup/same-event.test.ts
/**
 * The notifications of a deduplication window, field by field in two growing arrays. A week of them stays in memory, so an entry
 * is a few hundred bytes of numbers instead of objects. Texts are stored as hashes. Entries are numbered from 0 in the order of
 * their arrival, and only the last one can be removed.
 */
import { NONE, grown } from './chains.ts'
import { bytesOf, fill } from './columns.ts'
import type { Sighting } from './events.ts'
import { Names, toProbe, type Probe, type ReferenceHash } from './probe.ts'

/** Float fields of an entry. */
const ID = 0, EVENT = 1, STAMP = 2, ARRIVED = 3, PRINTED = 4, AMOUNT = 5, BALANCE = 6, FLOATS = 7 // prettier-ignore
/** Int fields of an entry. After them, one int per chain: the next older entry. */
const FLAGS = 0, MOVEMENT = 1, SOURCE = 2, ACCOUNT = 3, CUT_AT = 4, TEXT = 5, CONTENT = 9, ORDER = 11, REFERENCES = 13, MESSAGE = 14, NEXT = 16 // prettier-ignore
const CHAINS = 8
const INTS = NEXT + CHAINS

/** Int fields of a reference: entry, kind, value (two hashes), the next older reference of its chain. */
const REFERENCE_INTS = 5

const SECOND = 1, MINUTE = 2, PREFIXED = 4, HAS_ORDER = 8, HAS_CONTENT = 16, HAS_MESSAGE = 32, RESEND = 64 // prettier-ignore
const REFERENCE_COUNT_SHIFT = 8

/** Everything about a window's entries except their numbers. */
export interface EntriesState {
  size: number
  references: number
  names: readonly string[]
  /** Of the newest entries. */
  marks: readonly (readonly [entry: number, marks: string])[]
}

/** Marks are compared only within seconds of the text's arrival, so only the newest entries keep theirs. */
const MARKED = 1_000
/** Spare marks beyond that, so that removing entries never exposes an entry without its marks. */
const MARKED_SPARE = 10_000
/** A shop has a few phones, mailboxes and apps. Each of these sources is searched, so an account that keeps adding phones must not have more. */
const MOST_SOURCES = 32
/** The bytes that the marks of one entry take in their map, or one name. */
const BYTES_OF_A_TEXT = 150

export class Entries {
  #floats = new Float64Array(FLOATS * 16)
  #ints = new Int32Array(INTS * 16)
  #references = new Int32Array(REFERENCE_INTS * 16)
  #referenceCount = 0
  #size = 0
  #cuts = 0
  readonly #marks = new Map<number, string>()
  readonly #names = new Names()
  readonly #sources: number[] = []

  /** Number of notifications, not events. */
  get size(): number {
    return this.#size
  }

  /** In memory, approximately. */
  get bytes(): number {
    const texts = this.#marks.size + this.#names.all().length
    return this.#floats.byteLength + this.#ints.byteLength + this.#references.byteLength + texts * BYTES_OF_A_TEXT
  }

  /** Whether any of the notifications is a text that was cut off. */
  get holdsCuts(): boolean {
    return this.#cuts > 0
  }

  probe(sighting: Sighting): Probe {
    return toProbe(sighting, this.#names)
  }

  /**
   * @param id  record of this notification
   * @param event  record of the first notification of its event
   * @param isResend  whether it is another sending of the notification `id`
   * @returns the number of the entry
   */
  protected push(id: number, event: number, probe: Probe, isResend = false): number {
    const entry = this.#size++
    if (this.#floats.length < this.#size * FLOATS) this.#floats = grown(this.#floats, this.#size * FLOATS)
    if (this.#ints.length < this.#size * INTS) this.#ints = grown(this.#ints, this.#size * INTS)
    const { stamp, arrived, printed, amount, balance } = probe
    this.#floats.set([id, event, stamp, arrived, printed, amount, balance], entry * FLOATS)
    const at = entry * INTS
    const ints = this.#ints
    ints[at + FLAGS] =
      (probe.precision === 1_000 ? SECOND : probe.precision ? MINUTE : 0) |
      (probe.prefixed ? PREFIXED : 0) |
      (probe.order ? HAS_ORDER : 0) |
      (probe.content ? HAS_CONTENT : 0) |
      (probe.message ? HAS_MESSAGE : 0) |
      (isResend ? RESEND : 0) |
      (probe.references.length << REFERENCE_COUNT_SHIFT)
    ints[at + MOVEMENT] = probe.movement
    ints[at + SOURCE] = probe.source
    this.#noteSource(probe.source)
    ints[at + ACCOUNT] = probe.account
    ints[at + CUT_AT] = probe.cutAt ?? NONE
    if (probe.cutAt !== null) this.#cuts++
    for (let part = 0; part < 4; part++) ints[at + TEXT + part] = probe.text[part]!
    for (let part = 0; part < 2; part++) {
      ints[at + CONTENT + part] = probe.content?.[part] ?? 0
      ints[at + ORDER + part] = probe.order?.[part] ?? 0
      ints[at + MESSAGE + part] = probe.message?.[part] ?? 0
    }
    ints[at + REFERENCES] = this.#referenceCount
    for (const { kind, value } of probe.references) {
      const node = this.#referenceCount++ * REFERENCE_INTS
      if (this.#references.length < node + REFERENCE_INTS)
        this.#references = grown(this.#references, node + REFERENCE_INTS)
      this.#references.set([entry, kind, value[0], value[1], NONE], node)
    }
    this.#marks.set(entry, probe.marks)
    this.#marks.delete(entry - MARKED - MARKED_SPARE)
    return entry
  }

  /** Removes the last entry. */
  protected pop(): void {
    const entry = --this.#size
    this.#referenceCount = this.#ints[entry * INTS + REFERENCES]!
    if (this.cutOf(entry) !== null) this.#cuts--
    this.#marks.delete(entry)
  }

  /** Removes the entries before `first`, and numbers the others from 0. Passes each of them to `add`, which pushes it. */
  protected restart(first: number, add: (id: number, event: number, probe: Probe, isResend: boolean) => void): void {
    const kept = Array.from({ length: this.#size - first }, (_, n) => {
      const entry = first + n
      const marks = this.#marks.get(entry) ?? ''
      const probe = { ...this.probeOf(entry), marks }
      return { id: this.idOf(entry), event: this.eventOf(entry), probe, isResend: this.isResend(entry) }
    })
    this.#size = this.#referenceCount = this.#cuts = 0
    this.#marks.clear()
    this.#floats = new Float64Array(FLOATS * kept.length)
    this.#ints = new Int32Array(INTS * kept.length)
    this.#references = new Int32Array(REFERENCE_INTS * kept.length)
    for (const { id, event, probe, isResend } of kept) add(id, event, probe, isResend)
  }

  protected state(): EntriesState {
    const marks: [number, string][] = []
    for (let entry = Math.max(0, this.#size - MARKED); entry < this.#size; entry++)
      marks.push([entry, this.#marks.get(entry) ?? ''])
    return { size: this.#size, references: this.#referenceCount, names: [...this.#names.all()], marks }
  }

  /** A copy of the numbers of entries from `first` to before `end`. They never change while the entries are there. */
  protected numbersOf(first: number, end: number): Uint8Array {
    const to = end < this.#size ? this.referencesFrom(end) : this.#referenceCount
    return bytesOf([
      this.#floats.subarray(first * FLOATS, end * FLOATS),
      this.#ints.subarray(first * INTS, end * INTS),
      this.#references.subarray(this.referencesFrom(first) * REFERENCE_INTS, to * REFERENCE_INTS),
    ])
  }

  /** Makes room in an empty window for the entries of a snapshot. */
  protected makeRoom({ size, references, names, marks }: EntriesState): void {
    this.#floats = new Float64Array(FLOATS * size)
    this.#ints = new Int32Array(INTS * size)
    this.#references = new Int32Array(REFERENCE_INTS * references)
    for (const name of names) this.#names.numberOf(name)
    for (const [entry, mark] of marks) this.#marks.set(entry, mark)
  }

  /** Adds the next entries, up to `end`. @param numbers  what `numbersOf` returned for them @throws {RangeError} if it is not */
  protected refill(end: number, numbers: Uint8Array): void {
    const first = this.#size
    if (first === end) throw new RangeError('the snapshot has too many parts')
    const rest = fill(
      [this.#floats.subarray(first * FLOATS, end * FLOATS), this.#ints.subarray(first * INTS, end * INTS)],
      numbers,
    )
    const from = this.#referenceCount
    const to = from + rest.length / (4 * REFERENCE_INTS)
    if (this.referencesFrom(first) !== from || !Number.isInteger(to))
      throw new RangeError('the references in the snapshot are not those of its entries')
    if (fill([this.#references.subarray(from * REFERENCE_INTS, to * REFERENCE_INTS)], rest).length > 0)
      throw new RangeError('the snapshot has too many references')
    for (let entry = first; entry < end; entry++) {
      if (this.cutOf(entry) !== null) this.#cuts++
      this.#noteSource(this.sourceOf(entry))
    }
    this.#size = end
    this.#referenceCount = to
  }

  #noteSource(source: number): void {
    if (this.#sources.at(-1) === source) return
    const at = this.#sources.indexOf(source)
    if (at >= 0) this.#sources.splice(at, 1)
    else if (this.#sources.length === MOST_SOURCES) this.#sources.shift()
    this.#sources.push(source)
  }

  /** The sources of the newest notifications, and perhaps some of notifications that were removed. */
  protected get sources(): readonly number[] {
    return this.#sources
  }

  /** The next older entry of a chain. NONE at its end. */
  protected nextOf(entry: number, chain: number): number {
    return this.#ints[entry * INTS + NEXT + chain]!
  }
  protected setNext(entry: number, chain: number, next: number): void {
    this.#ints[entry * INTS + NEXT + chain] = next
  }

  /** References are numbered from 0 in the order of their entries, so the references of one entry are consecutive. */
  protected referencesFrom(entry: number): number {
    return this.#ints[entry * INTS + REFERENCES]!
  }
  protected referenceAt(node: number): ReferenceHash & { entry: number; next: number } {
    const at = node * REFERENCE_INTS
    const all = this.#references
    return { entry: all[at]!, kind: all[at + 1]!, value: [all[at + 2]!, all[at + 3]!], next: all[at + 4]! }
  }
  protected setNextReference(node: number, next: number): void {
    this.#references[node * REFERENCE_INTS + 4] = next
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
  /** Milliseconds: 1,000 or 60,000. 0 if no time is printed. */
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
  /** The name that a number of a probe stands for. */
  nameOf(number: number): string | null {
    return number === NONE ? null : this.#names.nameOf(number)
  }
  cutOf(entry: number): number | null {
    const cut = this.#ints[entry * INTS + CUT_AT]!
    return cut === NONE ? null : cut
  }
  /** Empty for all except the newest entries. */
  marksOf(entry: number): string {
    return entry >= this.#size - MARKED ? (this.#marks.get(entry) ?? '') : ''
  }
  protected isResend(entry: number): boolean {
    return (this.#ints[entry * INTS + FLAGS]! & RESEND) !== 0
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
  messageOf(entry: number): readonly [number, number] | null {
    return this.#pair(entry, HAS_MESSAGE, MESSAGE)
  }
  referencesOf(entry: number): ReferenceHash[] {
    const first = this.#ints[entry * INTS + REFERENCES]!
    const count = this.#ints[entry * INTS + FLAGS]! >>> REFERENCE_COUNT_SHIFT
    const references: ReferenceHash[] = []
    for (let n = 0; n < count; n++) references.push(this.referenceAt(first + n))
    return references
  }

  #pair(entry: number, flag: number, field: number): readonly [number, number] | null {
    const at = entry * INTS
    return this.#ints[at + FLAGS]! & flag ? [this.#ints[at + field]!, this.#ints[at + field + 1]!] : null
  }

  /** An entry as it was when it was added, except for its marks. */
  protected probeOf(entry: number): Probe {
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
      message: this.messageOf(entry),
      prefixed: this.isPrefixed(entry),
      references: this.referencesOf(entry),
      cutAt: this.cutOf(entry),
      marks: '',
    }
  }
}
