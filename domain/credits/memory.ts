// Tests: tests/unit/domain/credits/credits.test.ts
/**
 * The remembered credits of one account, folded from its segments. It maps a mark to the first transaction that had it. Each
 * segment is a hash table in two typed arrays, about 30 bytes per credit in memory. A lookup queries at most 16 tables and scans
 * none.
 */
import { SEGMENTS, type CreditsRemembered } from './events.ts'
import { unpack } from './mark.ts'

const FULLEST = 0.6

/** Open addressing. An id of 0 marks an empty slot. */
class Table {
  #marks = new Float64Array(16)
  #ids = new Float64Array(16)
  size = 0

  get(mark: number): number | null {
    return this.#ids[this.#slotOf(mark)]! || null
  }

  /** The first transaction with a mark stays. */
  add(mark: number, id: number): void {
    const slot = this.#slotOf(mark)
    if (this.#ids[slot] !== 0) return
    this.#marks[slot] = mark
    this.#ids[slot] = id
    if (++this.size > this.#ids.length * FULLEST) this.#enlarge()
  }

  /** The mark is already a hash, so its lowest bits select the slot. */
  #slotOf(mark: number): number {
    const mask = this.#ids.length - 1
    let slot = mark % this.#ids.length
    while (this.#ids[slot] !== 0 && this.#marks[slot] !== mark) slot = (slot + 1) & mask
    return slot
  }

  #enlarge(): void {
    const [marks, ids] = [this.#marks, this.#ids]
    this.#marks = new Float64Array(marks.length * 2)
    this.#ids = new Float64Array(ids.length * 2)
    this.size = 0
    ids.forEach((id, slot) => {
      if (id !== 0) this.add(marks[slot]!, id)
    })
  }
}

export class CreditMemory {
  /** The oldest first. */
  readonly #segments = new Map<number, Table>()
  /** Number of the newest segment; 0 in an empty memory. */
  newest = 0

  get size(): number {
    let size = 0
    for (const table of this.#segments.values()) size += table.size
    return size
  }

  /** Adds one more event of a segment. Segments arrive in order. The oldest ones above the limit are dropped. */
  see({ segment, credits }: Pick<CreditsRemembered, 'segment' | 'credits'>): void {
    this.begin(segment)
    const table = this.#segments.get(segment)
    if (table) unpack(credits, (mark, id) => table.add(mark, id))
  }

  begin(segment: number): void {
    this.newest = Math.max(this.newest, segment)
    if (!this.#segments.has(segment)) this.#segments.set(segment, new Table())
    for (const each of this.#segments.keys()) if (each <= this.newest - SEGMENTS) this.#segments.delete(each)
  }

  /** The first transaction that had the mark. Null if none is remembered. */
  firstOf(mark: number): number | null {
    for (const table of this.#segments.values()) {
      const id = table.get(mark)
      if (id !== null) return id
    }
    return null
  }
}
