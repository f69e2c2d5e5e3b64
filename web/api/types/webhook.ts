// Tests: tests/e2e/browser/dashboard.test.ts
/** The API's answers about webhook rules, connected systems and test inboxes. */

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

export interface System {
  id: number
  name: string
  type: 'woocommerce' | 'haravan' | 'shopify' | 'whmcs' | 'custom'
  payment_prefix: string
  is_active: 0 | 1
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

export interface TestResult {
  success: boolean
  http_code: number
  response_time_ms?: number
  response_body?: string
  error?: string
}
