/** What the table of banks is made of: a bank is a row of data, its layouts are patterns (`pattern.ts`). */
import { compilePattern } from './pattern.ts'

export interface Layout {
  pattern: string
  expression: RegExp
  /** A word that is in every text of this layout, in shadow form. */
  word: string
  /** The channel it tells; null where SMS and app push look alike. */
  channel: 'sms' | 'notification' | null
  /** Whether it is so much this bank's own that it counts without a sender or package that names the bank. */
  standsAlone: boolean
  /** Currency of an account that this layout prints without one, as long as no cents are printed; null: unread then. */
  silentCurrency: string | null
  /** Where the bank breaks a long memo with a blank or a line end, in characters; null where it does not. */
  breaksAt: number | null
}

export interface Bank {
  code: string
  name: string
  /** SMS sender names, compared upper-case and without blanks. */
  senders: readonly string[]
  /** Android packages of its apps, compared as they are. */
  packages: readonly string[]
  /** Tried in this order; the first that fits is read. */
  layouts: readonly Layout[]
}

const layout = (channel: Layout['channel'], strings: TemplateStringsArray): Layout => {
  const pattern = strings[0] ?? ''
  return { pattern, ...compilePattern(pattern), channel, standsAlone: true, silentCurrency: null, breaksAt: null }
}

/** A layout of the bank's SMS. */
export const sms = (strings: TemplateStringsArray): Layout => layout('sms', strings)

/** A layout of its app's push; the title, where it matters, stands as the first line. */
export const push = (strings: TemplateStringsArray): Layout => layout('notification', strings)

/** A layout that the SMS and the push share. */
export const smsOrPush = (strings: TemplateStringsArray): Layout => layout(null, strings)

/** Too plain to tell the bank by: counts only when the sender or the package does. */
export const whenBankIsKnown = (of: Layout): Layout => ({ ...of, standsAlone: false })

/** Prints no currency for an account in this one; cents in amount or balance show that it is another. */
export const silentCurrency = (currency: string, of: Layout): Layout => ({ ...of, silentCurrency: currency })

/** Its core puts a blank or line end into the memo after every so many characters, also inside words. */
export const breaksAt = (column: number, of: Layout): Layout => ({ ...of, breaksAt: column })

/** A row of the table. */
export const bank = (
  code: string,
  name: string,
  { senders = [], packages = [], layouts = [] }: Partial<Pick<Bank, 'senders' | 'packages' | 'layouts'>>,
): Bank => ({ code, name, senders, packages, layouts })
