// Tests: tests/unit/domain/dedup/same-event.test.ts
/**
 * Hash chains in typed arrays: for each key, the entries that have it, newest first. The deduplication window of a week of
 * notifications stays in memory, so an entry may cost a few bytes here, but not several objects.
 *
 * Keys are 32-bit hashes, so the code that walks a chain must compare the fields themselves. Entries are only added and removed
 * at the end. To remove one, its successor becomes the head of the chain again.
 */
export const NONE = -1

/** Growth factor of the arrays. It is less than two to save memory. */
const GROWTH = 1.25
const FULLEST = 0.6

export const grown = <Numbers extends Int32Array | Float64Array>(numbers: Numbers, atLeast: number): Numbers => {
  const larger = new (numbers.constructor as new (length: number) => Numbers)(
    Math.max(atLeast, Math.ceil(numbers.length * GROWTH)),
  )
  larger.set(numbers)
  return larger
}

/** Maps a key to the newest entry that has it. Open addressing with one pair `[key, entry + 1]` per slot. 0 marks an empty slot. */
export class ChainHeads {
  #slots: Int32Array
  #taken = 0

  /** @param keys  how many it has room for before it grows */
  constructor(keys = 0) {
    let pairs = 64
    while (keys > pairs * FULLEST) pairs *= 2
    this.#slots = new Int32Array(2 * pairs)
  }

  get bytes(): number {
    return this.#slots.byteLength
  }

  /** The number of slots for keys. */
  get size(): number {
    return this.#slots.length / 2
  }

  /** The number of keys. */
  get keys(): number {
    return this.#taken
  }

  get(key: number): number {
    return this.#slots[2 * this.#slotOf(key) + 1]! - 1
  }

  /** @param entry  NONE keeps the key, with an empty chain */
  set(key: number, entry: number): void {
    const slot = 2 * this.#slotOf(key)
    if (this.#slots[slot] === 0) {
      this.#slots[slot] = key || 1
      this.#taken++
      this.#slots[slot + 1] = entry + 1
      if (this.#taken > (this.#slots.length / 2) * FULLEST) this.#enlarge()
    } else this.#slots[slot + 1] = entry + 1
  }

  /** Where the search for a key begins. */
  homeOf(key: number): number {
    const wanted = key || 1
    return (wanted ^ (wanted >>> 16)) & (this.#slots.length / 2 - 1)
  }

  #slotOf(key: number): number {
    const wanted = key || 1
    const mask = this.#slots.length / 2 - 1
    let slot = this.homeOf(key)
    while (this.#slots[2 * slot] !== 0 && this.#slots[2 * slot] !== wanted) slot = (slot + 1) & mask
    return slot
  }

  #enlarge(): void {
    const before = this.#slots
    this.#slots = new Int32Array(before.length * 2)
    this.#taken = 0
    for (let slot = 0; slot < before.length; slot += 2)
      if (before[slot + 1] !== 0) this.set(before[slot]!, before[slot + 1]! - 1)
  }
}

/** Slots that fit into a processor's cache: 128 KiB. */
const NEARBY_BITS = 14
/** Buckets that are put into the table at once, in about two milliseconds. */
const BUCKETS_AT_ONCE = 8

/**
 * Fills a large table. Its slots are far apart in memory, so setting one key after the other would wait for the memory each time.
 * Here, keys whose slots are near each other are collected first.
 */
export class HeadsToFill {
  readonly heads: ChainHeads
  readonly #buckets: Int32Array[]
  readonly #lengths: Int32Array

  /** @param keys  how many there will be · @param most  how often `set` will be called at most */
  constructor(keys: number, most: number) {
    this.heads = new ChainHeads(keys)
    const count = Math.max(1, this.heads.size >> NEARBY_BITS)
    // Slightly more than the average, so that few of them must grow.
    const room = 2 * Math.ceil((1.1 * most) / count)
    this.#buckets = Array.from({ length: count }, () => new Int32Array(room))
    this.#lengths = new Int32Array(count)
  }

  /** Like `ChainHeads.set`, once the table is filled. */
  set(key: number, entry: number): void {
    const number = this.heads.homeOf(key) >>> NEARBY_BITS
    const length = this.#lengths[number]!
    let bucket = this.#buckets[number]!
    if (bucket.length < length + 2) bucket = this.#buckets[number] = grown(bucket, length + 2)
    bucket[length] = key
    bucket[length + 1] = entry
    this.#lengths[number] = length + 2
  }

  /** Fills the table, a piece at a time. */
  *fill(): Generator<void> {
    for (const [number, bucket] of this.#buckets.entries()) {
      for (let at = 0; at < this.#lengths[number]!; at += 2) this.heads.set(bucket[at]!, bucket[at + 1]!)
      this.#buckets[number] = bucket.subarray(0, 0)
      if (number % BUCKETS_AT_ONCE === BUCKETS_AT_ONCE - 1) yield
    }
  }
}

const float = new Float64Array(1)
const halves = new Int32Array(float.buffer)

/** Adds a number to a 32-bit hash over a sequence of numbers. */
export const mixed = (hash: number, next: number): number => {
  const mix = Math.imul(hash ^ next, 0x85ebca6b)
  return mix ^ (mix >>> 15)
}

/** Like `mixed`, with all 64 bits of a float. */
export const mixedFloat = (hash: number, next: number): number => {
  float[0] = next
  return mixed(mixed(hash, halves[0]!), halves[1]!)
}

/** Two 32-bit hashes of a text. They distinguish texts within one chain, and do not resist deliberate collisions. */
export const hashesOf = (text: string): readonly [number, number] => {
  let one = 0x811c9dc5
  let other = 0x9747b28c
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    one = Math.imul(one ^ code, 0x01000193)
    other = mixed(other, code)
  }
  return [one ^ (one >>> 16), other]
}
