/**
 * The one loop around an optimistic append: read, decide, append, and again if another process was faster. The first repetition follows at
 * once, later ones after a pause that grows, so that competing processes fall out of step.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Refused } from '../../domain/errors.ts'
import { pauseAfter } from './retry.ts'

/** The result of an attempt whose append met a newer revision than it expected. */
export const CONFLICT = Symbol('conflict')

const MOST_ATTEMPTS = 20
const BACK_OFF = { firstMs: 2, mostMs: 100 }

export interface ConflictRule {
  mostAttempts?: number
  /** The error after the last attempt. Default: the caller gets 409 and may send the request again. */
  onExhausted?: () => Error
}

const contended = (): Refused =>
  new Refused('CONFLICT', 'Other requests changed the same thing at the same time. Send this request again.')

/**
 * @param attempt  reads, decides and appends
 * @returns what the first attempt without a conflict returned
 * @throws what `attempt` throws, or the error of `onExhausted`
 */
export const untilNoConflict = async <Result>(
  attempt: () => Promise<Result | typeof CONFLICT>,
  { mostAttempts = MOST_ATTEMPTS, onExhausted = contended }: ConflictRule = {},
): Promise<Result> => {
  for (let conflicts = 0; conflicts < mostAttempts; conflicts++) {
    if (conflicts > 1) await pause(pauseAfter(conflicts, BACK_OFF))
    const result = await attempt()
    if (result !== CONFLICT) return result
  }
  throw onExhausted()
}
