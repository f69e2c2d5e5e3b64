// Tests: tests/unit/domain/reader/corpus.test.ts
/** Reads a text with a bank's layout (`pattern.ts`). */
import { movedBy, type Moved, type Printed } from './amount.ts'
import type { Bank, Layout } from '../banks/bank.ts'
import { findCounterpart } from './counterpart.ts'
import { isInsideWord, undoBreaks, withoutColumns, type Joins } from './line-breaks.ts'
import { CUT, type Page } from './page.ts'
import type { PatternMatch } from './pattern.ts'
import { mayLackItsYear, readPrintedTime, REST_OF_YEAR, type DateParts } from './printed-time.ts'
import type { Reading, Reference } from './reading.ts'
import { saysFailedBehind } from './rejection.ts'
import { acrossBreaks, findReferences, mayLackItsEnd } from './references.ts'
import { normalise, seenIn, squeeze, startOfEnd } from '../text.ts'

/** A reading, and the text before it, in shadow form. */
export interface Found {
  reading: Reading
  header: string
}

const balanceIn = (match: PatternMatch): Printed['balance'] => {
  const number = match.value('balance')
  if (number !== undefined) return { sign: match.value('balance_sign') ?? match.value('balance_inner_sign'), number }
  const available = match.value('available')
  if (available === undefined) return null
  return { sign: match.value('available_sign') ?? match.value('available_inner_sign'), number: available }
}

const moneyIn = (match: PatternMatch, { silentCurrency }: Layout): Moved | null =>
  movedBy({
    direction: match.value('plus') !== undefined ? 'credit' : match.value('minus') !== undefined ? 'debit' : null,
    amount: match.value('amount'),
    balance: balanceIn(match),
    currencies: [
      match.value('amount_before'), match.value('amount_currency'), match.value('amount_unit'), match.value('currency'),
      match.value('balance_currency'), match.value('balance_unit'),
      match.value('available_currency'), match.value('available_unit'),
    ], // prettier-ignore
    silentCurrency,
  })

/**
 * The memo at the end of a text in another form, with its runs of blanks and its invisible characters, also those that it begins with.
 * @param whole  the text, which ends in the memo
 */
const memoIn = (whole: string, memo: string): string => {
  let at = startOfEnd(whole, memo)
  while (at > 0 && whole[at - 1] !== '\n' && seenIn(whole[at - 1]!) === 0) at--
  // Of the blanks before it, the first one is the bank's.
  return whole.slice(whole[at] === ' ' ? at + 1 : at)
}

/**
 * The payer's own runs of blanks and invisible characters shift the columns, and so do letters that are composed now. So the memo as it arrived is
 * tried first.
 */
const withoutBreaks = (page: Page, memo: string, column: number, joins: Joins): string => {
  const joinsWords = (before: string, after: string) => joins(normalise(before), normalise(after.slice(0, column)))
  for (const form of page.text.endsWith(memo) ? [page.uncomposed, page.loose] : []) {
    const whole = form === undefined ? null : withoutColumns(memoIn(form, memo), column, joinsWords)
    if (whole !== null) return squeeze(normalise(whole))
  }
  return undoBreaks(memo, column, joins)
}

const memoOf = (page: Page, printed: string | undefined, { breaksAt }: Layout, joins: Joins): string | null => {
  if (printed === undefined) return null
  const whole = breaksAt === null ? printed : withoutBreaks(page, printed, breaksAt, joins)
  const memo = whole.replaceAll('\n', ' ').trim()
  return /[\p{L}\p{N}]/u.test(memo) ? memo : null
}

/** Takes the value from the text, in the bank's own case, at the position where the shadow matched. */
const asWritten = ({ text }: Page, range: readonly [number, number] | undefined): string | undefined =>
  range && text.slice(...range)

/** The text before a memo, including a header, is never longer than this. */
const OPENING_AT_MOST = 1_000

/** A cheap check whether the layout can match at all. */
const mayFit = ({ channel, compiled }: Layout, { shadow }: Page): boolean => {
  const opening = channel === 'email' ? shadow : shadow.slice(0, OPENING_AT_MOST)
  return compiled.words.every((word) => opening.includes(word))
}

/**
 * Whether the label of the reference follows the memo in its line, so that the payer may have written it. A bar between them is the bank's
 * only if the bank also puts bars before the memo.
 */
const isBehindMemo = ({ text }: Page, match: PatternMatch): boolean => {
  const memo = match.range('content')
  const ref = match.range('ref')
  if (memo === undefined || ref === undefined || memo[1] > ref[0]) return false
  const between = text.slice(memo[1], ref[0])
  return !between.includes('\n') && !(between.includes('|') && text.slice(0, memo[0]).includes('|'))
}

/** References of banks do not have this form. It is an order id that the payer has put after such a label: `mua hang Ma giao dich: DH1042`. */
const LIKE_ORDER_ID = /^[a-z]{2,10}\d{1,20}$/i

/** Where the memo is. It includes a reference that is the payer's. */
const rangeOfMemo = (page: Page, match: PatternMatch): readonly [number, number] | undefined => {
  const memo = match.range('content')
  const ref = match.range('ref')
  const isPayers = memo && ref && isBehindMemo(page, match) && LIKE_ORDER_ID.test(page.text.slice(...ref))
  return isPayers ? [memo[0], ref[1]] : memo
}

/** Whether a line after the first one of the memo says that nothing happened. The end of its last line may not be part of the memo. */
const saysFailedWithin = ({ shadow }: Page, [start, end]: readonly [number, number]): boolean => {
  const memo = shadow.slice(start, end)
  return memo.includes('\n') && saysFailedBehind(memo + (shadow.slice(end).split('\n', 1)[0] ?? ''))
}

/**
 * Whether the memo precedes the amount. If such a text lacks its end, a sum in the memo (`+9,999,999VND SD 9,999,999VND`) would be its last one
 * and pass for the amount.
 */
const isBeforeAmount = (match: PatternMatch): boolean => {
  const memo = match.range('content')
  const amount = match.range('amount')
  return memo !== undefined && amount !== undefined && memo[0] < amount[0]
}

/**
 * The references that are compared with those of other notifications.
 * @param joined  the memo without any of its breaks
 */
const comparedIn = (joined: string | null, { breaksAt }: Layout, all: readonly Reference[]) =>
  breaksAt === null || all.length === 0 ? all : acrossBreaks(all, joined ?? '')

/** The printed day, unless it ends the text and may lack its own end: `vao 10:00 20/11/20`. */
const timeOf = ({ text }: Page, match: PatternMatch, { pattern }: Layout): DateParts => {
  const parts: DateParts = {
    day: match.value('day'),
    month: match.value('month'),
    year: match.value('year'),
    hour: match.value('hour'),
    minute: match.value('minute'),
    second: match.value('second'),
  }
  const isLast = (part: 'year' | 'month') => REST_OF_YEAR.test(text.slice(match.range(part)?.[1]))
  return mayLackItsYear(parts, isLast) && pattern.includes('yyyy') ? {} : parts
}

/** Reads the page with the layout. Null if the layout does not match, or leaves a value uncertain. */
export const readByLayout = (layout: Layout, bank: Bank, page: Page, arrivedAt: Date): Found | null => {
  if (!mayFit(layout, page)) return null
  const match = layout.compiled.match(page.shadow)
  if (!match) return null
  const money = moneyIn(match, layout)
  if (!money) return null

  if (isBeforeAmount(match) && mayLackItsEnd(page.loose ?? page.text)) return null
  // If a balance without a currency ends the text, and the layout expects more text, the number may be incomplete.
  const balanceEnd = match.range('balance')?.[1]
  const balance =
    layout.endsInBalance || match.value('balance_unit') || balanceEnd !== page.text.length ? money.balance : null
  const range = rangeOfMemo(page, match)
  // Where a bank breaks its memo, any words may begin a line.
  if (range && layout.breaksAt === null && saysFailedWithin(page, range)) return null
  const memo = asWritten(page, range)
  const content = memoOf(page, memo, layout, isInsideWord)
  const joined = layout.breaksAt === null ? content : memoOf(page, memo, layout, () => true)
  const ref = match.range('ref')
  const labelled = range?.[1] === ref?.[1] ? undefined : asWritten(page, ref)
  const whole = labelled && !CUT.test(labelled) ? labelled.replace(/\.$/, '') : null
  const isApart = !isBehindMemo(page, match)
  const references = findReferences(content ?? '', whole, isApart)
  const counterpart = findCounterpart(
    asWritten(page, match.range('counterpart')) ?? null,
    content ?? '',
    money.direction,
  )
  const reading: Reading = {
    bank_code: bank.code,
    bank_name: bank.name,
    read_by: 'layout',
    layout: layout.channel,
    transaction_type: money.direction,
    amount: money.amount,
    currency: money.currency,
    account_number: asWritten(page, match.range('account')) ?? null,
    account_name: null,
    balance_after: balance,
    printed_time: readPrintedTime(timeOf(page, match, layout), arrivedAt),
    transaction_ref: references.best,
    references: comparedIn(joined, layout, references.all),
    counterpart_account: counterpart.counterpart_account,
    counterpart_name: counterpart.counterpart_name,
    counterpart_bank: counterpart.counterpart_bank,
    content,
    ...(joined !== null && joined !== content && { joined_content: joined }),
    cut: CUT.test(content ?? '') || CUT.test(page.text),
  }
  return { reading, header: match.value('header') ?? page.shadow.slice(0, match.index) }
}
