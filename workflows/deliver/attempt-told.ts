/** What is told of every attempt: one wide line for the log, and what metrics count. */
import type { LaneName } from './queue.ts'

export interface AttemptTold {
  user_id: number
  transaction_id: number
  rule_id: number
  /** null where it was not recorded: the transaction was deleted while the call was open. */
  attempt_id: number | null
  attempt: number
  lane: LaneName
  /** Without its query, which may hold a secret. */
  url: string
  http_status: number
  error: string | null
  outcome: 'delivered' | 'retrying' | 'exhausted' | null
  next_attempt_at: string | null
  /** Of the call: milliseconds. */
  duration_ms: number
  /** From the capture to the call's begin: milliseconds. */
  since_capture_ms: number
}
