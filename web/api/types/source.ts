// Tests: tests/e2e/browser/dashboard.test.ts
/** The API's answers about the sources of notifications, and notifications. */
import type { WebhookStatus, SourceType, Transaction } from './transaction.ts'

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
