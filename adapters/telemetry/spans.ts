// Tests: tests/integration/traces.test.ts
/** The spans of a payment: its capture, and each attempt. They have the ids that the webhook's `traceparent` and the log have. */
import { attemptStep, traceOf } from '../../domain/trace.ts'
import type { AttemptReport } from '../../workflows/deliver/attempts.ts'
import type { TakenInfo } from '../../workflows/capture/taken-info.ts'
import type { Span } from './otlp.ts'

const CAPTURE = 'capture'

/** @param now  milliseconds since 1970 · @returns null without a trace */
export const spanOfCapture = (taken: TakenInfo, now: number): Span | null => {
  const trace = traceOf(taken.correlation_id, CAPTURE)
  return (
    trace && {
      ...trace,
      parent_span_id: null,
      name: 'receive notification',
      kind: 'server',
      ended_at: now,
      duration_ms: taken.duration_ms,
      failed: taken.outcome === 'failed',
      attributes: {
        'baoco.outcome': taken.outcome,
        'baoco.user_id': taken.user_id,
        'baoco.transaction_id': taken.transaction_id,
        'baoco.bank_code': taken.bank_code,
      },
    }
  )
}

/** @returns null without a trace */
export const spanOfAttempt = (attempt: AttemptReport): Span | null => {
  const trace = traceOf(attempt.correlation_id, attemptStep(attempt))
  return (
    trace && {
      ...trace,
      parent_span_id: traceOf(attempt.correlation_id, CAPTURE)!.span_id,
      name: attempt.attempt === 1 ? 'call webhook' : 'call webhook again',
      kind: 'client',
      ended_at: Date.parse(attempt.sent_at) + attempt.duration_ms,
      duration_ms: attempt.duration_ms,
      failed: attempt.outcome !== 'delivered',
      attributes: {
        'http.response.status_code': attempt.http_status === 0 ? null : attempt.http_status,
        'error.type': attempt.error,
        'url.full': attempt.url,
        'baoco.user_id': attempt.user_id,
        'baoco.transaction_id': attempt.transaction_id,
        'baoco.rule_id': attempt.rule_id,
        'baoco.attempt': attempt.attempt,
        'baoco.lane': attempt.lane,
        'baoco.outcome': attempt.outcome,
      },
    }
  )
}
