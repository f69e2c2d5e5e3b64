/** A reactor: an event causes further work, on its own stream or on another one. */
import type { AccountEventData } from '../../domain/account/events.ts'
import type { AlertEventData } from '../../domain/alert/events.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { NotificationEventData } from '../../domain/arrival/events.ts'
import type { PlanOrderEventData } from '../../domain/plan-order/events.ts'
import type { TransactionEventData } from '../../domain/transaction/events.ts'

type EventData = TransactionEventData & AccountEventData & AlertEventData & PlanOrderEventData & NotificationEventData

/** `nothing` if there was nothing to do, as for most events. Then the new position need not be saved at once. */
export type Answered = Promise<'nothing' | void>

/**
 * The reactor's work per event type. It may receive the same event again at any time, and must then have nothing left
 * to do.
 */
export type Answers = {
  [Type in keyof EventData]?: (event: RecordedEvent<Type, EventData[Type]>) => Answered
}

export interface Reaction {
  name: string
  /** Streams whose events it receives. */
  prefixes: readonly string[]
  answers: Readonly<Record<string, ((event: RecordedEvent) => Answered) | undefined>>
}

export const reaction = (name: string, prefixes: readonly string[], answers: Answers): Reaction => ({
  name,
  prefixes,
  answers: answers as Reaction['answers'],
})
