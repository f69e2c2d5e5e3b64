// Tests: tests/unit/domain/reader/reader.test.ts
/** Turns the money values that a layout or label matched into certain values. An uncertain value gives null, and the text stays unread. */
import type { Money } from '../money.ts'
import { currencyNamed, readNumber } from './printed-money.ts'

/** Direction, amount and currency are certain. */
export interface Moved {
  direction: 'credit' | 'debit'
  amount: Money
  currency: string
  balance: Money | null
}

export interface Printed {
  direction: 'credit' | 'debit' | null
  /** Digits and separators. */
  amount: string | undefined
  balance: { sign: string | undefined; number: string } | null
  /** All currencies printed at the amount, balance or account, as printed. Undefined where none is printed. */
  currencies: readonly (string | undefined)[]
  /**
   * The currency of an account without a printed currency, unless printed cents show that it is another one. Null: the text is
   * then not read.
   */
  silentCurrency: string | null
}

const balanceOf = (printed: Printed['balance'], currency: string): Money | null => {
  const number = printed && readNumber(printed.number, currency)
  if (!number) return null
  return printed.sign === '-' && !/^[0.]*$/.test(number.value) ? `-${number.value}` : number.value
}

/** Cents in the amount or balance are the only hint that an account is not in the silent currency. */
const showsCents = (amount: { cents: boolean }, printed: Printed['balance']): boolean => {
  const balance = printed && readNumber(printed.number, null)
  return amount.cents || (printed !== null && (!balance || balance.cents))
}

/** At the beginning of words beside a sum: its direction. Not that of a `credit card` or a `credit transfer`. */
const SAYS_CREDIT = /^(?:ghi co|tien vao|credit(?:ed)?(?! (?:card|limit|note|transfer)))(?![a-z])/
const SAYS_DEBIT = /^(?:ghi no|tien ra|debit(?:ed)?(?! (?:card|note)))(?![a-z])/

/**
 * Whether the words beside a sum say the other direction than its sign: `Ghi nợ` beside `+150,000`.
 * @param words  in shadow form
 */
export const contradicts = (sign: 'credit' | 'debit', words: string): boolean =>
  (sign === 'credit' ? SAYS_DEBIT : SAYS_CREDIT).test(words)

/** The only currency that is printed, `several`, or null if none is. */
const currencyIn = (printed: Printed['currencies']): string | null => {
  let only: string | null = null
  for (const name of printed) {
    if (name === undefined) continue
    const currency = currencyNamed(name)
    if (only !== null && only !== currency) return 'several'
    only = currency
  }
  return only
}

/** Null if direction, amount or currency is uncertain: none, two different ones, zero, a third decimal. */
export const movedBy = (printed: Printed): Moved | null => {
  const named = currencyIn(printed.currencies)
  const currency = named ?? printed.silentCurrency
  if (!printed.direction || !currency || named === 'several' || printed.amount === undefined) return null
  const amount = readNumber(printed.amount, currency)
  if (!amount?.exact || amount.value === '0.00') return null
  if (named === null && showsCents(amount, printed.balance)) return null
  return { direction: printed.direction, amount: amount.value, currency, balance: balanceOf(printed.balance, currency) }
}
