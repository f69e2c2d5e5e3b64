/**
 * Takes the machine's own delay out of the measured time of a computation. The machine is shared: a thread that could run may have to wait for
 * a processor, and the kernel counts that. It is not for times that mostly pass in a wait for a timer: a delay within such a wait delays nothing.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds that a thread of this process has waited for a processor. */
const waitedOf = (thread: string): number =>
  Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[1]) / 1e6

/** @returns 0 without Linux */
const waited = (atATime: number): number => {
  try {
    const main = String(process.pid)
    const others = readdirSync('/proc/self/task').filter((thread) => thread !== main)
    return waitedOf(main) + others.reduce((sum, thread) => sum + waitedOf(thread), 0) / atATime
  } catch {
    return 0
  }
}

/**
 * Starts a stopwatch.
 * @param atATime  how many computations run at a time, beside the main thread
 * @returns a function that reads it: milliseconds without those for which the work had no processor
 */
export const stopwatch = (atATime: number): (() => number) => {
  const [began, before] = [performance.now(), waited(atATime)]
  return () => performance.now() - began - (waited(atATime) - before)
}
