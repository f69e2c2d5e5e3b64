// Tests: tests/e2e/browser/dashboard.test.ts
/** The API's answers about transactions, their deliveries, and jobs about them. */

export type WebhookStatus = 'pending' | 'success' | 'failed' | 'no_match' | 'skipped' | 'plan_upgraded' | 'already_run'
export type SourceType = 'sms' | 'notification' | 'email' | 'api'
export type Direction = 'credit' | 'debit'

export interface Transaction {
  id: number
  source_type: SourceType
  bank_code: string
  bank_name: string
  transaction_type: Direction
  amount: string
  currency: string
  account_number: string | null
  transaction_ref: string | null
  transaction_date: string
  counterpart_name: string | null
  counterpart_bank: string | null
  order_id: string | null
  webhook_status: WebhookStatus
  already_run_of: number | null
  created_at: string
  /** Only with `include_raw=1`. */
  description?: string
  raw_data?: string
  balance_after?: string | null
  account_name?: string | null
  counterpart_account?: string | null
}

export interface Attempt {
  id: number
  webhook_rule_id: number
  http_status: number
  response_body: string
  attempt: number
  sent_at: string
  duration_ms: number
  outcome: 'delivered' | 'retrying' | 'exhausted'
  error: string | null
  next_attempt_at: string | null
}

export interface Delivery extends Attempt {
  webhook_url: string
  request: { method: string; url: string; headers: Record<string, string>; body: string | null } | null
}

/** The number of rules by the state of their delivery. */
export interface DeliveryCounts {
  pending: number
  /** The pending ones that have had an attempt. A process of an older version does not report them. */
  retrying?: number
  success: number
  failed: number
}

export type ListedTransaction = Transaction & { deliveries: DeliveryCounts }
export type DeliveredTransaction = Transaction & { deliveries: Delivery[] }

export interface Log extends Attempt {
  transaction_id: number
  bank_code: string
  amount: string
  transaction_type: Direction
}

export interface Page<Row> {
  data: Row[]
  total: number
  limit: number
  next_cursor: string | null
}

export interface TransactionPage extends Page<ListedTransaction> {
  /** The cursor of a page that begins with the same row, whatever arrives later. */
  same_cursor: string | null
}

export interface HistoryLine {
  at: string
  event: string
  facts: {
    rules?: number[]
    held?: 'old_notification' | 'unconfirmed_account'
    copy_of?: number
    came_back?: true
    prefix?: string | null
    attempt?: number
    http_status?: number
    error?: string | null
    by?: 'manual' | 'bulk'
    why?: 'retry' | 'due_now' | 'again' | 'released' | 'rule_deleted' | 'gone'
    status?: WebhookStatus
  }
}

export interface Stats {
  days: {
    date: string
    bank_code: string
    currency: string
    credit: string
    debit: string
    count: number
    success: number
    failed: number
  }[]
  rules: {
    id: number
    attempts: number
    success_rate: number | null
    p50_ms: number | null
    p95_ms: number | null
    last_error: string | null
  }[]
}

export interface HourStats {
  from: string
  /** Null where the hour was not counted. */
  delivered: number | null
  failed: number | null
}

export type RuleStats = Stats['rules'][number] & { hours: HourStats[] }

export interface UndeliveredGroup {
  rule_id: number
  rule_name: string | null
  status: 'failed' | 'pending'
  error: string | null
  count: number
  oldest_at: string
  oldest_transaction_id: number
  next_attempt_at: string | null
  estimated_seconds: number | null
}

export interface Undelivered {
  groups: UndeliveredGroup[]
  complete: boolean
}

export interface Job {
  id: number
  status: 'running' | 'done' | 'cancelled'
  total: number
  done: number
  failed: number
}
