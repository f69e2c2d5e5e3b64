// Tests: tests/unit/domain/reader/corpus.test.ts
/**
 * Reads a text that no layout matches, by the labels that any bank may print (`TK`, `So tien`, `SD`, `ND` …). This is less certain
 * than a layout, so it has stricter conditions: one amount with a sign or a direction word, before any balance and before the
 * memo; an account or a balance; a currency; no other sum that could be the amount; no word that casts doubt on the movement.
 * Otherwise the text is not read.
 *
 * The payer can write everything after a memo's label, and everything after a balance without a label of its own. None of it
 * counts as a statement about money.
 */
import { contradicts, movedBy } from './amount.ts'
import type { Bank } from '../banks/bank.ts'
import { findCounterpart } from './counterpart.ts'
import { ANY_BANK, DOUBT, DOUBT_BEFORE } from './any-bank.ts'
import { labelsIn, opensCell, opensLikeMemo, opensRow, type Labelled } from './labels.ts'
import { CUT, endOfWords, NOTIFICATION_AT_MOST, type Page } from './page.ts'
import { CURRENCY_CODE, CURRENCY_SIGN, readNumber } from './printed-money.ts'
import { timeIn } from './printed-time.ts'
import type { Reading } from './reading.ts'
import { saysFailedBehind } from './rejection.ts'
import { findReferences } from './references.ts'
import {
  BEGINS,
  PERSON,
  SIGNED,
  TIME_ALONE,
  UNSIGNED,
  withSignFirst,
  isNotYet,
  isSum,
  listen,
  type Groups,
  type LabelValues,
} from './label-values.ts'

const PHRASE_START = '(?<=(?:^|[\\n.:]|da|vua|dich|gd|co) ?)'
const PHRASE_END = '(?= ?(?:[:.,;\\n]|$))'
/** Before an account's number, `ghi co` and `ghi no` are labels of the other party's account. */
const NO_ACCOUNT = '(?! ?:? ?[0-9x*]{4})'
/**
 * Phrases that say the direction of a sum without a sign. Not those within other words: `credit card`, `nap tien vao vi`, `ben nhan tien`, `da nhan
 * lenh`, `duoc cong 5 diem`, and the name Tang.
 */
const CREDIT_WORD = new RegExp(
  `\\b(?:ghi co\\b${NO_ACCOUNT}|${PHRASE_START}(?:tien vao\\b|nhan tien(?: tu\\b|(?: thanh cong)?${PHRASE_END}))|(?:da nhan(?: duoc)?|duoc cong|credit(?:ed)?|tang)${PHRASE_END})`,
)
const DEBIT_WORD = new RegExp(
  `\\b(?:ghi no\\b${NO_ACCOUNT}|(?:tien ra|chuyen tien di|bi tru)\\b|(?:debit(?:ed)?|giam)${PHRASE_END})`,
)

/**
 * Splits the labels at the memo's label. `GD:` labels a memo if an amount precedes it, and either a balance too or no number follows it. Without a
 * colon, it begins a sentence of the bank: `GD bi huy`.
 */
const splitAtMemo = (shadow: string, labelled: readonly Labelled[]) => {
  // It is searched once: a text may have hundreds of labels `GD`.
  let firstAmount: number | undefined
  const hasAmount = (before: number): boolean => {
    firstAmount ??= shadow.search(SIGNED)
    return firstAmount >= 0 && firstAmount < before
  }
  const index = labelled.findIndex(
    ({ field, at, start, end }, n) =>
      field === 'content' ||
      (field === 'amount' &&
        /^gd ?:/.test(shadow.slice(at, start)) &&
        hasAmount(at) &&
        (labelled.slice(0, n).some((other) => other.field === 'balance') ||
          !/^[^a-z]{0,4}\d/.test(shadow.slice(start, end)))),
  )
  return index < 0
    ? { before: labelled, memo: null, behind: [] }
    : { before: labelled.slice(0, index), memo: labelled[index] ?? null, behind: labelled.slice(index + 1) }
}

const startOfMemo = (labelled: readonly Labelled[]): number | undefined =>
  labelled.find(({ field }) => field === 'content')?.at

/** Where the first label of a page begins. Its end if it has none. */
export const startOfLabels = (page: Page): number => labelsIn(page, ANY_BANK)[0]?.at ?? page.text.length

/** The part of a page before its memo. Null if no label begins one. */
export const beforeMemo = (page: Page): Page | null => {
  const end = startOfMemo(labelsIn(page, ANY_BANK))
  return end === undefined ? null : { text: page.text.slice(0, end), shadow: page.shadow.slice(0, end) }
}

/** After a balance that follows the memo: the end of the text, or the bank's telephone number. */
const AFTER_BALANCE = /^[ .]{0,3}(?:$|[\n|]|(?:(?:chi tiet )?lh|lien he|hotline|tong dai)(?![a-z]))/

/**
 * The memo ends at a label that opens a line or a cell, or at a balance that ends the text. If the memo's own label opens a line or a cell, so
 * do the bank's other labels, and a balance within the memo's line is the payer's. So is a label within the memo's line that the bank printed
 * before.
 */
const endOfMemo = (
  { shadow }: Page,
  { memo, before, behind }: { memo: Labelled; before: readonly Labelled[]; behind: readonly Labelled[] },
): { end: number; balance: Groups | null } => {
  const opensLike = opensLikeMemo(shadow, memo.at)
  const printed = new Set(before.map(({ field }) => field))
  for (const { field, at, start } of behind) {
    const opens = (opensLike ?? ((place) => opensRow(shadow, place)))(at)
    if ((opensLike && !opens) || (printed.has(field) && !opensRow(shadow, at))) continue
    const rest = shadow.slice(start)
    if (field === 'balance') {
      const found = BEGINS.exec(withSignFirst(rest))
      if (found?.groups && isSum(found.groups) && AFTER_BALANCE.test(rest.slice(found[0].length)))
        return { end: at, balance: found.groups }
    }
    if (field === 'amount' || field === 'account') break
    if (opens && ['balance', 'ref', 'date', 'status', 'end', 'other', 'fee'].includes(field))
      return { end: at, balance: null }
  }
  return { end: shadow.length, balance: null }
}

/**
 * Whether the last number of a text, without its currency, may have been shortened by the end of the text or by a cut: `150` or `150 0` of
 * 150 000. `1,000.` is complete.
 */
const mayBeHalf = ({ shadow }: Page, { behind, number = '' }: Groups): boolean => {
  const end = shadow.replace(/(?<![ .;,|…~])[ .;,|…~]+$/, '')
  const isLast = end.endsWith(number) || end.replace(/ \d{1,2}$/, '').endsWith(number)
  return !behind && isLast && !/,\d{3}\.$/.test(shadow)
}

const says = (words: RegExp, left: string): boolean => {
  const found = words.exec(left)
  return found !== null && !isNotYet(left.slice(0, found.index))
}

const directionOf = ({ amounts, direction, left }: LabelValues): 'credit' | 'debit' | null => {
  const [amount] = amounts
  const signed = amount && (amount.plus !== undefined ? 'credit' : 'debit')
  if (signed) return contradicts(signed, direction) ? null : signed
  const [come, gone] = [CREDIT_WORD, DEBIT_WORD].map((words) => says(words, left))
  return come === gone ? null : come ? 'credit' : 'debit'
}

/** Words of an outgoing transfer whose receiver was credited: `VND 150,000 has been credited to the beneficiary`. */
const RECEIVERS =
  /beneficiar|recipient|receiver|nguoi (?:nhan|(?:thu )?huong)|\b(?:your|fund) transfer\b|\bcredited to (?!(?:your|a\/?c|acc(?:ount)?|tk|tai khoan)(?![a-z]))/

/** Such words say so even beside a plus sign: `+150,000VND da duoc ghi co vao TK nguoi huong`. */
const TO_ANOTHER = /vao (?:tk|tai khoan) (?:cua )?(?:nguoi|ben) (?:nhan|(?:thu )?huong)|\byour transfer of\b/

const same = (several: readonly Groups[]): boolean => new Set(several.map(({ number }) => number)).size === 1

/** A number of up to 18 digits. Without a limit, a text of nothing but groups would be searched to its end from each of them. */
const SPACED_NUMBER = '[1-9]\\d{0,2}(?: \\d{3}){1,5}(?!\\d)'
/** After its bank printed `VND` or a sign, such a number is never followed by digits of something else. */
const SPACED_OF_BANK = new RegExp(
  // The first digits are looked for first, because looking behind from every character takes long.
  `(?=[1-9]\\d{0,2} \\d{3})(?:(?<=[+-] ?|(?:${CURRENCY_CODE}|so du(?: hien thoi)?|sd) ?:? ?)${SPACED_NUMBER}|` +
    `(?<![\\d.,])${SPACED_NUMBER}(?=(?:\\.\\d{2})? ?(?:${CURRENCY_CODE})))`,
  'g',
)
/**
 * In other banks' texts, it must begin after a sign, a label or a currency, and its currency or the end of its sentence must follow.
 * Otherwise `10:30 100 000 VND` would be thirty million, and a memo that begins with three digits would belong to the amount.
 */
const SPACED = new RegExp(
  `(?<=[+-] ?|[a-z] ?:? ?)(?<![a-z0-9]x)${SPACED_NUMBER}` +
    `(?=(?:\\.\\d{2})? ?(?:(?:${CURRENCY_CODE}|${CURRENCY_SIGN})(?![a-z])|[.,;|)\\n](?!\\d)|$))`,
  'g',
)
const MARKED_THOUSANDS = /\d[.,]\d{3}(?!\d)/
/** Numbers of a bank that prints only such ones are looked for in this many characters. A number is not cut there. */
const SPACED_WITHIN = 1_000

const withCommas = (number: string): string => number.replaceAll(' ', ',')

/**
 * Replaces blanks between thousands by commas in a text of a bank that prints no other numbers. The length stays the same.
 * @returns the page with another shadow
 */
export const withoutBlanksOfBank = <Printed extends Page>(page: Printed): Printed => {
  const { shadow } = page
  const rest = /^[\d ]{1,24}/.exec(shadow.slice(SPACED_WITHIN, SPACED_WITHIN + 24))?.[0] ?? ''
  const end = SPACED_WITHIN + rest.length
  return { ...page, shadow: shadow.slice(0, end).replace(SPACED_OF_BANK, withCommas) + shadow.slice(end) }
}

/**
 * Like `withoutBlanksOfBank`, for any bank. A bank that marks thousands does not also print blanks between them.
 * @param headEnd  the beginning of the memo, where a payer may write any number
 */
const withoutSpacedThousands = (page: Page, bank: { spacedThousands?: boolean }, headEnd: number): Page => {
  if (bank.spacedThousands) return withoutBlanksOfBank(page)
  if (MARKED_THOUSANDS.test(page.shadow.slice(0, headEnd))) return page
  return { ...page, shadow: page.shadow.replace(SPACED, withCommas) }
}

const OPENS_WITH_LABEL = /^(?:[a-z.]+ ){0,3}[a-z.]+ ?:/

/**
 * The bank's text in which it prints its time. Without a label of the memo, the lines after the balance are the memo, unless they begin with a
 * label and a colon, or are a time alone.
 * @param balanceAt  the position of the balance. Undefined if there is none.
 */
const withoutUnlabelledMemo = (head: string, balanceAt: number | undefined): string => {
  const end = balanceAt === undefined ? -1 : head.indexOf('\n', balanceAt)
  if (end < 0) return head
  const behind = head.slice(end + 1).split('\n')
  const isBanks = (line: string) => TIME_ALONE.test(line) || OPENS_WITH_LABEL.test(line)
  return [head.slice(0, end), ...behind.filter(isBanks)].join('\n')
}

/**
 * Without a label of the memo, a payer may have written after the balance: `DH1042 con lai se chuyen sau`. These are not words of the bank.
 * @param balanceAt  the position of the balance. Undefined if there is none.
 */
const withoutPayersPlan = (head: string, balanceAt = head.length): string =>
  head.slice(0, balanceAt) + head.slice(balanceAt).replaceAll('se chuyen', '')

/**
 * The start of the memo. Only a time may precede its label in its line. A label within a line after that of the balance is the payer's
 * (`DH1042 ND: DH2000`), and the whole line is the memo.
 */
const startOfContent = (shadow: string, memo: Labelled, balanceAt: number | undefined): number => {
  const line = shadow.lastIndexOf('\n', memo.at) + 1
  const isBehindBalance = balanceAt !== undefined && balanceAt < line
  return isBehindBalance && !opensCell(shadow, memo.at) && !TIME_ALONE.test(shadow.slice(line, memo.at))
    ? line
    : memo.start
}

const showsDecimals = ({ number = '' }: Groups): boolean => readNumber(number, null)?.cents ?? false

/**
 * The part of a balance that the payer may have written. Without a label of the memo, the memo follows the balance, and may begin with a number or a
 * currency: `222,772,047.100 USD`, `1,107.16 dong tien`. No bank prints decimals at the balance alone. A label of the memo may be the payer's too,
 * if words stand before it: `222,772,047.000. d DH1042|ND: DH2000`. Then a currency behind decimals contradicts that of the amount, but gives it none.
 * @param given.isNamed  whether the bank prints a currency at the amount or the account
 */
const mayBePayers = (
  balance: LabelValues['balances'][number],
  { amount, memo, isNamed }: { amount: Groups; memo: Labelled | null; isNamed: boolean },
) => {
  const decimals = showsDecimals(balance.groups) && !showsDecimals(amount)
  if (memo) return { decimals: false, currency: !balance.isAlone || (decimals && !isNamed) }
  return { decimals, currency: decimals || !balance.isClosed }
}

/**
 * Whether a name before the amount may have the labels of the amount and of the memo: then another sum with a label stands in what looks like the
 * memo. `Nguoi gui: A So tien: +9,999,999VND ND: B. So tien: +150,000VND`
 */
const mayBeInName = (
  { shadow }: Page,
  { before, behind }: { before: readonly Labelled[]; behind: readonly Labelled[] },
  amountAt: number,
): boolean =>
  before.some(({ field, at, start }) => field === 'other' && at < amountAt && PERSON.test(shadow.slice(at, start))) &&
  behind.some(({ field, start, end }) => field === 'amount' && shadow.slice(start, end).search(SIGNED) === 0)

/** Whether the bank says after the memo that nothing moved: in a line of its own, or at the label of the status. */
const saysNothingMoved = ({ shadow }: Page, memo: Labelled, behind: readonly Labelled[], memoEnd: number): boolean =>
  saysFailedBehind(shadow.slice(memo.start)) ||
  behind.some(
    ({ field, at, start, end }) =>
      field === 'status' && at >= memoEnd && DOUBT.test(shadow.slice(start, end).split('\n')[0] ?? ''),
  )

/**
 * @param bank  the bank of the text. Its code and name go into the reading.
 * @returns null if direction, amount or currency is uncertain in any way
 */
export const readByLabels = (
  given: Page,
  bank: Pick<Bank, 'code' | 'name'> & { spacedThousands?: boolean },
  arrivedAt: Date,
): Reading | null => {
  if (given.text.length > NOTIFICATION_AT_MOST) return null
  const labelled = labelsIn(given, ANY_BANK)
  const page = withoutSpacedThousands(given, bank, startOfMemo(labelled) ?? given.text.length)
  const { before, memo, behind } = splitAtMemo(page.shadow, labelled)
  const headEnd = memo?.at ?? page.shadow.length
  const found = listen(page, before, headEnd)
  const head = page.shadow.slice(0, headEnd)
  const isDoubted = DOUBT.test(memo ? head : withoutPayersPlan(head, found.balances[0]?.at))
  // Without diacritics, a gift (`tặng`) and a rise (`tăng`) are the same word, as are `hủy` and the name Huy, `lỗi` and the name Lợi.
  if (found.doubtful || isDoubted || /tặng|h(?:ủy|uỷ)|lỗi/i.test(page.text.slice(0, headEnd))) return null
  if (DOUBT_BEFORE.test(head.slice(0, found.firstAmountAt))) return null

  const sums = found.amounts.length > 0 ? found.amounts : found.unsigned
  const [amount] = sums
  if (!amount || sums.length > 1 || (found.amounts.length > 0 && found.unsigned.length > 0)) return null
  if (UNSIGNED.test(found.left) || mayBeInName(page, { before, behind }, found.firstAmountAt)) return null
  const tail = memo ? endOfMemo(page, { memo, before, behind }) : { end: page.shadow.length, balance: null }
  if (memo && saysNothingMoved(page, memo, behind, tail.end)) return null
  const first = found.balances.find(({ available }) => !available) ?? found.balances[0]
  if (first && first.at < found.firstAmountAt) return null
  const printed = first?.groups ?? tail.balance
  // Text after the memo's label is the payer's, whatever number ends it. A balance after the memo ends the text.
  const isLast = !memo || printed === tail.balance
  const named = [amount.ahead, amount.before, amount.behind, found.accountCurrency]
  const payers = first ? mayBePayers(first, { amount, memo, isNamed: named.some(Boolean) }) : null
  const balance = printed && !payers?.decimals && !(isLast && mayBeHalf(page, printed)) ? printed : null
  if (!found.account && !balance) return null
  const others = found.balances.filter(({ available }) => available === first?.available).map(({ groups }) => groups)
  if (others.length > 1 && !same(others)) return null
  if (!memo && !printed && mayBeHalf(page, amount)) return null

  const moved = movedBy({
    direction: directionOf(found),
    amount: amount.number,
    balance: balance?.number === undefined ? null : { sign: balance.sign, number: balance.number },
    currencies: [...named, balance?.before, payers?.currency ? undefined : balance?.behind],
    silentCurrency: null,
  })
  if (!moved || (balance && moved.balance === null)) return null
  const receivers = amount.plus?.includes('+') ? TO_ANOTHER : RECEIVERS
  if (moved.direction === 'credit' && receivers.test(head)) return null
  const start = memo ? startOfContent(page.shadow, memo, first?.at) : 0
  const content = (memo && page.text.slice(start, tail.end).replace(/(?<![ \n|])[ \n|]+$/, '').replaceAll('\n', ' ')) || null // prettier-ignore
  const references = findReferences(content ?? '', found.ref)
  const printedIn = memo && start === memo.start ? head : withoutUnlabelledMemo(head, first?.at)
  return {
    bank_code: bank.code,
    bank_name: bank.name,
    read_by: 'labels',
    layout: null,
    transaction_type: moved.direction,
    amount: moved.amount,
    currency: moved.currency,
    account_number: found.account,
    account_name: null,
    balance_after: moved.balance,
    printed_time: timeIn(
      printedIn,
      arrivedAt,
      printedIn.length === page.text.length ? endOfWords(page.text) : Infinity,
    ),
    transaction_ref: references.best,
    references: references.all,
    ...findCounterpart(null, content ?? '', moved.direction),
    content,
    cut: CUT.test(content ?? '') || CUT.test(page.text),
  }
}
