// Tests: tests/unit/domain/transaction/capture.test.ts
/** A notification on the receive path, before it is checked. */
import { hashOfToken, userOfToken } from '../account/tokens.ts'
import type { SourceType, WebhookStatus } from '../transaction/events.ts'
import type { Unsafe } from './events.ts'
import type { MailHeaders } from '../mail-trust/mail-trust.ts'
import type { Incoming } from '../reader/reading.ts'

/** A device's token, the token in the personal URL, or a scoped key with `receive`, as presented. It is not verified yet. */
export interface ShownToken {
  kind: 'device' | 'receive_url' | 'api_key'
  /** The user that the token names. */
  user_id: number
  /** SHA-256 of the token. */
  token_hash: string
}

/** @returns null if the text does not have the form of such a token */
export const shownToken = (kind: ShownToken['kind'], token: string): ShownToken | null => {
  const user_id = userOfToken(kind, token)
  return user_id === null ? null : { kind, user_id, token_hash: hashOfToken(token) }
}

/** Proves which account a notification belongs to. */
export type Credential =
  | ShownToken
  /** Collected from a mailbox of this user. */
  | { kind: 'mailbox'; user_id: number; mail_account_id: number }
  /** Kept unread when it arrived, and now read again. */
  | { kind: 'kept'; user_id: number; kept: KeptUnread }

/** The data of a notification that was kept. Its origin was judged when it arrived. */
export interface KeptUnread {
  notification_id: number
  source: string
  /** Too old to be sent to shops. */
  silent: boolean
  /** Only for a mail. */
  mail_hash?: string | undefined
  /** Its owner confirmed that it is genuine, although its body was unsafe. */
  confirmed?: boolean
}

export interface Arrival {
  credential: Credential
  incoming: Incoming
  /** How it was posted. Null if the body does not state it (personal URL). */
  posted_as: 'sms' | 'notification' | null
  /** The time that the phone or mail states itself, if any. */
  stamp: Date | null
  arrived_at: Date
  /** Only for a mail: the headers that describe its sender, and the Message-ID, which identifies it. */
  mail?: {
    headers: MailHeaders
    message_id: string | null
    /** The reasons for which this same mail is already listed as no transaction. */
    listed_as?: readonly string[]
  }
  /** Known on the receive path to be no transaction: longer than any bank's text, or a mail that its server never returned. */
  ignored_as?: 'too_long' | 'unreadable_mail'
  /** Why the text may have named its fields. The notification is kept, and does not become a transaction automatically. */
  unsafe?: Unsafe | undefined
  /** Its owner sends it from the dashboard, so it does not show that an app reports. */
  is_trial?: boolean
  /** The id of the request's trace. Default: a new one. */
  correlation_id?: string | undefined
  /** The raw body, or its item of a batch, for `raw_data`. */
  raw: string
}

/** The result for the sender (interface section 4, `/api/receive/*`). */
export type Taken =
  | { kind: 'transaction'; id: number; webhook_status: WebhookStatus; source_type: SourceType }
  | { kind: 'ignored'; reason: string }
  | { kind: 'unauthorized' }
