// Tests: tests/unit/domain/reader/reader.test.ts
/** Input and output of the reader. */

/**
 * A notification as it arrived: the text and the fields around it.
 *
 * Presence and value of `title`, `sender` and `package` are separate facts (decisions, "Trust", T1). Undefined: the field was not
 * given. The empty string: the field was given, but its value is unknown, because it was blank, an unfilled placeholder such as
 * `%from%`, or two different values. An unknown value is never trusted.
 */
export interface Incoming {
  text: string
  /** Title of an app push. At some banks, only the title contains the amount. If an SMS app showed the text, it is the sender. */
  title?: string | undefined
  /** SMS sender. */
  sender?: string | undefined
  /** Android package of the app that showed it. */
  package?: string | undefined
  /** From and Subject of a mail. */
  from?: string | undefined
  subject?: string | undefined
}

/** A time that the bank printed. A date without a time counts as no time. */
export interface PrintedTime {
  /** ISO 8601 UTC. For `day`, the midnight in Vietnam. */
  at: string
  precision: 'second' | 'minute' | 'day'
  /** False if the year comes from the arrival time. */
  year_printed: boolean
}

/** A bank's reference. Two references are comparable only if their label or shape is the same. */
export interface Reference {
  /** Its label or shape, such as `MBVCB`, `FT`, `Trace`, `Ma GD`, `dotted`. */
  kind: string
  value: string
}

/** The values that the bank printed. Money as in `money.ts`. Null if the text does not print a value. */
export interface Reading {
  bank_code: string
  bank_name: string
  /** A layout of that bank, or labels that any bank may print. With labels, everything except amount and direction is less certain. */
  read_by: 'layout' | 'labels'
  /** The channel that the layout implies: an SMS text, an app push, a mail. Null if it implies none. */
  layout: 'sms' | 'notification' | 'email' | null
  transaction_type: 'credit' | 'debit'
  amount: string
  currency: string
  /** As printed, masked digits included (`4240xxxx4584`). */
  account_number: string | null
  account_name: string | null
  balance_after: string | null
  printed_time: PrintedTime | null
  /**
   * Given if that time stands in the memo. A payer may write one there too, so it is never compared with that of another notification.
   * `beside_day`: the bank prints the day elsewhere, and the time fits it.
   */
  time_in_memo?: 'alone' | 'beside_day'
  transaction_ref: string | null
  references: readonly Reference[]
  counterpart_account: string | null
  counterpart_name: string | null
  counterpart_bank: string | null
  /** The memo as the bank prints it, with line breaks of a fixed column undone. Null if the layout has no memo. */
  content: string | null
  /** The memo if none of its breaks is a blank of the payer's. Given if that is another one: `DH1042 AB` may be `DH1042AB`. */
  joined_content?: string
  /** True if the text or content ends in a cut mark (`...`, `…`, `~`). */
  cut: boolean
}

/** Why a notification is not a transaction (decisions, "Reasons": those that the reader itself gives). */
export type NoTransaction =
  | 'otp' | 'promotion' | 'login' | 'bill' | 'failed' | 'reminder' | 'statement' | 'balance_only' | 'chat'
  | 'test_message' | 'placeholder' | 'empty' | 'ping' | 'unparsed' // prettier-ignore

export type ReadResult = { reading: Reading; reason: null } | { reading: null; reason: NoTransaction }
