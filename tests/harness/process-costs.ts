/** CPU time and memory of another process, as Linux counts them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Milliseconds of CPU that all of its threads have used since they began. */
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

/** Milliseconds of CPU that its first thread has used: of a Node process the event loop, on which everybody waits. */
export const loopMsOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

const statusOf = (pid: number, field: 'VmRSS' | 'VmHWM'): number => {
  const [, kib] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kib) / 1024
}

/** MB in memory now. */
export const residentMb = (pid: number): number => statusOf(pid, 'VmRSS')

/** From now on the most that was in memory counts anew. @returns MB in memory now */
export const watchPeak = (pid: number): number => {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  return residentMb(pid)
}

/** MB: the most that was in memory since it was watched. */
export const peakMb = (pid: number): number => statusOf(pid, 'VmHWM')
