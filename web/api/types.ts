// Tests: tests/e2e/browser/dashboard.test.ts
/** The API's answers, as far as pages show them. `/docs` lists every field. */

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

export interface HistoryLine {
  at: string
  event: string
  text: string
}

export interface Account {
  id: number
  email: string
  name: string | null
  language: 'vi' | 'en'
  email_verified: boolean
  operator: boolean
  plan: 'Free' | 'Basic' | 'Advanced' | 'Pro'
  plan_expires_at: string | null
  usage: { transactions: number; limit: number | null }
}

export interface Rule {
  id: number
  system_id: number | null
  system_name: string
  name: string
  url: string
  http_method: 'POST' | 'PUT'
  filter_banks: string[]
  filter_type: 'credit' | 'debit' | 'both'
  min_amount: number | null
  payload_format: 'standard' | 'woocommerce' | 'custom'
  custom_template: string | null
  is_active: 0 | 1
  max_per_minute: number | null
  ordered: 0 | 1
  secret_key: string | null
  previous_until: string | null
  is_auto: 0 | 1
  created_at: string
  health?: {
    breaker: 'closed' | 'open'
    failures_in_a_row: number
    open_since: string | null
    next_probe_at: string | null
    not_before: string | null
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

export interface Alert {
  id: number
  kind: string
  subject: string
  text: string
  since: string
  until: string | null
}

export interface LastSeen {
  last_heard_at: string | null
  /** Seconds; null while too little is known. */
  usual_pause_s: number | null
  silent_since: string | null
}

export interface Device extends LastSeen {
  id: number
  name: string
  paired: boolean
  expires_at: string | null
  platform: string | null
  model: string | null
  trust_sms_app_titles: boolean
}

export interface Invitation {
  id: number
  name: string
  pairing_code: string
  expires_at: string
  qr_svg: string
}

export interface ReceiveUrl extends LastSeen {
  url: string
  trust_sms_app_titles: boolean
}

export interface MailAccount extends LastSeen {
  id: number
  email: string
  host: string
  port: number
  tls: boolean
  username: string
  folder: string
  is_active: 0 | 1
  authserv_id: string | null
  last_error: string | null
  last_message_at: string | null
}

export interface BankAccount {
  id: number
  bank_code: string
  account_number: string
  is_active: 0 | 1
  confirmed: boolean
}

export interface System {
  id: number
  name: string
  type: 'woocommerce' | 'haravan' | 'shopify' | 'whmcs' | 'custom'
  payment_prefix: string
  is_active: 0 | 1
}

export interface Notification {
  id: number
  status: 'unparsed' | 'ignored' | 'captured'
  source_type: SourceType
  reason: string | null
  transaction_id: number | null
  received_at: string
  unsafe: 'duplicate_key' | 'two_names' | 'broken_json' | null
  advice: string | null
  untrusted_sender: string | null
  text?: string | null
}

export interface InboxCall {
  at: string
  method: string
  headers: Record<string, string>
  body: string
  verified: boolean
}

export interface Inbox {
  id: number
  url: string | null
  answer: 200 | 500
  delay_ms: number
  calls: InboxCall[]
}

export interface Received {
  id?: number
  webhook_status?: WebhookStatus
  ignored?: true
  reason?: string
}

export interface Parsed {
  transaction:
    | (Pick<
        Transaction,
        | 'bank_code'
        | 'bank_name'
        | 'transaction_type'
        | 'amount'
        | 'currency'
        | 'account_number'
        | 'transaction_ref'
        | 'transaction_date'
        | 'counterpart_name'
        | 'order_id'
      > & { content: string | null; balance_after: string | null })
    | null
  reason: string | null
}

export interface TestResult {
  success: boolean
  http_code: number
  response_time_ms?: number
  response_body?: string
  error?: string
}

export type RuleStats = Stats['rules'][number]

export interface ScopedKey {
  id: number
  name: string
  scopes: string[]
  expires_at: string | null
  created_at: string
  last_used_at: string | null
  api_key?: string
}

export interface TrustedSenders {
  trusted_senders: string[]
  without_sender: boolean
}

export interface AlertSettings {
  webhook_url: string | null
  secret_key: string | null
}

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

export interface OperatorAccount {
  id: number
  email: string
  plan: string
  plan_expires_at: string | null
  locked: boolean
  operator: boolean
}

export interface OperatorStatus {
  lag: { projector: string; behind: boolean; last_event_at: string | null }[]
  lanes: { lane: string; open: number; due: number }[]
  breakers: { user_id: number; endpoint: string; since: string }[]
  parked: number
  overdue: number
  processes: { name: string; since: string; address: string | null }[]
  leases: { name: string; process: string | null; since: string }[]
  mailboxes: number
  versions: { baoco: string; postgres: string; tables: string; node: string }
  disk: { database_bytes: number; schemas: { name: string; bytes: number }[]; free_bytes: number | null }
  audit: { ended_at: string; events: number; transactions: number; faults: number } | null
}

export interface Mail {
  id: number
  to: string
  subject: string
  text: string | null
  created_at: string
}
