// Tests: tests/integration/delivery/delivery.test.ts
/** Entries of the log that wait to be claimed, by user. Users take turns. */
import type { LogEntry } from '../../domain/ports.ts'

/** Entries of one user in a claim, while other users wait. */
const MOST_OF_USER = 64

export class NotedEntries {
  readonly #most: number
  /** The order of the map is the order of the turns. */
  readonly #byUser = new Map<number, LogEntry[]>()
  #size = 0

  /** @param most  entries of all users together */
  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  get users(): number {
    return this.#byUser.size
  }

  /** @returns the entries for which there is no room: the newest of the user with the most */
  add(entries: readonly LogEntry[]): LogEntry[] {
    const left: LogEntry[] = []
    for (const entry of entries) {
      this.#of(entry).push(entry)
      this.#size++
      if (this.#size > this.#most) left.push(...this.#dropHalf())
    }
    return left
  }

  /** Puts an entry back before the user's newer ones. */
  putBack(entry: LogEntry): void {
    this.#of(entry).unshift(entry)
    this.#size++
  }

  /**
   * @param most  entries in the claim
   * @param roomFor  how many entries of a user may be taken
   */
  take(most: number, roomFor: (userId: number) => number): LogEntry[] {
    const taken: LogEntry[] = []
    const share = this.#byUser.size > 1 ? Math.min(MOST_OF_USER, most) : most
    for (const user of [...this.#byUser.keys()]) {
      const count = Math.min(share, most - taken.length, roomFor(user))
      if (count === 0) continue
      const entries = this.#byUser.get(user)!
      taken.push(...entries.splice(0, count))
      this.#byUser.delete(user)
      if (entries.length > 0) this.#byUser.set(user, entries)
    }
    this.#size -= taken.length
    return taken
  }

  drop(chosen: (entry: LogEntry) => boolean): void {
    for (const [user, entries] of this.#byUser) {
      const kept = entries.filter((entry) => !chosen(entry))
      this.#size -= entries.length - kept.length
      if (kept.length > 0) this.#byUser.set(user, kept)
      else this.#byUser.delete(user)
    }
  }

  takeAll(): LogEntry[] {
    const all = [...this.#byUser.values()].flat()
    this.#byUser.clear()
    this.#size = 0
    return all
  }

  /** The last one of the first `count` entries of each user. */
  ahead(count: number): LogEntry[] {
    return [...this.#byUser.values()].map((entries) => entries[Math.min(count, entries.length) - 1]!)
  }

  #of({ user_id }: LogEntry): LogEntry[] {
    let entries = this.#byUser.get(user_id)
    if (!entries) this.#byUser.set(user_id, (entries = []))
    return entries
  }

  #dropHalf(): LogEntry[] {
    const [most] = [...this.#byUser.values()].sort((a, b) => b.length - a.length)
    const left = most!.splice(Math.floor(most!.length / 2))
    this.#size -= left.length
    return left
  }
}
