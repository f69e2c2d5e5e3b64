/** Every reaction there is: a new one is a file in this folder and a line here. */
import type { Clock, EventStore } from '../../domain/ports.ts'
import { eraseDeleted } from './erase-deleted.ts'
import { pauseGoneRule } from './pause-gone-rule.ts'
import type { Reaction } from './reaction.ts'

export const allReactions = (store: EventStore, clock: Clock): readonly Reaction[] => [
  eraseDeleted(store),
  pauseGoneRule(store, clock),
]
