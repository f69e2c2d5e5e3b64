/**
 * From a notification to what the bank said. Choose the bank (by app, by sender, else by the text), try its layouts in order, put
 * the first that fits together; what no layout fits gets the reason why it is no transaction. Nothing is guessed: without a certain
 * direction, amount and currency a text is `unparsed`, which is far better than wrong.
 */
import type { Bank, Layout } from './bank.ts'
import { banks } from './banks/index.ts'
import { findCounterpart } from './counterpart.ts'
import { bankNamedBy, isStranger, senderOf, smsApps } from './directory.ts'
import { undoBreaks } from './line-breaks.ts'
import { currencyNamed, readNumber } from './printed-money.ts'
import { readPrintedTime } from './printed-time.ts'
import type { Incoming, NoTransaction, Reading, ReadResult } from './reading.ts'
import { findReferences } from './references.ts'
import { saysFailed, whyNoTransaction } from './rejection.ts'
import { normalise, shadowOf, squeeze } from '../text.ts'

/** Characters of a text that are read; the rest is kept, not read (decisions, "Limits of sizes"). */
const READ_AT_MOST = 32 * 1024

/** A text and its shadow, of the same length. */
interface Page {
  text: string
  shadow: string
}

const pageOf = (text: string): Page => {
  const whole = squeeze(normalise(text.slice(0, READ_AT_MOST)).slice(0, READ_AT_MOST))
  return { text: whole, shadow: shadowOf(whole) }
}

const withTitle = (title: Page, body: Page): Page => ({
  text: `${title.text}\n${body.text}`,
  shadow: `${title.shadow}\n${body.shadow}`,
})

type Groups = Record<string, string | undefined>

/** The one currency that is printed; null where none is, or two that differ. */
const printedCurrency = (groups: Groups): { currency: string | null; certain: boolean } => {
  const printed = [
    groups.amount_currency,
    groups.amount_unit,
    groups.currency,
    groups.balance_currency,
    groups.balance_unit,
  ].filter((name) => name !== undefined)
  const named = new Set(printed.map(currencyNamed))
  return { currency: [...named][0] ?? null, certain: named.size === 1 }
}

const directionOf = (groups: Groups): 'credit' | 'debit' | null =>
  groups.plus !== undefined ? 'credit' : groups.minus !== undefined ? 'debit' : null

const readBalance = (groups: Groups, currency: string): string | null => {
  const number = groups.balance === undefined ? null : readNumber(groups.balance, currency)
  if (!number) return null
  return groups.balance_sign === '-' && !/^[0.]*$/.test(number.value) ? `-${number.value}` : number.value
}

/** Amount, direction, currency and balance; null where one of the first three is not certain. */
const readMoney = (groups: Groups, layout: Layout) => {
  const direction = directionOf(groups)
  const printed = printedCurrency(groups)
  const currency = printed.currency ?? layout.silentCurrency
  if (!direction || !currency || groups.amount === undefined) return null
  if (printed.currency && !printed.certain) return null
  const amount = readNumber(groups.amount, currency)
  if (!amount?.exact || amount.value === '0.00') return null
  if (!printed.currency) {
    const balance = groups.balance === undefined ? null : readNumber(groups.balance, null)
    if (amount.cents || (groups.balance !== undefined && (!balance || balance.cents))) return null
  }
  return { direction, currency, amount: amount.value, balance: readBalance(groups, currency) }
}

const memoOf = (printed: string | undefined, layout: Layout): string | null => {
  if (printed === undefined) return null
  const whole = layout.breaksAt === null ? printed : undoBreaks(printed, layout.breaksAt)
  return whole.replaceAll('\n', ' ').trim() || null
}

const CUT = /(?:\.{3}|…|~)$/

/** What the layout makes of the page; null where it does not fit or leaves something uncertain. */
const readBy = (
  layout: Layout,
  bank: Bank,
  page: Page,
  arrivedAt: Date,
): { reading: Reading; header: string } | null => {
  if (!page.shadow.includes(layout.word)) return null
  const match = layout.expression.exec(page.shadow)
  const groups: Groups | undefined = match?.groups
  if (!match || !groups) return null
  const money = readMoney(groups, layout)
  if (!money) return null

  /** As written, in the bank's own case: from the text, where the shadow matched. */
  const asWritten = (field: string): string | undefined => {
    const place = match.indices?.groups?.[field]
    return place && page.text.slice(...place)
  }
  const content = memoOf(asWritten('content'), layout)
  const labelled = asWritten('ref')
  const references = findReferences(content ?? '', labelled && !CUT.test(labelled) ? labelled : null)
  const reading: Reading = {
    bank_code: bank.code,
    bank_name: bank.name,
    layout: layout.channel,
    transaction_type: money.direction,
    amount: money.amount,
    currency: money.currency,
    account_number: groups.account ?? null,
    account_name: null,
    balance_after: money.balance,
    printed_time: readPrintedTime(groups, arrivedAt),
    transaction_ref: references.best,
    references: references.all,
    ...findCounterpart(asWritten('counterpart') ?? null, content ?? '', money.direction),
    content,
    cut: CUT.test(content ?? '') || CUT.test(page.text),
  }
  return { reading, header: groups.header ?? '' }
}

interface Candidate {
  bank: Bank
  layout: Layout
}

const candidatesOf = (bank: Bank): Candidate[] => bank.layouts.map((layout) => ({ bank, layout }))
const known = new Map(banks.map((bank) => [bank.code, candidatesOf(bank)]))
const standingAlone = banks.flatMap(candidatesOf).filter(({ layout }) => layout.standsAlone)

/** The first reading of a bank's own layouts; of all banks' layouts the only one, null where two banks could have said it. */
const readPage = (page: Page, bank: Bank | null, arrivedAt: Date): { reading: Reading; header: string } | null => {
  if (bank) {
    for (const { layout } of known.get(bank.code) ?? []) {
      const found = readBy(layout, bank, page, arrivedAt)
      if (found) return found
    }
    return null
  }
  let only: { reading: Reading; header: string } | null = null
  for (const candidate of standingAlone) {
    if (only?.reading.bank_code === candidate.bank.code) continue
    const found = readBy(candidate.layout, candidate.bank, page, arrivedAt)
    if (found && only) return null
    only ??= found
  }
  return only
}

const no = (reason: NoTransaction): ReadResult => ({ reading: null, reason })

/**
 * Reads one notification.
 *
 * The bank is the one whose app or SMS sender it came from, and then only its layouts count; where neither is known, the text must be
 * unmistakable. Whether the source may be believed is not judged here (`directory.ts`). Mails have no layouts yet.
 *
 * @param incoming  as it arrived; an SMS app's title is taken for the sender
 * @param arrivedAt  stands in for a year that is not printed
 * @returns the reading, or the reason why there is none; `unparsed` where a later layout may read it
 */
export const read = (incoming: Incoming, arrivedAt: Date): ReadResult => {
  const body = pageOf(incoming.text)
  if (body.text === '') return no('empty')
  if (incoming.package && isStranger(incoming.package)) return no('chat')

  const isSmsApp = incoming.package !== undefined && smsApps.has(incoming.package)
  const title = incoming.title && !isSmsApp ? pageOf(incoming.title) : null
  const bank = bankNamedBy(incoming)
  const found =
    incoming.from !== undefined
      ? null
      : (readPage(body, bank, arrivedAt) ?? (title && readPage(withTitle(title, body), bank, arrivedAt)))
  if (found) {
    return saysFailed(`${title?.shadow ?? ''}\n${found.header}`)
      ? no('failed')
      : { reading: found.reading, reason: null }
  }
  const around = [incoming.subject ? pageOf(incoming.subject).shadow : '', title?.shadow ?? '']
  return no(whyNoTransaction([...around, body.shadow].filter(Boolean).join('\n'), senderOf(incoming)))
}
