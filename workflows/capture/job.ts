// Tests: tests/unit/workflows/capture/draft.test.ts
/** One notification in progress: its pending answer, and what is known about it so far. */
import { randomUUID } from 'node:crypto'
import type { Account } from '../../domain/account/account.ts'
import type { Probe } from '../../domain/dedup/probe.ts'
import type { Arrival, Taken } from '../../domain/arrival/arrival.ts'
import { receivePathOf } from '../../domain/arrival/origin.ts'
import type { PlanAccount } from '../../domain/plan-order/plan-order.ts'
import { read } from '../../domain/reader/reader.ts'
import type { ReadResult } from '../../domain/reader/reading.ts'
import { appraise, readable, type Appraised } from '../../domain/transaction/appraisal.ts'
import type { WarmWindow } from './warm-windows.ts'

export interface Job {
  /** Its text is cut to the length that is read. */
  arrival: Arrival
  userId: number
  /** The account that receives plan payments; null if no plan can be bought. */
  plans: PlanAccount | null
  /** A notification that is older than this when it arrives is not sent, milliseconds. */
  oldAfterMs: number
  read: ReadResult
  correlationId: string
  /** `performance.now()` when it was received. */
  since: number
  /** How often it was decided. More than once after a conflict. */
  tries: number
  /** Another process has parsed this unparsed notification in the meantime. */
  isClosed: boolean
  /** Its caller has an answer, perhaps because it waited too long. */
  isAnswered: boolean
  /** When it first met an entry whose transaction is missing (`performance.now()`); otherwise null. */
  metUnfinishedAt: number | null
  appraisal: { account: Account | null; appraised: Appraised | null } | null
  probe: { of: WarmWindow; appraised: Appraised; probe: Probe } | null
  resolve(taken: Taken): void
  reject(error: unknown): void
}

export const jobOf = (arrival: Arrival, given: Pick<Job, 'plans' | 'oldAfterMs' | 'resolve' | 'reject'>): Job => {
  const cut = readable(arrival)
  return {
    arrival: cut,
    userId: cut.credential.user_id,
    read: read(cut.incoming, cut.arrived_at),
    correlationId: cut.correlation_id ?? randomUUID(),
    since: performance.now(),
    tries: 0,
    isClosed: false,
    isAnswered: false,
    metUnfinishedAt: null,
    appraisal: null,
    probe: null,
    ...given,
  }
}

/** Its number if it was kept unread; null if it is new. */
export const keptId = ({ arrival: { credential } }: Job): number | null =>
  credential.kind === 'kept' ? credential.kept.notification_id : null

/** Whether it is a mail that was taken before, with the same result. */
export const isListedAs = ({ arrival: { mail } }: Job, reason: string): boolean =>
  mail?.listed_as?.includes(reason) ?? false

/** Appraises a job once per state of the account. null if its credential does not belong to the account. */
export const appraiseJob = (job: Job, account: Account | null): Appraised | null => {
  if (job.appraisal && job.appraisal.account === account) return job.appraisal.appraised
  const path = account && receivePathOf(account, job.arrival.credential, job.arrival.arrived_at)
  const appraised = account && path ? appraise(account, path, job.arrival, job.read, job.plans, job.oldAfterMs) : null
  job.appraisal = { account, appraised }
  return appraised
}

/** Hashed once per deduplication window, as long as the appraisal is unchanged. */
export const probeOf = (job: Job, appraised: Extract<Appraised, { kind: 'movement' }>, warm: WarmWindow): Probe => {
  if (job.probe?.of === warm && job.probe.appraised === appraised) return job.probe.probe
  const probe = warm.window.probe(appraised.sighting)
  job.probe = { of: warm, appraised, probe }
  return probe
}
