// Tests: tests/unit/web/app/format.test.ts
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** The same moment as a date whose UTC fields show the time in Vietnam: UTC+7 all year. */
export const inVietnam = (at: Date): Date => new Date(at.getTime() + 7 * HOUR_MS)
