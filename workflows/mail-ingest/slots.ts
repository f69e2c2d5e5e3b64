/**
 * Limits concurrency, in the order of requests. With many mailboxes, none may hold up the others, and together they
 * must not fill the memory. The mailboxes of one owner get only a share, because all their servers may be slow on
 * purpose.
 */
export class Slots {
  #free: number
  readonly #share: number
  /** The number of slots that each owner holds. */
  readonly #held = new Map<number, number>()
  #waiting: { owner: number; start: () => void }[] = []

  /** @param share  most slots that one owner may hold at a time */
  constructor(slots: number, share = slots) {
    this.#free = slots
    this.#share = share
  }

  async use<Result>(owner: number, work: () => Promise<Result>): Promise<Result> {
    if (this.#hasRoom(owner)) this.#take(owner)
    else await new Promise<void>((start) => this.#waiting.push({ owner, start }))
    try {
      return await work()
    } finally {
      this.#giveBack(owner)
    }
  }

  #hasRoom(owner: number): boolean {
    return this.#free > 0 && (this.#held.get(owner) ?? 0) < this.#share
  }

  #take(owner: number): void {
    this.#free--
    this.#held.set(owner, (this.#held.get(owner) ?? 0) + 1)
  }

  #giveBack(owner: number): void {
    this.#free++
    const left = this.#held.get(owner)! - 1
    if (left > 0) this.#held.set(owner, left)
    else this.#held.delete(owner)
    const at = this.#waiting.findIndex((each) => this.#hasRoom(each.owner))
    if (at < 0) return
    const [next] = this.#waiting.splice(at, 1)
    this.#take(next!.owner)
    next!.start()
  }
}
