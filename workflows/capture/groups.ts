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

/** @param run  processes a group; never rejects */
export const openGroups = (run: (jobs: readonly Job[]) => Promise<void>) => {
  const waiting = new Waiting()
  /** Notifications in the running groups. */
  let running = 0
  const gather: Gather<Job[]> = new Gather({
    apartMs: APART_MS,
    isEnough: () => waiting.size >= ENOUGH,
    sideBySide: GROUPS_IN_FLIGHT,
    take: () => {
      const jobs = waiting.nextGroup()
      return jobs.length > 0 ? jobs : null
    },
    handle: async (jobs) => {
      running += jobs.length
      await run(jobs)
      running -= jobs.length
      waiting.done(jobs)
    },
  })

  const add = (jobs: readonly Job[]): void => {
    waiting.add(jobs)
    gather.added()
  }

  return {
    /** Notifications that wait for a group. */
    waiting: () => waiting.size,
    /** Notifications without an answer. */
    unanswered: () => waiting.size + running,
    add,
    /** Notifications of a running group that must be decided again. They come before later ones. */
    putBack: (jobs: readonly Job[]) => waiting.putBack(jobs),
  }
}
