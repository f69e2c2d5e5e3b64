/** The state of an account, as its events give it. */
import type { z } from 'zod'
import type { MailPurpose, MailTokenIssued, ScopedKey } from './access-events.ts'
import type { AccountEventData, mailAccountFields, Plan } from './events.ts'

type GoodLink = Pick<MailTokenIssued, 'token_hash' | 'expires_at'>

export interface MailTokens {
  /** Those of each purpose that were not used or ended, oldest first. */
  readonly good: { readonly [Purpose in MailPurpose]: readonly GoodLink[] }
  /** When the newest of each purpose were issued, oldest first. */
  readonly issued: { readonly [Purpose in MailPurpose]: readonly string[] }
  /** When the owner last got a mail about a repeated registration. */
  readonly repeated_at: string | null
}

/** Sessions that ended early, by id, with the time they would have ended by themselves. */
export type EndedSessions = ReadonlyMap<string, string>

/** From when to when an account takes new numbers as its owner's: ISO 8601. */
export interface Learning {
  from: string
  until: string
}

export type MailAccountFields = z.infer<typeof mailAccountFields>

export interface System {
  system_id: number
  name: string
  type: AccountEventData['SystemAdded']['type']
  payment_prefix: string
  is_active: 0 | 1
  created_at: string
  /** Of the shop whose plugin connected it. */
  site_url?: string | undefined
}

export interface Rule {
  rule_id: number
  name: string
  url: string
  system_id: number | null
  http_method: 'POST' | 'PUT'
  filter_banks: string[]
  filter_type: 'credit' | 'debit' | 'both'
  min_amount: number | null
  payload_format: 'standard' | 'woocommerce' | 'custom'
  custom_template: string | null
  is_active: 0 | 1
  /** Most calls in any minute; null: no limit. */
  max_per_minute: number | null
  /** 1: one delivery after the other, in the order of their capture. */
  ordered: 0 | 1
  is_auto: 0 | 1
  sealed_secret: string
  /** The secret before the last rotation, and until when it signs, too. */
  sealed_previous?: string | null
  previous_until?: string | null
  created_at: string
}

export interface Device {
  device_id: number
  name: string
  token_hash: string
  created_at: string
  platform?: string | null
  model?: string | null
}

/** A device that has not been paired yet. */
export interface Invitation {
  device_id: number
  name: string
  code_hash: string
  expires_at: string
  created_at: string
}

/** A mailbox that bank mails are collected from. */
export interface MailAccount extends MailAccountFields {
  mail_account_id: number
  sealed_password: string
  /** Mails that came before are not asked for: ISO 8601. */
  since: string
  created_at: string
  /** Why it is not read, although its owner has it active; null: it is read. A change by its owner ends it. */
  paused: string | null
}

/** An account at a bank, as notifications name it. */
export interface BankAccount {
  bank_account_id: number
  bank_code: string
  account_number: string
  is_active: 0 | 1
  /** False: credits to it wait for its owner's word. */
  confirmed: boolean
}

/** An endpoint of our own that keeps what it is sent. */
export interface Inbox {
  inbox_id: number
  token_hash: string
  sealed_token: string
  /** What it answers, and after how many milliseconds. */
  answer: 200 | 500
  delay_ms: number
  created_at: string
}

export interface Account {
  user_id: number
  email: string
  name: string | null
  operator: boolean
  verified: boolean
  locked: boolean
  /** Why and since when it is locked: the reason's code, and ISO 8601, null where the event does not say. */
  lock: { reason: string; since: string | null } | null
  /** How often a lock was lifted: what had locked it counts no more. */
  unlocks: number
  password_hash: string | null
  token_version: number
  mail_tokens: MailTokens
  ended_sessions: EndedSessions
  key_hash: string | null
  api_keys: ReadonlyMap<number, ScopedKey>
  receive_url: { token_hash: string; sealed_token: string } | null
  plan: Plan
  plan_expires_at: string | null
  trusted_senders: readonly string[]
  /** Whether a notification that names no sender, package or title counts at the personal URL. */
  without_sender: boolean
  /** Receive paths by which the title of an SMS app's push counts as the sender. */
  sms_app_titles: ReadonlySet<string>
  systems: ReadonlyMap<number, System>
  rules: ReadonlyMap<number, Rule>
  devices: ReadonlyMap<number, Device>
  invitations: ReadonlyMap<number, Invitation>
  mail_accounts: ReadonlyMap<number, MailAccount>
  bank_accounts: ReadonlyMap<number, BankAccount>
  /** When new bank accounts last counted at once at the owner's wish; null: never. */
  learning: Learning | null
  inboxes: ReadonlyMap<number, Inbox>
  /** The code of the affiliate link that led here, as it was given. */
  ref: string | null
  /** The Vietnamese month of the last quota warning: `2026-11`. */
  quota_warned: string | null
  counter_hash: string | null
  /** Where alerts are sent besides the e-mail. */
  alert_webhook_url: string | null
  /** What calls to that address are signed with; null without an address, or where it was set before they were signed. */
  alert_sealed_secret: string | null
  registered_at: string
}
