/** One notification on its way: what it waits for, and what is known of it so far. */
import type { Account } from '../../domain/account/account.ts'
import type { Probe } from '../../domain/dedup/entries.ts'
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import { doorOf } from '../../domain/arrival/origin.ts'
import type { PlanAccount } from '../../domain/plan-order/plan-order.ts'
import type { ReadResult } from '../../domain/reader/reading.ts'
import { appraise, type Appraised } from '../../domain/transaction/capture.ts'
import type { WarmBook } from './books.ts'

export interface Job {
  /** Its text no longer than what is read. */
  arrival: Arrival
  userId: number
  /** Where plans are paid to, where any can be bought. */
  plans: PlanAccount | null
  /** What is older than this when it arrives is not sent, milliseconds. */
  oldAfterMs: number
  read: ReadResult
  correlationId: string
  /** `performance.now()` when it was given to us. */
  since: number
  /** How often it was decided; more than once after a conflict. */
  tries: number
  /** Another process has parsed this unparsed notification in the meantime. */
  isClosed: boolean
  /** When it first met an entry without its transaction (`performance.now()`), else null. */
  metUnfinishedAt: number | null
  appraisal: { account: Account | null; appraised: Appraised | null } | null
  probe: { of: WarmBook; appraised: Appraised; probe: Probe } | null
  resolve(taken: Taken): void
  reject(error: unknown): void
}

/** Its number, where it was kept unread; null for one that has just come. */
export const keptId = ({ arrival: { credential } }: Job): number | null =>
  credential.kind === 'kept' ? credential.kept.notification_id : null

/** Whether it is a mail that was taken before, and judged the same. */
export const isListedAs = ({ arrival: { mail } }: Job, reason: string): boolean =>
  mail?.listed_as?.includes(reason) ?? false

/** Appraised once for an account as it is; null where its credential is not one of the account's. */
export const appraiseJob = (job: Job, account: Account | null): Appraised | null => {
  if (job.appraisal && job.appraisal.account === account) return job.appraisal.appraised
  const door = account && doorOf(account, job.arrival.credential, job.arrival.arrived_at)
  const appraised = account && door ? appraise(account, door, job.arrival, job.read, job.plans, job.oldAfterMs) : null
  job.appraisal = { account, appraised }
  return appraised
}

/** Hashed once for a book, as long as the appraisal stands. */
export const probeOf = (job: Job, appraised: Extract<Appraised, { kind: 'movement' }>, warm: WarmBook): Probe => {
  if (job.probe?.of === warm && job.probe.appraised === appraised) return job.probe.probe
  const probe = warm.book.probe(appraised.sighting)
  job.probe = { of: warm, appraised, probe }
  return probe
}
