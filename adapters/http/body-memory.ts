/**
 * The memory for bodies of requests that are not answered yet, of the whole process (decisions, "Sizes"): 64 MB in all, of which callers without
 * a proved credential share 16 MB. A caller that would exceed it gets 503 and tries again; nothing that was accepted is affected.
 */

const MEGABYTE = 1024 * 1024
const MOST = 64 * MEGABYTE
const MOST_OF_STRANGERS = 16 * MEGABYTE

let used = 0
let usedByStrangers = 0

/** The part of one request. */
export class BodyMemory {
  readonly #isStranger: boolean
  #held = 0

  constructor(isStranger: boolean) {
    this.#isStranger = isStranger
  }

  /** @returns false where there is no room: nothing more is held then */
  hold(bytes: number): boolean {
    if (used + bytes > MOST || (this.#isStranger && usedByStrangers + bytes > MOST_OF_STRANGERS)) return false
    this.#add(bytes)
    return true
  }

  /** May be called more than once. */
  release(): void {
    this.#add(-this.#held)
  }

  #add(bytes: number): void {
    this.#held += bytes
    used += bytes
    if (this.#isStranger) usedByStrangers += bytes
  }
}

/** Bytes held now, for tests and metrics. */
export const bodyBytesInFlight = (): number => used
