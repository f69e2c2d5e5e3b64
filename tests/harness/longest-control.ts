/** Measures how long the machine, which the servers and the test share, delays anything at all. */
import { setTimeout as pause } from 'node:timers/promises'
import { timeOf } from './best-time.ts'

/** Milliseconds between two controls. */
const PAUSE_MS = 50

/**
 * @param control  something that takes little time on a quiet machine. It is done again and again while the work is under way
 * @returns the longest time that it took: milliseconds. A machine that stands still between two controls counts too
 */
export const longestControl = async (work: Promise<unknown>, control: () => Promise<unknown>): Promise<number> => {
  let [longest, isOver] = [0, false]
  void work.finally(() => (isOver = true)).catch(() => {})
  while (!isOver) {
    const took = await timeOf(async () => {
      await control()
      await pause(PAUSE_MS)
    })
    longest = Math.max(longest, took - PAUSE_MS)
  }
  return longest
}
