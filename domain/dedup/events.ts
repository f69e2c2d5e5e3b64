// Tests: tests/unit/domain/dedup/window.test.ts
/** The recent notifications of one user and bank: stream `book-<user>-<bank>`, kept for seven days. It contains no text. */
import { z } from 'zod'
import { decimal, id, moment } from '../fields.ts'

/** How long a notification is kept, in seconds. */
export const DEDUP_RETENTION_S = 7 * 86_400

/** The fields of a notification that are compared: its printed values, its source and its time. */
const sighting = {
  /** SMS of one device, pushes of one app on one device, a mailbox, or the personal URL. */
  source: z.string(),
  /** The time that the phone or mail states itself. */
  stamp: moment.nullable(),
  arrived_at: moment,
  /** First 16 bytes of the SHA-256 of the normalised text, base64url. */
  fingerprint: z.string(),
  /** Checks of the text's beginnings, which identify a cut version of the text: `text-marks.ts`. */
  marks: z.string(),
  /** Number of characters before the cut mark if the sender cut the text off, else null. Of a long SMS whose order id may lack its end: all. */
  cut_at: z.int().nullable(),
  direction: z.enum(['credit', 'debit']),
  amount: decimal,
  currency: z.string(),
  /** As printed, masked digits included. */
  account_number: z.string().nullable(),
  balance: decimal.nullable(),
  references: z.array(z.object({ kind: z.string(), value: z.string() })),
  /** A date without a time counts as no time. */
  printed_time: z.object({ at: moment, precision: z.enum(['second', 'minute']) }).nullable(),
  order_id: z.string().nullable(),
  /** The user's prefix that the order id matched. An order id without one, or in a cut memo, is a guess and has none here. */
  prefix: z.string().nullable(),
  /** Hash of the normalised content, computed like `fingerprint`. */
  content_hash: z.string().nullable(),
  /** Hash of a mail's Message-ID, computed like `fingerprint`. */
  message_id_hash: z.string().optional(),
}

export const dedupEvents = {
  NotificationSeen: z.object({
    /** The record of this notification. */
    transaction_id: id,
    verdict: z.enum(['new', 'copy']),
    /**
     * Record of the first notification of the same event. Null if this is the first. If it equals `transaction_id`, that
     * notification was sent again with another stamp.
     */
    copy_of: id.nullable(),
    ...sighting,
  }),
}

export type NotificationSeen = z.infer<typeof dedupEvents.NotificationSeen>
export type Sighting = Omit<NotificationSeen, 'transaction_id' | 'verdict' | 'copy_of'>

export const dedupStream = (userId: number, bankCode: string): string => `book-${userId}-${bankCode}`
