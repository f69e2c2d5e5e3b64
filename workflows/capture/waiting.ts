/** Notifications that wait for a group: first come, first served within an account, and accounts take turns. */
import type { Job } from './job.ts'

/**
 * Most notifications in a group, so that a burst of one account leaves room for others. `MOST_OF_ACCOUNT` limits one
 * account.
 */
const MOST_OF_GROUP = 512
/**
 * Up to this many waiting notifications go together. Of more, only half go, so that the next group is decided while
 * this one is stored.
 */
const UNDIVIDED = 64
const MOST_OF_ACCOUNT = 256
/** Most characters of bodies in a group, so that a group of large bodies stays within what a store accepts at once. */
const MOST_CHARACTERS = 4 * 1024 * 1024

export class Waiting {
  /** Accounts in the order of their turns. */
  readonly #queues = new Map<number, Job[]>()
  readonly #inFlight = new Set<number>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(jobs: readonly Job[]): void {
    for (const job of jobs) this.#queueOf(job.userId).push(job)
    this.#size += jobs.length
  }

  /** Puts jobs back before newer ones, in the given order. */
  putBack(jobs: readonly Job[]): void {
    for (const job of jobs.toReversed()) this.#queueOf(job.userId).unshift(job)
    this.#size += jobs.length
  }

  /** Takes the next group. Its accounts are held until `done`. Empty if nothing can start now. */
  nextGroup(): Job[] {
    const group: Job[] = []
    const mostOfGroup = Math.min(MOST_OF_GROUP, Math.max(UNDIVIDED, this.#size / 2))
    let characters = 0
    for (const [userId, queue] of this.#queues) {
      if (group.length >= mostOfGroup || characters >= MOST_CHARACTERS) break
      if (this.#inFlight.has(userId)) continue
      const most = Math.min(MOST_OF_ACCOUNT, MOST_OF_GROUP - group.length)
      let count = 0
      while (count < queue.length && count < most && characters < MOST_CHARACTERS)
        characters += queue[count++]!.arrival.raw.length
      group.push(...queue.splice(0, count))
      this.#inFlight.add(userId)
      // Moves the account to the end, if it has more jobs.
      this.#queues.delete(userId)
      if (queue.length > 0) this.#queues.set(userId, queue)
    }
    this.#size -= group.length
    return group
  }

  done(group: readonly Job[]): void {
    for (const { userId } of group) this.#inFlight.delete(userId)
  }

  #queueOf(userId: number): Job[] {
    const queue = this.#queues.get(userId) ?? []
    if (queue.length === 0) this.#queues.set(userId, queue)
    return queue
  }
}
