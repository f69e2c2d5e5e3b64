/** An account as its events tell it. Pure: the same events give the same account on every machine. */
import type { z } from 'zod'
import { deviceDoor, URL_DOOR } from '../arrival/receive-paths.ts'
import type { ScopedKey } from './api-keys.ts'
import { extended, learningFrom, type Learning } from './bank-accounts.ts'
import type { AccountEvent, AccountEventData, mailAccountFields, Plan } from './events.ts'
import { issued, NO_MAIL_TOKENS, withoutGood, type MailTokens } from './mail-tokens.ts'
import { ended, type EndedSessions } from './sessions.ts'

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
  /** The Vietnamese month in which its owner was last told of the quota: `2026-11`. */
  quota_warned: string | null
  counter_hash: string | null
  /** Where alerts are sent besides the e-mail. */
  alert_webhook_url: string | null
  /** What calls to that address are signed with; null without an address, or where it was set before they were signed. */
  alert_sealed_secret: string | null
  registered_at: string
}

const set = <Value>(map: ReadonlyMap<number, Value>, key: number, value: Value): ReadonlyMap<number, Value> =>
  new Map(map).set(key, value)

const without = <Value>(map: ReadonlyMap<number, Value>, key: number): ReadonlyMap<number, Value> => {
  const rest = new Map(map)
  rest.delete(key)
  return rest
}

/** Only what is given changes: `undefined` is "not said". */
const changed = <Value extends object>(
  map: ReadonlyMap<number, Value>,
  key: number,
  change: { [Key in keyof Value]?: Value[Key] | undefined },
): ReadonlyMap<number, Value> => {
  const before = map.get(key)
  if (!before) return map
  const said = Object.fromEntries(
    Object.entries(change).filter(([field, value]) => value !== undefined && field in before),
  )
  return set(map, key, { ...before, ...said })
}

/** An event, with its time where it is known. */
type Happened = AccountEvent & { metadata?: { at: string } }

/** The account after one more event; null before the first. */
/** @param deviceId  null: the personal URL */
const withDoor = (doors: ReadonlySet<string>, deviceId: number | null, isIn: boolean): ReadonlySet<string> => {
  const door = deviceId === null ? URL_DOOR : deviceDoor(deviceId)
  if (doors.has(door) === isIn) return doors
  return isIn ? new Set(doors).add(door) : new Set([...doors].filter((each) => each !== door))
}

export const evolve = (account: Account | null, event: Happened): Account | null => {
  if (event.type === 'AccountRegistered') {
    const { user_id, email, name, operator, registered_at, ref = null } = event.data
    return {
      user_id, email, name, operator, registered_at, ref,
      verified: false, locked: false, lock: null, unlocks: 0, password_hash: null, token_version: 0, mail_tokens: NO_MAIL_TOKENS, ended_sessions: new Map(), key_hash: null, api_keys: new Map(), receive_url: null,
      plan: 'Free', plan_expires_at: null, trusted_senders: [], without_sender: false, sms_app_titles: new Set(), systems: new Map(), rules: new Map(), devices: new Map(),
      invitations: new Map(), mail_accounts: new Map(), bank_accounts: new Map(), learning: null, inboxes: new Map(), quota_warned: null, counter_hash: null, alert_webhook_url: null, alert_sealed_secret: null,
    } // prettier-ignore
  }
  if (!account) return null
  switch (event.type) {
    case 'EmailVerified':
      return { ...account, verified: true, mail_tokens: withoutGood(account.mail_tokens, 'verify_email') }
    case 'PasswordSet': {
      const { password_hash, token_version } = event.data
      return {
        ...account,
        password_hash,
        token_version,
        mail_tokens: withoutGood(account.mail_tokens, 'reset_password'),
      }
    }
    case 'MailTokenIssued':
      return { ...account, mail_tokens: issued(account.mail_tokens, event.data) }
    case 'RegistrationRepeated':
      return { ...account, mail_tokens: { ...account.mail_tokens, repeated_at: event.data.at } }
    case 'RegistrationReplaced': {
      const { name, password_hash, token_version, ref = null } = event.data
      const mail_tokens = withoutGood(account.mail_tokens, 'verify_email')
      return { ...account, name, password_hash, token_version, ref, mail_tokens }
    }
    case 'LoginsEnded':
      return { ...account, token_version: event.data.token_version }
    case 'SessionEnded':
      return { ...account, ended_sessions: ended(account.ended_sessions, event.data) }
    case 'ApiKeyRotated':
      return { ...account, key_hash: event.data.key_hash }
    case 'ApiKeyRevoked':
      return { ...account, key_hash: null }
    case 'ScopedKeyAdded': {
      const { user_id: _, ...key } = event.data
      return { ...account, api_keys: set(account.api_keys, key.api_key_id, key) }
    }
    case 'ScopedKeyRemoved':
      return { ...account, api_keys: without(account.api_keys, event.data.api_key_id) }
    case 'ReceiveUrlRotated':
      return { ...account, receive_url: { token_hash: event.data.token_hash, sealed_token: event.data.sealed_token } }
    case 'ReceiveUrlRevoked':
      return { ...account, receive_url: null }
    case 'PlanChanged':
      return { ...account, plan: event.data.plan, plan_expires_at: event.data.expires_at }
    case 'QuotaWarned':
      return { ...account, quota_warned: event.data.month }
    case 'AccountLocked':
      return { ...account, locked: true, lock: { reason: event.data.reason, since: event.metadata?.at ?? null } }
    case 'AccountUnlocked':
      return { ...account, locked: false, lock: null, unlocks: account.unlocks + 1 }
    case 'SystemAdded': {
      const { user_id: _, ...system } = event.data
      return { ...account, systems: set(account.systems, system.system_id, system) }
    }
    case 'SystemChanged':
      return { ...account, systems: changed(account.systems, event.data.system_id, event.data) }
    case 'SystemRemoved':
      return { ...account, systems: without(account.systems, event.data.system_id) }
    case 'RuleCreated': {
      const { user_id: _, max_per_minute = null, ordered = 0, ...said } = event.data
      const rule: Rule = { ...said, max_per_minute, ordered, sealed_previous: null, previous_until: null }
      return { ...account, rules: set(account.rules, rule.rule_id, rule) }
    }
    case 'RuleChanged':
      return { ...account, rules: changed(account.rules, event.data.rule_id, event.data) }
    case 'RulePaused':
      return { ...account, rules: changed(account.rules, event.data.rule_id, { is_active: 0 }) }
    case 'RuleSecretRotated':
      return { ...account, rules: changed(account.rules, event.data.rule_id, event.data) }
    case 'RuleSecretRotationFinished': {
      const finished = { sealed_previous: null, previous_until: null }
      return { ...account, rules: changed(account.rules, event.data.rule_id, finished) }
    }
    case 'RuleDeleted':
      return { ...account, rules: without(account.rules, event.data.rule_id) }
    case 'DeviceAdded': {
      const { user_id: _, ...device } = event.data
      return { ...account, devices: set(account.devices, device.device_id, device) }
    }
    case 'DeviceInvited': {
      const { user_id: _, ...invitation } = event.data
      return { ...account, invitations: set(account.invitations, invitation.device_id, invitation) }
    }
    case 'DevicePaired': {
      const { device_id, token_hash, platform, model } = event.data
      const invitation = account.invitations.get(device_id)
      if (!invitation) return account
      const { name, created_at } = invitation
      return {
        ...account,
        invitations: without(account.invitations, device_id),
        devices: set(account.devices, device_id, { device_id, name, token_hash, created_at, platform, model }),
      }
    }
    case 'DeviceRenamed': {
      const { device_id, name } = event.data
      return {
        ...account,
        invitations: changed(account.invitations, device_id, { name }),
        devices: changed(account.devices, device_id, { name }),
      }
    }
    case 'SmsAppTitlesTrusted': {
      const { device_id, trusted } = event.data
      return { ...account, sms_app_titles: withDoor(account.sms_app_titles, device_id, trusted) }
    }
    case 'DeviceRemoved':
      return {
        ...account,
        sms_app_titles: withDoor(account.sms_app_titles, event.data.device_id, false),
        invitations: without(account.invitations, event.data.device_id),
        devices: without(account.devices, event.data.device_id),
      }
    case 'MailAccountAdded': {
      const { user_id: _, ...added } = event.data
      const mailAccount: MailAccount = { ...added, since: added.created_at, paused: null }
      return { ...account, mail_accounts: set(account.mail_accounts, added.mail_account_id, mailAccount) }
    }
    case 'MailAccountChanged': {
      const change = { ...event.data, paused: null }
      return { ...account, mail_accounts: changed(account.mail_accounts, event.data.mail_account_id, change) }
    }
    case 'MailAccountPaused': {
      const { mail_account_id, reason } = event.data
      return { ...account, mail_accounts: changed(account.mail_accounts, mail_account_id, { paused: reason }) }
    }
    case 'MailAccountRemoved':
      return { ...account, mail_accounts: without(account.mail_accounts, event.data.mail_account_id) }
    case 'AccountDeleted':
      return null
    case 'TrustedSendersSet':
      return {
        ...account,
        trusted_senders: event.data.trusted_senders,
        without_sender: event.data.without_sender ?? account.without_sender,
      }
    case 'CounterOpened':
      return { ...account, counter_hash: event.data.token_hash }
    case 'CounterClosed':
      return { ...account, counter_hash: null }
    case 'AlertWebhookSet': {
      const { webhook_url, sealed_secret = account.alert_sealed_secret } = event.data
      const alert_sealed_secret = webhook_url === null ? null : sealed_secret
      return { ...account, alert_webhook_url: webhook_url, alert_sealed_secret }
    }
    case 'InboxOpened': {
      const { user_id: _, ...opened } = event.data
      const inbox: Inbox = { ...opened, answer: 200, delay_ms: 0 }
      return { ...account, inboxes: set(account.inboxes, inbox.inbox_id, inbox) }
    }
    case 'InboxChanged':
      return { ...account, inboxes: changed(account.inboxes, event.data.inbox_id, event.data) }
    case 'InboxClosed':
      return { ...account, inboxes: without(account.inboxes, event.data.inbox_id) }
    case 'BankAccountSeen': {
      const { bank_account_id, bank_code, account_number, waits = false } = event.data
      const seen: BankAccount = { bank_account_id, bank_code, account_number, is_active: 1, confirmed: !waits }
      return { ...account, bank_accounts: set(account.bank_accounts, bank_account_id, seen) }
    }
    case 'BankAccountChanged': {
      const { bank_account_id, is_active } = event.data
      return { ...account, bank_accounts: changed(account.bank_accounts, bank_account_id, { is_active }) }
    }
    case 'BankAccountConfirmed': {
      const { bank_account_id } = event.data
      return { ...account, bank_accounts: changed(account.bank_accounts, bank_account_id, { confirmed: true }) }
    }
    case 'BankAccountsLearned': {
      const { from } = event.data
      return { ...account, learning: account.learning ? extended(account.learning, from) : learningFrom(from) }
    }
  }
}
