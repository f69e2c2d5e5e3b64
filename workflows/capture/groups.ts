// Tests: tests/integration/capture/contention.test.ts
/**
 * Gathers notifications into groups. A single notification is processed at once. While more arrive, those of a few milliseconds are stored
 * together, and share all further work up to the calls.
 */
import { Gather } from '../support/gather.ts'
import type { Job } from './job.ts'
import { Waiting } from './waiting.ts'

const GROUPS_IN_FLIGHT = 2
/** From the start of one group to the next while few notifications wait, milliseconds. */
const APART_MS = 4
/** This many are processed at once, however little time has passed. */
const ENOUGH = 32

export class Groups {
  readonly #waiting = new Waiting()
  readonly #gather: Gather<Job[]>
  /** Notifications in the running groups. */
  #running = 0

  /** @param run  processes a group; never rejects */
  constructor(run: (jobs: readonly Job[]) => Promise<void>) {
    this.#gather = new Gather({
      apartMs: APART_MS,
      isEnough: () => this.#waiting.size >= ENOUGH,
      sideBySide: GROUPS_IN_FLIGHT,
      take: () => {
        const jobs = this.#waiting.nextGroup()
        return jobs.length > 0 ? jobs : null
      },
      handle: async (jobs) => {
        this.#running += jobs.length
        await run(jobs)
        this.#running -= jobs.length
        this.#waiting.done(jobs)
      },
    })
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
    this.#gather.added()
  }

  /** Notifications of a running group that must be decided again. They come before later ones. */
  putBack(jobs: readonly Job[]): void {
    this.#waiting.putBack(jobs)
  }
}
