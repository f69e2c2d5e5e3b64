// Tests: tests/integration/reactors/reactors.test.ts
import { DAY_MS } from '../../domain/time.ts'

/**
 * Events older than a day cause no message: after the loss of a checkpoint, all events arrive again.
 * @param at  when it happened: ISO 8601
 */
export const isOld = (at: string, now: Date): boolean => now.getTime() - Date.parse(at) > DAY_MS
