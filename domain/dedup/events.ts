/** What one user's bank has told lately: stream `book-<user>-<bank>`, kept for seven days. No text is in it. */
import { z } from 'zod'

const id = z.int().positive()
const moment = z.iso.datetime()
const decimal = z.string().regex(/^-?\d+\.\d{2}$/)

/** How long a notification is remembered, seconds. */
export const BOOK_RETENTION_S = 7 * 86_400

/** What is compared of a notification: what it printed, where it came from, and when. */
const sighting = {
  /** One device's SMS, one device's pushes of one app, a mailbox, or the personal URL. */
  source: z.string(),
  /** The phone's or mail's own time. */
  stamp: moment.nullable(),
  arrived_at: moment,
  /** Of the normalised text: SHA-256, its first 16 bytes, base64url. */
  fingerprint: z.string(),
  /** Checks on the text's beginnings, by which a cut of it is known again: `text-marks.ts`. */
  marks: z.string(),
  /** Characters before the cut mark of a text that the sender cut off, else null. */
  cut_at: z.int().nullable(),
  direction: z.enum(['credit', 'debit']),
  amount: decimal,
  currency: z.string(),
  /** As printed, masked digits included. */
  account_number: z.string().nullable(),
  balance: decimal.nullable(),
  references: z.array(z.object({ kind: z.string(), value: z.string() })),
  /** A bare day is no time. */
  printed_time: z.object({ at: moment, precision: z.enum(['second', 'minute']) }).nullable(),
  order_id: z.string().nullable(),
  /** The user's prefix that the order id hit; an order id without one is a guess. */
  prefix: z.string().nullable(),
  /** Of the normalised content, as `fingerprint`. */
  content_hash: z.string().nullable(),
  /** Of a mail's Message-ID, as `fingerprint`. */
  message_id_hash: z.string().optional(),
}

export const bookEvents = {
  NotificationSeen: z.object({
    /** The record of this very notification. */
    transaction_id: id,
    verdict: z.enum(['new', 'copy']),
    /** Record of the first notification of the same event; null where this is the first. */
    copy_of: id.nullable(),
    ...sighting,
  }),
}

export type NotificationSeen = z.infer<typeof bookEvents.NotificationSeen>
export type Sighting = Omit<NotificationSeen, 'transaction_id' | 'verdict' | 'copy_of'>

export const bookStream = (userId: number, bankCode: string): string => `book-${userId}-${bankCode}`
