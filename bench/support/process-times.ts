/** The CPU time of processes, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs'

/** The unit of CPU time in `/proc/…/stat` on every Linux. */
const TICKS_PER_SECOND = 100

export interface ProcessTimes {
  parent: number
  /** In seconds: `own` is the process alone, `withEnded` includes its ended children. */
  own: number
  withEnded: number
}

/** @returns null if the process has ended */
export const timesOf = (pid: number | string): ProcessTimes | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const number = (index: number) => Number(fields[index - 3])
    const own = number(14) + number(15)
    const withEnded = own + number(16) + number(17)
    return { parent: number(4), own: own / TICKS_PER_SECOND, withEnded: withEnded / TICKS_PER_SECOND }
  } catch {
    return null
  }
}

/** The times of all processes, by process id. */
export const timesOfAll = (): Map<number, ProcessTimes> =>
  new Map(
    readdirSync('/proc').flatMap((name) => {
      const times = /^\d+$/.test(name) ? timesOf(name) : null
      return times ? [[Number(name), times] as const] : []
    }),
  )
