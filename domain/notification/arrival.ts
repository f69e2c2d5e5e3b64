/** A notification at the door, before anything is known about it. */
import type { SourceType, WebhookStatus } from '../transaction/events.ts'
import type { Incoming } from './reading.ts'

export interface Arrival {
  /** What proves whose it is: a device's token, or the token in the personal URL. */
  credential: { kind: 'device' | 'receive_url'; token: string }
  incoming: Incoming
  /** How it was posted; null where the body did not tell (personal URL). */
  posted_as: 'sms' | 'notification' | null
  /** The phone's or mail's own time, where it gave one. */
  stamp: Date | null
  arrived_at: Date
  /** Known at the door to be no transaction: longer than any bank's text. */
  ignored_as?: 'too_long'
  /** The body as it came, or its item of a batch, for `raw_data`. */
  raw: string
}

/** What became of it (interface section 4, `/api/receive/*`). */
export type Taken =
  | { kind: 'transaction'; id: number; webhook_status: WebhookStatus; source_type: SourceType }
  | { kind: 'ignored'; reason: string }
  | { kind: 'unauthorized' }
