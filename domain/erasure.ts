// Tests: tests/integration/eventstoredb/forgetting.test.ts
/**
 * Permanent erasure. A closing event ends its stream. It stays when all other events of the stream are erased, and it contains
 * no personal data.
 */
import { z } from 'zod'
import { id } from './fields.ts'

export const erasureEvents = {
  /** Closes every stream of a deleted account that has no closing event of its own. */
  StreamErased: z.object({ user_id: id }),
}

const CLOSING: ReadonlySet<string> = new Set(['TransactionDeleted', 'AccountDeleted', 'StreamErased'])

/** Whether an event of this type closes its stream, so that all events before it must be erased. */
export const isClosing = (type: string): boolean => CLOSING.has(type)
