/** What happened longer ago is news no more: events are met again when a checkpoint is lost. */
const OLD_MS = 24 * 3_600_000

/** @param at  when it happened: ISO 8601 */
export const isOld = (at: string, now: Date): boolean => now.getTime() - Date.parse(at) > OLD_MS
