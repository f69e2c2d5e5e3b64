// Tests: tests/e2e/browser/dashboard.test.ts
/** The API's answers about the account and its alerts. */

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

export interface Alert {
  id: number
  kind: string
  subject: string
  text: string
  since: string
  until: string | null
}

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
