// Tests: tests/unit/domain/account/rules.test.ts
/** All events that decisions about an account depend on: stream `account-<user>`. Secrets are hashed, or sealed with the vault's key. */
import { z } from 'zod'
import { apiKeyEvents, mailTokenEvents, sessionEvents } from './access-events.ts'
import { language } from './language.ts'
import { id, moment } from '../fields.ts'

/** SHA-256 of a token or key, hexadecimal. */
const hash = z.string()
/** Text sealed by the vault. */
const sealed = z.string()

export const plan = z.enum(['Free', 'Basic', 'Advanced', 'Pro'])
export type Plan = z.infer<typeof plan>

const systemType = z.enum(['woocommerce', 'haravan', 'shopify', 'whmcs', 'custom'])

/** The fields of a webhook rule that its owner sets (section 2.3). */
export const ruleFields = z.object({
  name: z.string(),
  url: z.string(),
  system_id: id.nullable(),
  http_method: z.enum(['POST', 'PUT']),
  filter_banks: z.array(z.string()),
  filter_type: z.enum(['credit', 'debit', 'both']),
  min_amount: z.int().nullable(),
  payload_format: z.enum(['standard', 'woocommerce', 'custom']),
  custom_template: z.string().nullable(),
  is_active: z.union([z.literal(0), z.literal(1)]),
  /** The most calls in any minute, over all processes. Null: no limit. Missing in older events. */
  max_per_minute: z.int().min(1).nullable().optional(),
  /** 1: the next delivery waits until the one before it is done or exhausted. */
  ordered: z.union([z.literal(0), z.literal(1)]).optional(),
})

export const systemFields = z.object({
  name: z.string(),
  type: systemType,
  /** 2–10 of `[A-Z0-9]`, upper-case, unique per user. */
  payment_prefix: z.string(),
  is_active: z.union([z.literal(0), z.literal(1)]),
})

/** The HTTP status that an inbox responds with. */
export const inboxAnswer = z.union([z.literal(200), z.literal(500)])

/** The fields of a mail account that its owner sets. Its sealed password is stored separately. */
export const mailAccountFields = z.object({
  /** The mailbox's own address. A bank's mail counts only if it was sent to this address. */
  email: z.string(),
  host: z.string(),
  port: z.int(),
  /** True: TLS from the first byte. False: STARTTLS. */
  tls: z.boolean(),
  username: z.string(),
  folder: z.string(),
  is_active: z.union([z.literal(0), z.literal(1)]),
  /** The id under which the mailbox's provider writes its Authentication-Results. Null: the known id of the provider. */
  authserv_id: z.string().nullable(),
})

export const accountEvents = {
  AccountRegistered: z.object({
    user_id: id,
    email: z.string(),
    name: z.string().nullable(),
    operator: z.boolean(),
    registered_at: moment,
    /** The code of the affiliate link that led to the registration, as it was given. */
    ref: z.string().optional(),
  }),
  /** The language of its mails, alerts and pages. Without this event: Vietnamese. */
  LanguageSet: z.object({ user_id: id, language }),
  EmailVerified: z.object({ user_id: id }),
  ...mailTokenEvents,
  PasswordSet: z.object({
    user_id: id,
    /** argon2id */ password_hash: z.string(),
    /** JWTs of older versions are void */ token_version: z.int(),
  }),
  ...sessionEvents,
  /** JWTs and sessions of older versions are void. The password stays. */
  LoginsEnded: z.object({ user_id: id, token_version: z.int() }),
  ApiKeyRotated: z.object({ user_id: id, key_hash: hash }),
  /** The account has no API key until it creates a new one. */
  ApiKeyRevoked: z.object({ user_id: id }),
  ...apiKeyEvents,
  ReceiveUrlRotated: z.object({ user_id: id, token_hash: hash, sealed_token: sealed }),
  /** The account has no personal URL until it creates a new one. */
  ReceiveUrlRevoked: z.object({ user_id: id }),
  PlanChanged: z.object({
    user_id: id,
    plan,
    expires_at: moment.nullable(),
    /** The id of the event of the payment that bought it. */
    caused_by: z.string().optional(),
  }),
  /** Warns once per Vietnamese month that most of the quota is used. */
  QuotaWarned: z.object({ user_id: id, month: z.string(), transactions: z.int(), limit: z.int() }),
  AccountLocked: z.object({ user_id: id, reason: z.string() }),
  AccountUnlocked: z.object({ user_id: id }),
  SystemAdded: systemFields.extend({
    user_id: id,
    system_id: id,
    created_at: moment,
    /** For a shop that its plugin connected: identifies the shop when it connects again. */
    site_url: z.string().optional(),
  }),
  SystemChanged: systemFields.partial().extend({ user_id: id, system_id: id }),
  SystemRemoved: z.object({ user_id: id, system_id: id }),
  RuleCreated: ruleFields.extend({
    user_id: id,
    rule_id: id,
    sealed_secret: sealed,
    is_auto: z.union([z.literal(0), z.literal(1)]),
    created_at: moment,
  }),
  RuleChanged: ruleFields.partial().extend({ user_id: id, rule_id: id }),
  RuleDeleted: z.object({ user_id: id, rule_id: id }),
  /** The rule has a new secret. The previous one also signs until the given time. */
  RuleSecretRotated: z.object({
    user_id: id,
    rule_id: id,
    sealed_secret: sealed,
    sealed_previous: sealed,
    previous_until: moment,
  }),
  /** Only the newest secret signs from now on. */
  RuleSecretRotationFinished: z.object({ user_id: id, rule_id: id }),
  /** The service itself deactivated a rule, because its endpoint responded with 410. */
  RulePaused: z.object({ user_id: id, rule_id: id, reason: z.literal('gone'), caused_by: z.string() }),
  DeviceAdded: z.object({ user_id: id, device_id: id, name: z.string(), token_hash: hash, created_at: moment }),
  /** A device that can be paired once, with the code, until the given time. */
  DeviceInvited: z.object({
    user_id: id,
    device_id: id,
    name: z.string(),
    code_hash: hash,
    expires_at: moment,
    created_at: moment,
  }),
  DevicePaired: z.object({
    user_id: id,
    device_id: id,
    token_hash: hash,
    platform: z.string().nullable(),
    model: z.string().nullable(),
  }),
  DeviceRenamed: z.object({ user_id: id, device_id: id, name: z.string() }),
  /** Whether the titles of SMS apps' pushes count as senders, for one device, or for the personal URL if null. */
  SmsAppTitlesTrusted: z.object({ user_id: id, device_id: id.nullable(), trusted: z.boolean() }),
  DeviceRemoved: z.object({ user_id: id, device_id: id }),
  MailAccountAdded: mailAccountFields.extend({
    user_id: id,
    mail_account_id: id,
    sealed_password: sealed,
    created_at: moment,
  }),
  MailAccountChanged: mailAccountFields.partial().extend({
    user_id: id,
    mail_account_id: id,
    sealed_password: sealed.optional(),
    /** The account now reads another mailbox. Mails that arrived there earlier are not fetched. */
    since: moment.optional(),
  }),
  /** Its server broke the limits too often. It is not read until its owner changes it. The reason is a plain sentence. */
  MailAccountPaused: z.object({ user_id: id, mail_account_id: id, reason: z.string() }),
  MailAccountRemoved: z.object({ user_id: id, mail_account_id: id }),
  /** Closes the stream. All earlier events are erased, and so is all other data of this user. */
  AccountDeleted: z.object({ user_id: id }),
  TrustedSendersSet: z.object({
    user_id: id,
    trusted_senders: z.array(z.string()),
    /** Whether a notification that names no sender, package or title counts at the personal URL. Absent: unchanged. */
    without_sender: z.boolean().optional(),
  }),
  /** The first notification that named this account of a bank. */
  BankAccountSeen: z.object({
    user_id: id,
    bank_account_id: id,
    bank_code: z.string(),
    /** As printed, masked digits included. */
    account_number: z.string(),
    /** The transaction that named it. */
    transaction_id: id,
    /** Credits to it wait until its owner confirms it. Missing in older events: those numbers count as confirmed. */
    waits: z.boolean().optional(),
  }),
  /** Its owner confirmed this account of a bank as theirs. The transactions that waited for that are sent. */
  BankAccountConfirmed: z.object({ user_id: id, bank_account_id: id }),
  /** For 24 hours from then, numbers that are first seen count as the owner's. */
  BankAccountsLearned: z.object({ user_id: id, from: moment }),
  /** The read-only page of a counter now has this token. An older one is void. */
  CounterOpened: z.object({ user_id: id, token_hash: hash }),
  CounterClosed: z.object({ user_id: id }),
  /** A built-in endpoint for rules. It responds with 200 immediately unless it is configured otherwise. */
  InboxOpened: z.object({ user_id: id, inbox_id: id, token_hash: hash, sealed_token: sealed, created_at: moment }),
  InboxChanged: z.object({
    user_id: id,
    inbox_id: id,
    answer: inboxAnswer.optional(),
    /** Milliseconds before it responds. */
    delay_ms: z.int().min(0).optional(),
  }),
  InboxClosed: z.object({ user_id: id, inbox_id: id }),
  /** The address that receives alerts in addition to the owner's email. Null: none. */
  AlertWebhookSet: z.object({
    user_id: id,
    webhook_url: z.string().nullable(),
    /** The secret that signs these calls from now on. If absent, the secret stays. It ends with the address. */
    sealed_secret: sealed.optional(),
  }),
  BankAccountChanged: z.object({
    user_id: id,
    bank_account_id: id,
    is_active: z.union([z.literal(0), z.literal(1)]),
  }),
}

type Schemas = typeof accountEvents
export type AccountEventData = { [Type in keyof Schemas]: z.infer<Schemas[Type]> }
export type AccountEvent = { [Type in keyof Schemas]: { type: Type; data: AccountEventData[Type] } }[keyof Schemas]

export const accountStream = (userId: number): string => `account-${userId}`
