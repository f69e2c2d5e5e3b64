/** Mails and calls about what happened long ago, as after a restore, would only confuse. */
const OLD_MS = 24 * 3_600_000

/** @param at  when it happened: ISO 8601 */
export const isOld = (at: string, now: Date): boolean => now.getTime() - Date.parse(at) > OLD_MS
