// Tests: tests/integration/delivery/test-call.test.ts
/** One attempt as an HTTP call: the body is rendered now and signed with the rule's current secret. */
import { sha256 } from '../../domain/sha256.ts'
import type { Call } from '../../domain/ports.ts'
import { render, type Format } from '../../domain/webhook/payload/render.ts'
import { signingSecrets, type SealedSecrets } from '../../domain/webhook/secrets.ts'
import { attemptStep, traceOf, traceparentOf, type TraceContext } from '../../domain/trace.ts'
import { signedHeaders, webhookIdOf } from '../../domain/webhook/signature.ts'
import type { TransactionRow } from '../../domain/webhook/payload/transaction-row.ts'

/** The attempt that a call makes, with what the call contains. */
export interface AttemptToForm {
  transaction_id: number
  rule_id: number
  /** Number of the attempt. */
  attempt: number
  /** The endpoint has already confirmed this transaction. */
  isReplay: boolean
  rule: Format & SealedSecrets & { http_method: Call['method']; url: string }
  transaction: TransactionRow
}

export interface FormedCall {
  call: Call
  /** The `timestamp` of the body and of the signature: Unix seconds. */
  timestamp: number
  body_sha256: string
  /** Null without a trace. */
  trace: TraceContext | null
}

/**
 * @param correlationId  of the capture: the trace to which the call belongs
 * @param open  opens the rule's secrets
 * @param now  the time of the attempt
 */
export const formCall = (
  { transaction_id, rule_id, attempt, isReplay, rule, transaction }: AttemptToForm,
  correlationId: string,
  open: (sealed: string) => string,
  now: Date,
): FormedCall => {
  const timestamp = Math.floor(now.getTime() / 1000)
  const body = render(rule, transaction, timestamp)
  const webhookId = webhookIdOf(transaction_id, rule_id)
  const trace = traceOf(correlationId, attemptStep({ transaction_id, rule_id, attempt }))
  const headers = signedHeaders({ ...signingSecrets(rule, timestamp, open), body, webhookId, timestamp, attempt })
  if (isReplay) headers['x-webhook-replay'] = '1'
  if (trace) headers.traceparent = traceparentOf(trace)
  const body_sha256 = sha256(body, 'hex')
  return { call: { method: rule.http_method, url: rule.url, headers, body }, timestamp, body_sha256, trace }
}
