/** Notifications that wait for a group: first come first served within an account, accounts taking turns. */
import type { Job } from './job.ts'

/** Most notifications of a group, and most of one account in it, so that others find room beside a burst. */
const MOST_OF_GROUP = 512
/** Up to here all that waits goes together; of more only half, so that the next is decided while this one is stored. */
const UNDIVIDED = 64
const MOST_OF_ACCOUNT = 256
/** Most characters of bodies in a group: a group of large ones stays what a store takes at once. */
const MOST_CHARACTERS = 4 * 1024 * 1024

export class Waiting {
  /** Accounts in the order of their turn. */
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

  /** In front of what came later, in the order given. */
  putBack(jobs: readonly Job[]): void {
    for (const job of jobs.toReversed()) this.#queueOf(job.userId).unshift(job)
    this.#size += jobs.length
  }

  /** Takes the next group; its accounts are held until `done`. Empty where nothing can go now. */
  nextGroup(): Job[] {
    const group: Job[] = []
    const mostOfGroup = Math.min(MOST_OF_GROUP, Math.max(UNDIVIDED, this.#size / 2))
    let characters = 0
    for (const [userId, queue] of this.#queues) {
      if (group.length >= mostOfGroup || characters >= MOST_CHARACTERS) break
      if (this.#inFlight.has(userId)) continue
      const most = Math.min(MOST_OF_ACCOUNT, MOST_OF_GROUP - group.length)
      let count = 0
      while (count < queue.length && count < most && (characters < MOST_CHARACTERS || count === 0))
        characters += queue[count++]!.arrival.raw.length
      group.push(...queue.splice(0, count))
      this.#inFlight.add(userId)
      // To the end of the line, if anything is left.
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
