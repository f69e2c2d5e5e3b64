/** The columns of a webhook's last hours: how high each is, and what they show in figures. */
import type { HourStats } from '../api/types.ts'

/** In units of the drawing. The least height keeps one failure among thousands visible. */
export const HEIGHT = 24
const LEAST = 2

export interface HourColumn {
  from: string
  /** Heights, 0 without such calls. */
  delivered: number
  failed: number
  isCounted: boolean
}

/** The hour with the most calls is about as high as the drawing. */
export const columnsOf = (hours: readonly HourStats[]): HourColumn[] => {
  const most = Math.max(1, ...hours.map(({ delivered, failed }) => (delivered ?? 0) + (failed ?? 0)))
  const high = (calls: number | null): number => (calls ? Math.max(LEAST, (calls / most) * (HEIGHT - LEAST)) : 0)
  return hours.map(({ from, delivered, failed }) => ({
    from,
    delivered: high(delivered),
    failed: high(failed),
    isCounted: delivered !== null,
  }))
}

export interface HourFigures {
  /** The numbers of hours with calls, with failures, and without known calls. */
  called: number
  failed: number
  uncounted: number
  /** The start of the last hour with a failure. */
  lastFailed: string | null
}

export const figuresOf = (hours: readonly HourStats[]): HourFigures => {
  const withFailures = hours.filter(({ failed }) => (failed ?? 0) > 0)
  return {
    called: hours.filter(({ delivered, failed }) => (delivered ?? 0) + (failed ?? 0) > 0).length,
    failed: withFailures.length,
    uncounted: hours.filter(({ delivered }) => delivered === null).length,
    lastFailed: withFailures.at(-1)?.from ?? null,
  }
}
