// Tests: tests/integration/reactors/reactors.test.ts
/** Older events cause no message: after the loss of a checkpoint, all events arrive again. */
const OLD_MS = 24 * 3_600_000

/** @param at  when it happened: ISO 8601 */
export const isOld = (at: string, now: Date): boolean => now.getTime() - Date.parse(at) > OLD_MS
