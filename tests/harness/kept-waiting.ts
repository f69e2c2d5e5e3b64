/**
 * Takes the machine's own delay out of a measured time, for tests of times that Baoco promises. The machine is shared: a process that could
 * run may have to wait for a processor. The kernel counts that for each thread.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** @returns milliseconds that the threads of this process have waited for a processor. 0 without Linux, or if it has ended */
const waitedOf = (pid: number): number => {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const waited = (thread: string) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[1])
    return threads.reduce((sum, thread) => sum + waited(thread), 0) / 1e6
  } catch {
    return 0
  }
}

const waitedOfAll = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + waitedOf(pid), 0)

/**
 * Starts a stopwatch.
 * @param others  ids of the processes that the measured work needs besides this one
 * @returns a function that reads it: milliseconds without those for which the processes had no processor
 */
export const stopwatch = (...others: number[]): (() => number) => {
  const pids = [process.pid, ...others]
  const [began, before] = [performance.now(), waitedOfAll(pids)]
  return () => performance.now() - began - Math.max(0, waitedOfAll(pids) - before)
}
