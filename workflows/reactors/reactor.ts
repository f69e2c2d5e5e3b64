/** An event that makes something else happen, on another stream or to one. */
import type { AccountEventData } from '../../domain/account/events.ts'
import type { AlertEventData } from '../../domain/alert/events.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { NotificationEventData } from '../../domain/arrival/events.ts'
import type { PlanOrderEventData } from '../../domain/plan-order/events.ts'
import type { TransactionEventData } from '../../domain/transaction/events.ts'

type EventData = TransactionEventData & AccountEventData & AlertEventData & PlanOrderEventData & NotificationEventData

/** `nothing` where there was nothing to do, as with most events: then where it has come to need not be saved at once. */
export type Answered = Promise<'nothing' | void>

/** What it does for an event. It may be met with the same event again at any time, and then has nothing left to do. */
export type Answers = {
  [Type in keyof EventData]?: (event: RecordedEvent<Type, EventData[Type]>) => Answered
}

export interface Reaction {
  name: string
  /** Streams whose events it waits for. */
  prefixes: readonly string[]
  answers: Readonly<Record<string, ((event: RecordedEvent) => Answered) | undefined>>
}

export const reaction = (name: string, prefixes: readonly string[], answers: Answers): Reaction => ({
  name,
  prefixes,
  answers: answers as Reaction['answers'],
})
