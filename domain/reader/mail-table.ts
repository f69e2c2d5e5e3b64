// Tests: tests/unit/domain/reader/mails.test.ts
/** Reads a mail that is a table of labels and values (`labels.ts`). */
import { contradicts, movedBy } from './amount.ts'
import type { Bank, MailTable } from '../banks/bank.ts'
import { labelsIn, opensCell, opensRow, type Field } from './labels.ts'
import { CUT, type Page } from './page.ts'
import { CURRENCY_CODE, CURRENCY_SIGN, NUMBER } from './printed-money.ts'
import { timeIn, timeInMemo } from './printed-time.ts'
import type { Reading } from './reading.ts'
import { findReferences } from './references.ts'
import { shadowOf } from '../text.ts'

/** `+10,000.00 VND`, `(VND) 20,000.00`, `- 50,000 VND`, `Ghi có +1.000 đ`. Matches from the start of the value. */
const MONEY = new RegExp(
  `^(?<word>ghi co|ghi no|tang|giam)?:? ?\\(?(?<before>${CURRENCY_CODE})?\\)? ?(?<sign>[+-])? ?` +
    `(?<number>${NUMBER})\\.? ?(?<behind>${CURRENCY_CODE}|${CURRENCY_SIGN})?(?![.,]?\\d)(?=[ .,;\\n]|$)`,
)
const ACCOUNT =
  /(?:(?:visa|mastercard|jcb|napas) )?(?:[0-9x*]{4}(?: [0-9x*]{4}){2,3}|[0-9x*]{2,24}(?:[.-]{1,3}[0-9x*]{1,24}){0,3})/gi
const COME = /^(?:ghi co|nhan|credit|tien vao)/
const GONE = /^(?:ghi no|chuyen|thanh toan|rut|debit|tien ra)/

interface Value {
  text: string
  shadow: string
}

/** Between a label and the cell that is its value. */
const NEXT_CELL = /^ ?:? ?\| ?$/

/** Between a label and the same label in another language. */
const OTHER_LANGUAGE = /^ ?[/(]? ?$/

/** Beside the memo, the other party's name is words of a stranger. */
const PARTIES: ReadonlySet<Field> = new Set(['from', 'from_name', 'to', 'to_name'])

/**
 * After the memo's label, only text that opens a line or a cell counts as a label, or a label that ends the table; and the cell after the
 * memo's label never does. If the memo's label opens its line, so do all labels after it, since a bar or a label in its line is the payer's.
 * The same holds for a party's label that opens its line. Only a table of no certain bank, which never reports a credit, may have several
 * columns.
 */
const outsideWords = (shadow: string, byLines: boolean) => {
  let words: { of: Field; end: number; opensLine: boolean } | null = null
  return (field: Field, at: number, end: number): boolean => {
    if (byLines && !opensCell(shadow, at) && !/[/(] ?$/.test(shadow.slice(Math.max(0, at - 2), at))) return false
    if (words !== null) {
      const between = shadow.slice(words.end, at)
      // A cell of its own may have the label in another language: `Noi dung | Details | tien nha`.
      const isSame = field === words.of && /^ ?\| ?\S/.test(shadow.slice(end, end + 4))
      if (NEXT_CELL.test(between) && !isSame) return false
      if (field === words.of && (isSame || OTHER_LANGUAGE.test(between))) {
        words.end = end
        return true
      }
      const isLabel = words.opensLine ? opensRow(shadow, at) : opensCell(shadow, at)
      if (!isLabel && (words.opensLine || !['content', 'status', 'end'].includes(field))) return false
    }
    const opensLine = !byLines && opensRow(shadow, at)
    words = field === 'content' || (opensLine && PARTIES.has(field)) ? { of: field, end, opensLine } : null
    return true
  }
}

const numberOf = ({ shadow }: Value): string | undefined => MONEY.exec(shadow)?.groups?.number

/** Longer than any sum. */
const SUM_AT_MOST = 60

const trimmed = (text: string): string => text.trim()

/** In a table with values before labels, a value is the single line above its label. The first value follows a whole letter. */
const lastLineIn = (text: string): string => text.trim().split('\n').at(-1)!.trim()

/** The beginning of the value after a label that ends at a position. */
const valueAt = ({ shadow }: Page, at: number): string => shadow.slice(at, at + SUM_AT_MOST).replace(/^[ \n:|*=]+/, '')

/**
 * The value of each field: that of its first label that has a value. Null if there are two different sums of one field after the memo or a
 * party, because the first one may be in it. Also null if a party's name stands within a line and another sum of the amount in the memo after
 * it: a name such as `A So tien 9,999,999 VND Noi dung B` has both labels.
 */
const valuesOf = (page: Page, { labels, valueFirst, byLines }: MailTable): Map<Field, Value> | null => {
  const values = new Map<Field, Value>()
  let hasPartyInLine = false
  const sumsInWords = new Set<string>()
  let before = 0
  let hasWords = false
  const behindWords = new Set<Field>()
  const isOutside = outsideWords(page.shadow, byLines)
  const counts = (field: Field, at: number, labelEnd: number): boolean => {
    if (valueFirst || isOutside(field, at, labelEnd)) return true
    const number = field === 'amount' ? numberOf({ text: '', shadow: valueAt(page, labelEnd) }) : undefined
    if (number !== undefined) sumsInWords.add(number)
    return false
  }
  for (const { field, at, start, end } of labelsIn(page, labels, counts)) {
    if (field === 'end' && !valueFirst) {
      // In the greeting, such words end nothing: `Ngân hàng Quốc Tế trân trọng thông báo`.
      if (values.size === 0) continue
      break
    }
    // `So the (Card number): …`
    const closed = byLines ? (/^\) ?:?\s?/.exec(page.shadow.slice(start, end))?.[0].length ?? 0) : 0
    const [from, to] = valueFirst ? [before, at] : [start + closed, end]
    before = start
    hasWords ||= field === 'content' || PARTIES.has(field)
    hasPartyInLine ||= !byLines && PARTIES.has(field) && !opensCell(page.shadow, at)
    const earlier = values.get(field)
    if (earlier && !behindWords.has(field)) continue
    const valueIn = valueFirst ? lastLineIn : trimmed
    const value = { text: valueIn(page.text.slice(from, to)), shadow: valueIn(page.shadow.slice(from, to)) }
    if (earlier) {
      const [one, other] = [numberOf(earlier), numberOf(value)]
      if (one !== undefined && other !== undefined && one !== other) return null
    } else if (/[\p{L}\p{N}]/u.test(value.text)) {
      values.set(field, value)
      if (hasWords) behindWords.add(field)
    }
  }
  const amount = values.get('amount')
  if (hasPartyInLine && amount) sumsInWords.delete(numberOf(amount) ?? '')
  return hasPartyInLine && sumsInWords.size > 0 ? null : values
}

const directionIn = (sign: string | undefined, word: string): 'credit' | 'debit' | null => {
  if (sign) return sign === '+' ? 'credit' : 'debit'
  return COME.test(word) || word === 'tang' ? 'credit' : GONE.test(word) || word === 'giam' ? 'debit' : null
}

/** The longest run of account characters, since a name may precede it. */
const accountIn = (value: Value | undefined): string | null => {
  const runs = value?.text.match(ACCOUNT) ?? []
  return runs.reduce<string | null>((longest, run) => (run.length > (longest?.length ?? 1) ? run : longest), null)
}

const lineOf = (value: Value | undefined): string | null =>
  value?.text.replaceAll('\n', ' ').replace(/(?<!\.\.)\.$/, '').trim() || null // prettier-ignore

/** The other party: `NGUYEN THU TRA - 0944999000`, or name, account and bank in separate rows. */
const otherSide = (values: Map<Field, Value>, side: 'from' | 'to') => {
  const printed = lineOf(values.get(side))
  const [, name, account] = /^(?:(.*?) - )?([0-9A-Z]{5,24})(?: - .*)?$/.exec(printed ?? '') ?? []
  return {
    counterpart_account: account ?? null,
    counterpart_name: lineOf(values.get(`${side}_name`)) ?? name ?? (account ? null : printed),
    counterpart_bank: lineOf(values.get(`${side}_bank`)),
  }
}

/** The line of an account or card number, which is neither money nor a time. */
const isAccountLine = (value: Value | undefined): boolean => {
  const [line = ''] = value?.shadow.split('\n') ?? []
  const { before, behind } = MONEY.exec(line)?.groups ?? {}
  return (
    (before ?? behind) === undefined &&
    /^[^:/,\d]{0,40}(?=[0-9x*. -]{4})[x*]*\d[0-9x*. -]{2,28}(?![0-9,])[^:/,]*$/.test(line)
  )
}

/** A greeting up to its end, in which each word of the owner's name begins with a capital letter. */
const GREETING = /(?:kinh gui|chao|dear)(?![a-z])[^,.!|\n]{0,80}/g
const NAME = /(?<!\p{L})\p{Lu}\p{L}*/gu

/** The text above the first label of the table, in shadow form. It ends in a value if values precede their labels. */
export const aboveTable = ({ text, shadow }: Page, { labels, byLines }: MailTable): string => {
  const labelled = labelsIn({ text, shadow }, labels, outsideWords(shadow, byLines))
  return shadow.slice(0, (labelled.find(({ field }) => field !== 'end') ?? labelled[0])?.at ?? 0)
}

/**
 * The bank's words at the beginning of a mail, in shadow form. The owner's name is left out, because it may be a word without its diacritics:
 * `PHONG TOA`, `TAM KHOA`.
 */
export const openingUpTo = ({ text, shadow }: Page, end: number): string =>
  shadow
    .slice(0, end)
    .replace(GREETING, (greeting, at: number) =>
      shadowOf(text.slice(at, at + greeting.length).replace(NAME, (word) => '.'.repeat(word.length))),
    )

/** The bank's words above the table. Empty if values precede their labels. */
export const openingOf = (page: Page, table: MailTable): string =>
  table.valueFirst ? '' : openingUpTo(page, aboveTable(page, table).length)

/** Words in the status, in shadow form: nothing moved, or not yet, or it came back. */
const FAILED_STATUS =
  /(?:khong|chua) (?:thanh cong|hoan (?:tat|thanh))|that bai|tu choi|loi|fail|declined|reject|cancel|pending|processing|being processed|cho (?:xu ly|duyet|xac nhan)|dang (?:duoc )?xu ly|hen gio|dat lich|schedul|huy|hoan (?:tra|tien|lai)|thu hoi|bi (?:treo|tra lai|dao)|revers|refund|void|on hold/

/** Words in the transaction type, in shadow form: the money did not go out, has yet to go, or came back. */
const RETURNED =
  /hoan (?:tien|tra)|\bhuy\b|\brefund|\brevers|\bcancel|\bdao giao dich|tuong lai|dat lich|dinh ky|\bschedul/

/**
 * Whether a table of no certain bank counts. If its values stand above their labels, the value after a label is never of its kind: no time, and no
 * account.
 */
const countsForAnyBank = (values: Map<Field, Value>, needs: readonly Field[], arrivedAt: Date): boolean =>
  needs.every((field) => isAccountLine(values.get(field))) &&
  timeIn(values.get('date')?.shadow.split('\n')[0] ?? '', arrivedAt) !== null &&
  !RETURNED.test(values.get('direction')?.shadow ?? '')

/**
 * @param needs  for a table of no certain bank: the accounts that it must have
 * @returns null if the mail is not this table, or direction, amount or currency is uncertain
 */
export const readByTable = (
  table: MailTable,
  bank: Bank,
  page: Page,
  arrivedAt: Date,
  needs?: readonly Field[],
): Reading | 'failed' | null => {
  if (!table.phrase.test(page.shadow)) return null
  const values = valuesOf(page, table)
  if (!values) return null
  if (needs && !countsForAnyBank(values, needs, arrivedAt)) return null
  if (FAILED_STATUS.test(values.get('status')?.shadow ?? '')) return 'failed'
  // A shop's name is not the bank's.
  if ([...values].some(([field, { shadow }]) => !PARTIES.has(field) && table.unless?.test(shadow))) return null
  const amount = MONEY.exec(values.get('amount')?.shadow ?? '')?.groups
  const balance = MONEY.exec(values.get('balance')?.shadow ?? '')?.groups
  // A number without a currency of its own may be incomplete.
  if (!amount || !(amount.before ?? amount.behind) || (balance && !(balance.before ?? balance.behind))) return null
  const words = amount.word ?? values.get('direction')?.shadow ?? ''
  const printed = directionIn(amount.sign, words)
  if (printed && ((table.direction && printed !== table.direction) || contradicts(printed, words))) return null
  const moved = movedBy({
    direction: printed ?? table.direction,
    amount: amount.number,
    balance: balance?.number === undefined ? null : { sign: balance.sign, number: balance.number },
    currencies: [amount.before, amount.behind, balance?.before, balance?.behind],
    silentCurrency: null,
  })
  if (!moved) return null
  const [own, other] = moved.direction === 'debit' ? (['from', 'to'] as const) : (['to', 'from'] as const)
  const content = lineOf(values.get('content'))
  const date = timeIn(values.get('date')?.shadow ?? '', arrivedAt)
  // An advertisement states a sum too, but no time of a payment.
  if (!table.isDistinctive && (date?.precision ?? 'day') === 'day') return null
  const inMemo = table.timeInMemo ? timeInMemo(content ?? '', date, arrivedAt) : null
  const labelled = /^[0-9a-z][0-9a-z./-]{3,40}$/i.exec(lineOf(values.get('ref')) ?? '')?.[0] ?? null
  const references = findReferences(content ?? '', labelled)
  return {
    bank_code: bank.code,
    bank_name: bank.name,
    read_by: 'layout',
    layout: 'email',
    transaction_type: moved.direction,
    amount: moved.amount,
    currency: moved.currency,
    // The account that a card charged counts before the card.
    account_number: accountIn(values.get(own)) ?? accountIn(values.get('account')),
    account_name: null,
    balance_after: moved.balance,
    printed_time: inMemo ?? date,
    ...(inMemo && { time_in_memo: date ? 'beside_day' : 'alone' }),
    transaction_ref: references.best,
    references: references.all,
    ...otherSide(values, other),
    content,
    cut: CUT.test(content ?? ''),
  }
}
