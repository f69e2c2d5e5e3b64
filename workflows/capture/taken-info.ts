// Tests: tests/integration/capture/capture.test.ts
/** The log line of each notification: one wide line, without text or token. */
import type { Taken } from '../../domain/arrival/arrival.ts'
import { pathOfSource } from '../../domain/arrival/receive-paths.ts'
import { traceIdOf } from '../../domain/trace.ts'
import type { Job } from './job.ts'
import type { Outcome } from './units.ts'

/** The result of one notification. Durations in milliseconds. */
export interface TakenInfo {
  user_id: number | null
  outcome: Outcome | 'failed'
  transaction_id: number | null
  webhook_status: string | null
  reason: string | null
  bank_code: string | null
  source_type: string | null
  /** The receive path: `device-7`, `mailbox-3`, `url`. Null for a trial from the dashboard. */
  receive_path: string | null
  correlation_id: string
  /** Null without a trace. */
  trace_id: string | null
  /** Number of notifications in its group. */
  group: number
  tries: number
  duration_ms: number
}

/** null if no receive path was determined, or if the notification was kept from before or is a trial. */
const receivePathIn = ({ appraisal, arrival }: Job): string | null =>
  appraisal?.appraised && arrival.credential.kind !== 'kept' && !arrival.is_trial
    ? pathOfSource(appraisal.appraised.origin.source)
    : null

/** @param taken  the answer; null if it failed */
export const takenInfoOf = (job: Job, outcome: Outcome | 'failed', taken: Taken | null, group: number): TakenInfo => ({
  user_id: job.userId,
  outcome,
  transaction_id: taken?.kind === 'transaction' ? taken.id : null,
  webhook_status: taken?.kind === 'transaction' ? taken.webhook_status : null,
  reason: taken?.kind === 'ignored' ? taken.reason : null,
  bank_code: job.read.reading?.bank_code ?? null,
  source_type: taken?.kind === 'transaction' ? taken.source_type : null,
  receive_path: receivePathIn(job),
  correlation_id: job.correlationId,
  trace_id: traceIdOf(job.correlationId),
  group,
  tries: job.tries,
  duration_ms: performance.now() - job.since,
})
