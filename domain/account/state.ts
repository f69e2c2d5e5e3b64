// Tests: tests/unit/domain/account/rules.test.ts
/** The state of an account, folded from its events. */
import type { z } from 'zod'
import type { MailPurpose, MailTokenIssued, ScopedKey } from './access-events.ts'
import type { AccountEventData, mailAccountFields, Plan } from './events.ts'
import type { Language } from './language.ts'

type GoodLink = Pick<MailTokenIssued, 'token_hash' | 'expires_at'>

export interface MailTokens {
  /** Links of each purpose that were not used or ended, oldest first. */
  readonly good: { readonly [Purpose in MailPurpose]: readonly GoodLink[] }
  /** Times at which the newest links of each purpose were issued, oldest first. */
  readonly issued: { readonly [Purpose in MailPurpose]: readonly string[] }
  /** When the owner last got a mail about a repeated registration. */
  readonly repeated_at: string | null
}

/** Sessions that ended early, by id, with the time they would have ended by themselves. */
export type EndedSessions = ReadonlyMap<string, string>

/** The period in which an account accepts new numbers as its owner's: ISO 8601. */
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
  /** The address of the shop whose plugin connected it. */
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
  /** The most calls in any minute. Null: no limit. */
  max_per_minute: number | null
  /** 1: one delivery after the other, in the order of their capture. */
  ordered: 0 | 1
  is_auto: 0 | 1
  sealed_secret: string
  /** The secret before the last rotation, and the time until which it also signs. */
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
  /** Mails that arrived before this time are not fetched: ISO 8601. */
  since: string
  created_at: string
  /** Why it is not read, although its owner has it active. Null: it is read. A change by its owner ends the pause. */
  paused: string | null
}

/** An account at a bank, as notifications name it. */
export interface BankAccount {
  bank_account_id: number
  bank_code: string
  account_number: string
  is_active: 0 | 1
  /** False: credits to it wait until the owner confirms it. */
  confirmed: boolean
}

/** A built-in endpoint that stores the calls that it receives. */
export interface Inbox {
  inbox_id: number
  token_hash: string
  sealed_token: string
  /** The status it responds with, and the delay in milliseconds. */
  answer: 200 | 500
  delay_ms: number
  created_at: string
}

export interface Account {
  user_id: number
  email: string
  name: string | null
  language: Language
  operator: boolean
  verified: boolean
  locked: boolean
  /** Why and since when it is locked: the reason's code, and ISO 8601. The time is null if the event does not contain it. */
  lock: { reason: string; since: string | null } | null
  /** How often a lock was lifted. Usage before that no longer counts. */
  unlocks: number
  password_hash: string | null
  token_version: number
  mail_tokens: MailTokens
  ended_sessions: EndedSessions
  key_hash: string | null
  api_keys: ReadonlyMap<number, ScopedKey>
  receive_url: { token_hash: string; sealed_token: string } | null
  /** Whether it ever had a personal URL. Accounts that registered before every account got one had none. */
  had_receive_url: boolean
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
  /** The last period in which new bank accounts counted at once at the owner's request. Null: never. */
  learning: Learning | null
  inboxes: ReadonlyMap<number, Inbox>
  /** The code of the affiliate link that led to the registration, as it was given. */
  ref: string | null
  /** The Vietnamese month of the last quota warning: `2026-11`. */
  quota_warned: string | null
  counter_hash: string | null
  /** The address that receives alerts in addition to the email. */
  alert_webhook_url: string | null
  /** Signs calls to that address. Null if there is no address, or if it was set before calls were signed. */
  alert_sealed_secret: string | null
  registered_at: string
}
