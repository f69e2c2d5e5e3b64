/** What goes into the reader and what comes out of it. */

/**
 * A notification as it arrived: the text and the fields around it.
 *
 * Presence and value of `title`, `sender` and `package` are separate facts (decisions, "Trust", T1). Undefined: the field was not given.
 * The empty string: it was given, and its value is not known, because it was blank, an unfilled placeholder such as `%from%`, or two
 * values that differ. An unknown value is never trusted.
 */
export interface Incoming {
  text: string
  /** Title of an app push; at some banks the amount stands only there. The sender, where an SMS app showed the text. */
  title?: string | undefined
  /** SMS sender. */
  sender?: string | undefined
  /** Android package of the app that showed it. */
  package?: string | undefined
  /** Mail's From and Subject. */
  from?: string | undefined
  subject?: string | undefined
}

/** A time the bank printed; a bare day is no time. */
export interface PrintedTime {
  /** ISO 8601 UTC; for `day` its midnight in Vietnam. */
  at: string
  precision: 'second' | 'minute' | 'day'
  /** False where the year was taken from the arrival. */
  year_printed: boolean
}

/** A bank's reference: two are comparable only where label or shape is the same. */
export interface Reference {
  /** Its label or shape, such as `MBVCB`, `FT`, `Trace`, `Ma GD`, `dotted`. */
  kind: string
  value: string
}

/** What the bank said. Money as in `money.ts`; null where the text does not print it. */
export interface Reading {
  bank_code: string
  bank_name: string
  /** A layout of that bank, or labels that any bank may print: less certain of everything but amount and direction. */
  read_by: 'layout' | 'labels'
  /** Channel that the layout tells: an SMS text, an app push, a mail; null where it does not tell. */
  layout: 'sms' | 'notification' | 'email' | null
  transaction_type: 'credit' | 'debit'
  amount: string
  currency: string
  /** As printed, masked digits included (`4240xxxx4584`). */
  account_number: string | null
  account_name: string | null
  balance_after: string | null
  printed_time: PrintedTime | null
  transaction_ref: string | null
  references: readonly Reference[]
  counterpart_account: string | null
  counterpart_name: string | null
  counterpart_bank: string | null
  /** What the bank prints as the memo, line breaks of a fixed column undone; null where the layout gives none. */
  content: string | null
  /** True where the text or content ends in a cut (`...`, `…`, `~`). */
  cut: boolean
}

/** Why a notification is no transaction (decisions, "Reasons"; the reader's own ones). */
export type NoTransaction =
  | 'otp' | 'promotion' | 'login' | 'bill' | 'failed' | 'reminder' | 'statement' | 'balance_only' | 'chat'
  | 'test_message' | 'placeholder' | 'empty' | 'ping' | 'unparsed' // prettier-ignore

export type ReadResult = { reading: Reading; reason: null } | { reading: null; reason: NoTransaction }
