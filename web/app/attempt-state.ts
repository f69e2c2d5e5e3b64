/** How an attempt is shown. One that failed is repeated until the next one; after that it has only failed. */
import type { Attempt } from '../api/types.ts'

export type AttemptState = 'success' | 'retrying' | 'failed'

/** @param newest  of the same transaction and webhook. Undefined if nothing is repeated */
export const attemptState = (of: Attempt, newest: Attempt | undefined): AttemptState =>
  of.outcome === 'delivered' ? 'success' : of.outcome === 'retrying' && of === newest ? 'retrying' : 'failed'
