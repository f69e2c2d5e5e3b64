/**
 * What is forgotten for good: an event that closes its stream is the one that stays when the others are erased, and holds no
 * personal data.
 */
import { z } from 'zod'

export const erasureEvents = {
  /** Closes whatever stream of a deleted account has no closing event of its own. */
  StreamErased: z.object({ user_id: z.int().positive() }),
}

const CLOSING: ReadonlySet<string> = new Set(['TransactionDeleted', 'AccountDeleted', 'StreamErased'])

/** Whether an event of this type ends its stream, and all before it is to be forgotten. */
export const isClosing = (type: string): boolean => CLOSING.has(type)
