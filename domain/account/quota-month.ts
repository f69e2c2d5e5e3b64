/** Quotas count by the calendar month of Vietnam (UTC+7, no daylight saving). */
const OFFSET_MS = 7 * 3_600_000

/** When the month of a moment began there. */
export const monthStart = (at: Date): Date => {
  const local = new Date(at.getTime() + OFFSET_MS)
  return new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth()) - OFFSET_MS)
}
