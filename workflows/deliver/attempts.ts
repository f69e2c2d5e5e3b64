// Tests: tests/integration/delivery/delivery.test.ts
/** One attempt: forms and sends the call, and gives the result to the recorder. */
import type { CallResult, Checkpoint, Sender } from '../../domain/ports.ts'
import { RENDERER } from '../../domain/webhook/payload/render.ts'
import { attemptStep, traceOf } from '../../domain/trace.ts'
import { shownUrl } from '../../domain/webhook/shown-url.ts'
import { formCall, type FormedCall } from './form-call.ts'
import type { Claimed, LaneName } from './queue.ts'
import type { Recorder } from './recorder.ts'

/** The report of each attempt: one wide log line, and the values of the metrics. */
export interface AttemptReport {
  user_id: number
  transaction_id: number
  rule_id: number
  /** null if it was not recorded, because the transaction was deleted during the call. */
  attempt_id: number | null
  attempt: number
  correlation_id: string
  /** Null without a trace. */
  trace_id: string | null
  span_id: string | null
  lane: LaneName
  /** In the form of `shownUrl`: without parts that may be secret. */
  url: string
  http_status: number
  error: string | null
  outcome: 'delivered' | 'retrying' | 'exhausted' | null
  next_attempt_at: string | null
  sent_at: string
  /** Duration of the call: milliseconds. */
  duration_ms: number
  /** From the capture to the start of the call: milliseconds. */
  since_capture_ms: number
  /** From the due time in the queue to the start of the call: milliseconds. 0 if the log was faster. */
  since_due_ms: number
  bank_code: string
}

export interface AttemptOptions {
  sender: Sender
  /** Opens a rule's secrets. */
  openSecret: (sealed: string) => string
  recorder: Recorder
  /** The trace of a claimed attempt. */
  correlationOf: (claimed: Claimed) => string
  /** The database's time. */
  now: () => Date
  /** Called after the attempt is recorded. */
  onAttempt: (attempt: AttemptReport) => void
  /** Called after the call has ended. */
  onResult: (claimed: Claimed, result: CallResult) => void
  /** Called after the result is recorded, with its position. */
  onRecorded: (claimed: Claimed, checkpoint: Checkpoint) => void
}

/** The result if no endpoint was called: a secret could not be opened, or the template is invalid. The schedule leaves time to fix it. */
const notFormed = (error: unknown): CallResult => ({
  http_status: 0,
  response_body: `The call could not be formed: ${error instanceof Error ? error.message : String(error)}`,
  error: 'not_formed',
  retry_after_s: null,
  duration_ms: 0,
})

/**
 * @returns a function that makes a claimed attempt. It resolves when the call has ended, before it is recorded. It
 *   never throws.
 */
export const attempts = (options: AttemptOptions) => {
  const { sender, openSecret, recorder, correlationOf, now, onAttempt, onResult, onRecorded } = options
  const record = (
    claimed: Claimed,
    correlation_id: string,
    begun: Date,
    formed: FormedCall | null,
    result: CallResult,
  ): void => {
    const { transaction_id, rule_id, user_id, attempt, lane, rule } = claimed
    const trace = formed ? formed.trace : traceOf(correlation_id, attemptStep(claimed))
    onResult(claimed, result)
    recorder.submit({
      transaction_id,
      rule_id,
      at: now(),
      isLast: claimed.isLast,
      isAwaited: rule.ordered,
      result: {
        transaction_id,
        rule_id,
        attempt,
        method: rule.http_method,
        url: rule.url,
        account_revision: rule.account_revision,
        timestamp: formed?.timestamp ?? Math.floor(begun.getTime() / 1000),
        body_sha256: formed?.body_sha256 ?? '',
        renderer: RENDERER,
        sent_at: begun.toISOString(),
        ...result,
      },
      recorded: (attempted, checkpoint) => {
        if (checkpoint !== null) onRecorded(claimed, checkpoint)
        onAttempt({
          user_id,
          transaction_id,
          rule_id,
          attempt_id: attempted?.attempt_id ?? null,
          attempt,
          correlation_id,
          trace_id: trace?.trace_id ?? null,
          span_id: trace?.span_id ?? null,
          lane,
          url: shownUrl(rule.url),
          http_status: result.http_status,
          error: result.error,
          outcome: attempted?.outcome ?? null,
          next_attempt_at: attempted?.next_attempt_at ?? null,
          sent_at: begun.toISOString(),
          duration_ms: result.duration_ms,
          since_capture_ms: begun.getTime() - Date.parse(claimed.captured_at),
          since_due_ms: Math.max(0, begun.getTime() - Date.parse(claimed.due_at)),
          bank_code: claimed.transaction.bank_code,
        })
      },
    })
  }

  return async (claimed: Claimed, signal: AbortSignal): Promise<void> => {
    const correlationId = correlationOf(claimed)
    const begun = now()
    let formed: FormedCall | null = null
    try {
      formed = formCall(claimed, correlationId, openSecret, begun)
      record(claimed, correlationId, begun, formed, await sender.send(formed.call, signal))
    } catch (error) {
      record(claimed, correlationId, begun, formed, notFormed(error))
    }
  }
}
