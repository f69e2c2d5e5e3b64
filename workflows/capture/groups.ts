// Tests: tests/integration/capture/contention.test.ts
/**
 * Gathers notifications into groups. A single notification is processed at once. While more arrive, those of a few milliseconds are stored
 * together, and share all further work up to the calls.
 */
import type { Job } from './job.ts'
import { Waiting } from './waiting.ts'

const GROUPS_IN_FLIGHT = 2
/** From the start of one group to the next while few notifications wait, milliseconds. */
const GATHERED_FOR = 8
/** This many are processed at once, however little time has passed. */
const ENOUGH = 32

export class Groups {
  readonly #run: (jobs: readonly Job[]) => Promise<void>
  readonly #waiting = new Waiting()
  #inFlight = 0
  /** Notifications in the running groups. */
  #running = 0
  #starting = false
  #begunAt = -Infinity

  /** @param run  processes a group; never rejects */
  constructor(run: (jobs: readonly Job[]) => Promise<void>) {
    this.#run = run
  }

  /** Notifications that wait for a group. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Notifications without an answer. */
  get unanswered(): number {
    return this.#waiting.size + this.#running
  }

  add(jobs: readonly Job[]): void {
    this.#waiting.add(jobs)
    this.#startSoon()
  }

  /** Notifications of a running group that must be decided again. They come before later ones. */
  putBack(jobs: readonly Job[]): void {
    this.#waiting.putBack(jobs)
  }

  /** Calls that arrive in the same turn of the event loop share a group. */
  #startSoon(): void {
    if (this.#starting || this.#inFlight >= GROUPS_IN_FLIGHT || this.#waiting.size === 0) return
    const rest = this.#waiting.size < ENOUGH ? this.#begunAt + GATHERED_FOR - performance.now() : 0
    this.#starting = true
    if (rest > 0) setTimeout(() => this.#start(), rest)
    else setImmediate(() => this.#start())
  }

  #start(): void {
    this.#starting = false
    while (this.#inFlight < GROUPS_IN_FLIGHT) {
      const jobs = this.#waiting.nextGroup()
      if (jobs.length === 0) return
      this.#begunAt = performance.now()
      this.#inFlight++
      this.#running += jobs.length
      void this.#run(jobs).finally(() => {
        this.#inFlight--
        this.#running -= jobs.length
        this.#waiting.done(jobs)
        this.#startSoon()
      })
    }
  }
}
