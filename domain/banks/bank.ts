// Tests: tests/unit/domain/reader/corpus.test.ts
/** The building blocks of the table of banks. A bank is a row of data. Its layouts are patterns (`pattern.ts`) or tables of labels. */
import { compilePattern, type CompiledPattern } from '../reader/pattern.ts'
import { compileLabels, type LabelNames, type LabelTable } from '../reader/labels.ts'

export type Channel = 'sms' | 'notification' | 'email'

export interface Layout {
  pattern: string
  compiled: CompiledPattern
  /** The channel that it implies. Null if SMS and app push look alike. */
  channel: Channel | null
  /** Whether it is so specific to this bank that it needs no sender or package that names the bank. */
  standsAlone: boolean
  /** Currency of an account that this layout prints without one, unless cents are printed. Null: the text is then unread. */
  silentCurrency: string | null
  /** After how many characters the bank breaks a long memo with a blank or a line end. Null if it does not. */
  breaksAt: number | null
  /** Whether the balance is the last value that it prints. */
  endsInBalance: boolean
}

/** A mail that is a table of labels and values, in whatever form its cells arrived (`mail-table.ts`). */
export interface MailTable {
  labels: LabelTable
  /** A phrase that identifies this mail, in shadow form. Its words may be on two lines. */
  phrase: RegExp
  /** Fixed if the bank sends this mail for one direction only. Null if sign or words show it. */
  direction: 'credit' | 'debit' | null
  /** The value precedes its label. */
  valueFirst: boolean
  /** The bank puts the time into the memo. */
  timeInMemo: boolean
  /** Each label begins its line or cell, or follows the same label in another language, so words of sentences are not labels. */
  byLines: boolean
  /** Whether no advertisement contains the phrase. Otherwise the table must also print the time of day. */
  isDistinctive: boolean
  /** Words of the bank in its values that mean that the money came back or never went, in shadow form. Null if a sign or a word shows the direction. */
  unless: RegExp | null
}

export interface Bank {
  code: string
  name: string
  /** SMS sender names, compared in upper case and without blanks. */
  senders: readonly string[]
  /** Android packages of its apps, compared exactly. */
  packages: readonly string[]
  /** Domains of its mails. Their subdomains count too. */
  domains: readonly string[]
  /** Other names at the beginning of its texts. Its own name and those of its senders need no entry. */
  names: readonly string[]
  /** Tried in this order. The first match counts. */
  layouts: readonly Layout[]
  /** Tables in its mails, tried before the mail's sentences. */
  tables: readonly MailTable[]
  /** Its memo stands where others print the amount, so a text that no layout matches is not read by labels. */
  onlyLayouts: boolean
  /** Prints `1 234 567` for thousands. */
  spacedThousands: boolean
  /**
   * Its app also shows chats, so a push may contain a person's words. `titles` matches those of its pushes about money, in shadow
   * form. `withName` matches such a title that ends in the payer's name: a chat may have the same title, so its text is kept but not read.
   * Null: no chats.
   */
  chats: { titles: RegExp; withName?: RegExp } | null
}

const layout = (channel: Layout['channel'], strings: TemplateStringsArray): Layout => {
  const pattern = strings[0] ?? ''
  return {
    pattern,
    compiled: compilePattern(pattern, channel === 'email' ? 'anywhere' : 'whole'),
    channel,
    standsAlone: channel !== 'email',
    silentCurrency: null,
    breaksAt: null,
    endsInBalance: /\{balance[^}]*\}$/.test(pattern),
  }
}

/** A layout of the bank's SMS. */
export const sms = (strings: TemplateStringsArray): Layout => layout('sms', strings)

/** A layout of its app's push. If the title matters, it is the first line. */
export const push = (strings: TemplateStringsArray): Layout => layout('notification', strings)

/** A layout that SMS and push share. */
export const smsOrPush = (strings: TemplateStringsArray): Layout => layout(null, strings)

/** A sentence in the bank's mail, with any text before and after it. A mail is trusted only after its domain is proved. */
export const mailSentence = (strings: TemplateStringsArray): Layout => layout('email', strings)

/** Marks a layout that is too generic to identify the bank. It counts only if the sender or the package does. */
export const whenBankIsKnown = (of: Layout): Layout => ({ ...of, standsAlone: false })

/** Marks a layout that prints no currency for an account in this one. Cents in amount or balance show that it is another. */
export const silentCurrency = (currency: string, of: Layout): Layout => ({ ...of, silentCurrency: currency })

/** Marks a layout whose bank inserts a blank or line end into the memo after so many characters, also inside words. */
export const breaksAt = (column: number, of: Layout): Layout => ({ ...of, breaksAt: column })

/** In mails about payments by card, which print no sign: a payment that came back, or one to the card. */
export const NO_CARD_PAYMENT = /hoan (?:tien|tra)|(?:huy|dao) (?:giao dich|gd)|ghi co|du no|\brefund|\brevers|\bcancel/

/**
 * A table in the bank's mail.
 * @param phrase  a phrase that only this mail of the bank contains, without diacritics
 * @param labels  the bank's name of each field, without diacritics, in each language. See `labels.ts`.
 */
export const mailTable = (
  phrase: string,
  labels: LabelNames,
  options: Partial<Omit<MailTable, 'labels' | 'phrase'>> = {},
): MailTable => ({
  phrase: new RegExp(phrase.toLowerCase().replace(/ /g, '[ \\n]')),
  labels: compileLabels(labels),
  direction: null,
  valueFirst: false,
  timeInMemo: false,
  byLines: false,
  isDistinctive: true,
  unless: null,
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
