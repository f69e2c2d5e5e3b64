/** Every reaction there is: a new one is a file in this folder and a line here. */
import type { Clock, EventStore, Ids } from '../../domain/ports.ts'
import { eraseDeleted } from './erase-deleted.ts'
import { pauseGoneRule } from './pause-gone-rule.ts'
import type { Reaction } from './reaction.ts'
import { seeBankAccounts } from './see-bank-account.ts'

export interface ReactionParts {
  store: EventStore
  clock: Clock
  ids: Ids
}

export const allReactions = ({ store, clock, ids }: ReactionParts): readonly Reaction[] => [
  eraseDeleted(store),
  pauseGoneRule(store, clock),
  seeBankAccounts(store, clock, ids),
]
