// Tests: tests/integration/reactors/run.test.ts
/** A reactor: an event causes further work, on its own stream or on another one. */
import type { Handlers } from '../../domain/catalogue.ts'
import type { PlanAccount } from '../../domain/plan-order/plan-order.ts'
import type { Clock, EventStore, Ids, LogLines, Mailer, Sender, Vault } from '../../domain/ports.ts'
import type { MailLinks } from '../accounts/mail-links.ts'
import type { Snapshots } from '../support/snapshots.ts'

/**
 * `nothing` if there was nothing to do, as for most events: then the position need not be saved at once. It comes without a promise if no
 * server was asked, so that such an event costs almost nothing.
 */
export type Answered = 'nothing' | Promise<'nothing' | void>

/** Its handlers by type of event. It may receive the same event again at any time, and then has nothing left to do. */
export type Answers = Handlers<Answered>

export interface Reactor {
  name: string
  /** Prefixes of the streams whose events it waits for. */
  prefixes: readonly string[]
  answers: Answers
}

/** The ports that the reactors need. Each takes a part of them. */
export interface ReactorParts {
  store: EventStore
  clock: Clock
  ids: Ids
  vault: Vault
  mailer: Mailer
  links: MailLinks
  /** Snapshots of accounts and alerts. Default: each is read from its stream. */
  snapshots?: Snapshots
  /** The operator's address. */
  adminEmail: string
  /** The commission on a referred account's plan payment, in per cent. */
  commission: number
  /** Calls the addresses that alerts are sent to. */
  sender: Sender
  log: Pick<LogLines, 'warn'>
  /** The account that receives plan payments; null if no plan can be bought. */
  plans: PlanAccount | null
  /**
   * A transaction that waited longer than this for its bank account to be confirmed is not sent automatically:
   * milliseconds.
   */
  maxAgeMs: number
}

export const reactor = (name: string, prefixes: readonly string[], answers: Answers): Reactor => ({
  name,
  prefixes,
  answers,
})
