<<<<<<< HEAD
/** An event that makes something else happen, on another stream or to one. */
import type { Handlers } from '../../domain/catalogue.ts'

/** `nothing` where there was nothing to do, as with most events: then the position need not be saved at once. */
export type Answered = Promise<'nothing' | void>

/** What it does for an event. It may receive the same event again at any time, and then has nothing left to do. */
export type Answers = Handlers<Answered>

export interface Reaction {
  name: string
  /** Prefixes of the streams whose events it waits for. */
=======
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
>>>>>>> x
  prefixes: readonly string[]
  answers: Answers
}

export const reaction = (name: string, prefixes: readonly string[], answers: Answers): Reaction => ({
  name,
  prefixes,
  answers,
})
