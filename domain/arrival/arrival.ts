/** A notification at the door, before anything is known about it. */
import { hashOfToken, userOfToken } from '../account/tokens.ts'
import type { SourceType, WebhookStatus } from '../transaction/events.ts'
import type { Unsafe } from './events.ts'
import type { MailHeaders } from '../mail-trust/mail-trust.ts'
import type { Incoming } from '../reader/reading.ts'

/** A device's token, the token in the personal URL, or a scoped key with `receive`, as it was shown: nothing is proved yet. */
export interface ShownToken {
  kind: 'device' | 'receive_url' | 'api_key'
  /** The user that the token names. */
  user_id: number
  /** SHA-256 of the token. */
  token_hash: string
}

/** @returns null where it has not the form of such a token */
export const shownToken = (kind: ShownToken['kind'], token: string): ShownToken | null => {
  const user_id = userOfToken(kind, token)
  return user_id === null ? null : { kind, user_id, token_hash: hashOfToken(token) }
}

/** What proves whose it is. */
export type Credential =
  | ShownToken
  /** Collected from a mailbox of this user. */
  | { kind: 'mailbox'; user_id: number; mail_account_id: number }
  /** Kept unread when it came, and read again. */
  | { kind: 'kept'; user_id: number; kept: KeptUnread }

/** What is known of a notification that was kept: where it came from was judged when it came. */
export interface KeptUnread {
  notification_id: number
  source: string
  /** Too old to be told to shops. */
  silent: boolean
  /** Of a mail. */
  mail_hash?: string | undefined
  /** Its owner says that it is genuine, although its body was unsafe. */
  confirmed?: boolean
}

export interface Arrival {
  credential: Credential
  incoming: Incoming
  /** How it was posted; null where the body did not tell (personal URL). */
  posted_as: 'sms' | 'notification' | null
  /** The phone's or mail's own time, where it gave one. */
  stamp: Date | null
  arrived_at: Date
  /** Of a mail: what is told of who sent it, and the Message-ID, by which it is known again. */
  mail?: {
    headers: MailHeaders
    message_id: string | null
    /** The reasons for which this very mail is listed already as no transaction. */
    listed_as?: readonly string[]
  }
  /** Known at the door to be no transaction: longer than any bank's text. */
  ignored_as?: 'too_long'
  /** Why its fields may have been named by the text: it is kept, and becomes no transaction by itself. */
  unsafe?: Unsafe | undefined
  /** The body as it came, or its item of a batch, for `raw_data`. */
  raw: string
}

/** What became of it (interface section 4, `/api/receive/*`). */
export type Taken =
  | { kind: 'transaction'; id: number; webhook_status: WebhookStatus; source_type: SourceType }
  | { kind: 'ignored'; reason: string }
  | { kind: 'unauthorized' }
