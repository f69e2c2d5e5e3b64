/** CPU time and memory of another process, as Linux counts them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** The CPU time in milliseconds that all its threads have used since their start. */
export const cpuMsOf = (pid: number): number => {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`))
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // The thread has ended meanwhile.
    }
  return nanoseconds / 1e6
}

/** The CPU time in milliseconds of its first thread. In a Node process this is the event loop, for which everything waits. */
export const loopMsOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

const statusOf = (pid: number, field: 'VmRSS' | 'VmHWM'): number => {
  const [, kib] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kib) / 1024
}

/** The current memory in MB. */
const residentMb = (pid: number): number => statusOf(pid, 'VmRSS')

/** Restarts the measurement of the peak memory. @returns the current memory in MB */
export const watchPeak = (pid: number): number => {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return residentMb(pid)
}

/** The peak memory in MB since `watchPeak`. */
export const peakMb = (pid: number): number => statusOf(pid, 'VmHWM')
