/** What the table of banks is made of: a bank is a row of data, its layouts are patterns (`pattern.ts`) or tables of labels. */
import { compilePattern } from '../reader/pattern.ts'
import { compileLabels, type LabelTable } from '../reader/labels.ts'

export type Channel = 'sms' | 'notification' | 'email'

export interface Layout {
  pattern: string
  expression: RegExp
  /** A word that is in every text of this layout before its memo, in shadow form. */
  word: string
  /** The channel it tells; null where SMS and app push look alike. */
  channel: Channel | null
  /** Whether it is so much this bank's own that it counts without a sender or package that names the bank. */
  standsAlone: boolean
  /** Currency of an account that this layout prints without one, as long as no cents are printed; null: unread then. */
  silentCurrency: string | null
  /** Where the bank breaks a long memo with a blank or a line end, in characters; null where it does not. */
  breaksAt: number | null
  /** Whether the balance is the last that it prints. */
  endsInBalance: boolean
}

/** A mail that is a table of labels and values, however its cells came through (`mail-table.ts`). */
export interface MailTable {
  labels: LabelTable
  /** A phrase that tells this mail, in shadow form; its words may stand on two lines. */
  tells: RegExp
  /** Fixed where the bank sends this mail only for one; null where sign or words tell. */
  direction: 'credit' | 'debit' | null
  /** The value stands before its label. */
  valueFirst: boolean
  /** The bank puts the time into the memo. */
  timeInMemo: boolean
}

export interface Bank {
  code: string
  name: string
  /** SMS sender names, compared upper-case and without blanks. */
  senders: readonly string[]
  /** Android packages of its apps, compared as they are. */
  packages: readonly string[]
  /** Domains that its mails come from; those below them count too. */
  domains: readonly string[]
  /** Other names with which its texts begin; its name and its senders' are known anyway. */
  names: readonly string[]
  /** Tried in this order; the first that fits is read. */
  layouts: readonly Layout[]
  /** Tables in its mails, tried before the mail's sentences. */
  tables: readonly MailTable[]
  /** Its memo stands where others print the amount: a text that no layout fits is not read by its labels. */
  onlyLayouts: boolean
  /** Prints `1 234 567` for thousands. */
  spacedThousands: boolean
  /** Its app also shows chats, so a push may hold a person's words; `titles`: those of its pushes about money, in shadow form. Null: no chats. */
  chats: { titles: RegExp } | null
}

const layout = (channel: Layout['channel'], strings: TemplateStringsArray): Layout => {
  const pattern = strings[0] ?? ''
  return {
    pattern,
    ...compilePattern(pattern, channel === 'email' ? 'anywhere' : 'whole'),
    channel,
    standsAlone: channel !== 'email',
    silentCurrency: null,
    breaksAt: null,
    endsInBalance: /\{balance[^}]*\}$/.test(pattern),
  }
}

/** A layout of the bank's SMS. */
export const sms = (strings: TemplateStringsArray): Layout => layout('sms', strings)

/** A layout of its app's push; the title, where it matters, stands as the first line. */
export const push = (strings: TemplateStringsArray): Layout => layout('notification', strings)

/** A layout that the SMS and the push share. */
export const smsOrPush = (strings: TemplateStringsArray): Layout => layout(null, strings)

/** A sentence in the bank's mail, with anything before and behind it: a mail's domain is proved before it is believed. */
export const mailSentence = (strings: TemplateStringsArray): Layout => layout('email', strings)

/** Too plain to tell the bank by: counts only when the sender or the package does. */
export const whenBankIsKnown = (of: Layout): Layout => ({ ...of, standsAlone: false })

/** Prints no currency for an account in this one; cents in amount or balance show that it is another. */
export const silentCurrency = (currency: string, of: Layout): Layout => ({ ...of, silentCurrency: currency })

/** Its core puts a blank or line end into the memo after every so many characters, also inside words. */
export const breaksAt = (column: number, of: Layout): Layout => ({ ...of, breaksAt: column })

/**
 * A table in the bank's mail.
 * @param tells  a phrase of this mail and of no other of the bank, without diacritics
 * @param labels  what the bank calls each field, without diacritics, each language; see `labels.ts`
 */
export const mailTable = (
  tells: string,
  labels: Parameters<typeof compileLabels>[0],
  options: Partial<Pick<MailTable, 'direction' | 'valueFirst' | 'timeInMemo'>> = {},
): MailTable => ({
  tells: new RegExp(tells.toLowerCase().replace(/ /g, '[ \\n]')),
  labels: compileLabels(labels),
  direction: null,
  valueFirst: false,
  timeInMemo: false,
  ...options,
})

type Row = Partial<
  Pick<
    Bank,
    'senders' | 'packages' | 'domains' | 'names' | 'layouts' | 'tables' | 'onlyLayouts' | 'spacedThousands' | 'chats'
  >
>

/** A row of the table. */
export const bank = (code: string, name: string, row: Row): Bank => ({
  code,
  name,
  senders: [],
  packages: [],
  domains: [],
  names: [],
  layouts: [],
  tables: [],
  onlyLayouts: false,
  spacedThousands: false,
  chats: null,
  ...row,
})
