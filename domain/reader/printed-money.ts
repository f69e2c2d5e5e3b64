/** Money as banks print it: `+1,500,000VND`, `-62.000 đ`, `VND 20,000`, `1,123.00 USD`. Works on shadows (`text.ts`). */
import type { Money } from '../money.ts'

/**
 * A number with its separators. A dot or comma without a group of digits after it is not part of the number. `5 000 000` is none, so
 * that no layout reads it as 5 and a memo.
 */
export const NUMBER = '(?!\\d{1,3}(?: \\d{3})+(?!\\d))\\d{1,15}(?:[.,]\\d{3}(?!\\d))*(?:[.,]\\d{2}(?!\\d))?(?!\\d)'

/** After a number without its currency: more digits of it, after a blank. Two digits may begin a date. */
export const MORE_DIGITS = ',? \\d{3}(?![\\d:/h-])|[.,]\\n\\d{3}(?!\\d)| \\d{1,3}[.,]\\d{3}'

/** Codes that are neither names nor words of Vietnamese. */
const FOREIGN =
  'usd|eur|jpy|gbp|aud|sgd|cad|chf|cny|hkd|krw|thb|nzd|twd|dkk|sek|nok|myr|inr|lak|khr|php|idr|rub|bnd|mmk|aed|sar|zar|brl|mxn|pln|czk|huf'

/** A currency code, before or after a number. `d` is the shadow of `đ` and `₫`. */
export const CURRENCY_CODE = `vnd|${FOREIGN}`
export const CURRENCY_SIGN = '(?:dong|d)(?![a-z0-9])'

/**
 * After a number: one currency or another, so that the amount is in neither for certain: `VND/USD`. After `VND` and a blank a memo may
 * begin: `VND / USD`.
 */
export const EITHER_CURRENCY = `(?:\\.? ?(?:${CURRENCY_CODE}|${CURRENCY_SIGN})/| ?/ ?)(?:${CURRENCY_CODE})(?![a-z])`
/** The same, or with blanks or a bracket. This is only for texts with labels, in which no memo begins there. */
export const TWO_CURRENCIES = `(?:\\.? ?(?:${CURRENCY_CODE}|${CURRENCY_SIGN}))? ?/ ?(?:${CURRENCY_CODE})(?![a-z])|\\.? ?(?:${CURRENCY_CODE}|${CURRENCY_SIGN}) ?\\(? ?(?:${FOREIGN})(?![a-z])`

/** `vnd`, `d`, `dong` → `VND`. Others become their ISO code. */
export const currencyNamed = (printed: string): string =>
  printed === 'vnd' || printed === 'd' || printed === 'dong' ? 'VND' : printed.toUpperCase()

export interface PrintedNumber {
  value: Money
  /** Whether decimals were printed. If a bank prints no currency, they are the only hint that it is not dong. */
  cents: boolean
  /** False if a third decimal was printed and dropped (BIDV has printed balances such as `5,637,054.592`). */
  exact: boolean
}

const DIGITS_AT_MOST = 15

const number = (whole: string, decimals: string): PrintedNumber | null =>
  whole.length > DIGITS_AT_MOST
    ? null
    : {
        value: `${whole.startsWith('0') ? whole.replace(/^0+(?=\d)/, '') : whole}.${decimals.slice(0, 2) || '00'}`,
        cents: decimals !== '',
        exact: decimals.length < 3,
      }

/** A number whose thousands all have the same separator. */
const GROUPED = /^[1-9]\d{0,2}(?:(?:\.\d{3})+|(?:,\d{3})+)$/

/**
 * The number that a printed text means. Null if it is ambiguous: `222,77`, or `1.500` in a currency with cents.
 * @param currency  ISO code. Null if none is printed.
 */
export const readNumber = (printed: string, currency: string | null): PrintedNumber | null => {
  const lastAt = Math.max(printed.lastIndexOf('.'), printed.lastIndexOf(','))
  if (lastAt < 0) return number(printed, '')

  const last = printed.slice(lastAt + 1)
  const lastMark = printed.charAt(lastAt)
  const firstAt = printed.search(/[.,]/)
  const firstMark = printed.charAt(firstAt)
  // Three digits are thousands, unless the thousands before them use another separator.
  const hasDecimals = last.length === 2 || (last.length === 3 && firstMark !== lastMark)
  const whole = hasDecimals ? printed.slice(0, lastAt) : printed
  const hasThousands = firstAt < whole.length
  if (hasThousands && (!GROUPED.test(whole) || (hasDecimals && firstMark === lastMark))) return null
  // `222,77` is more likely the beginning of 222,772,047 than a number with a decimal comma.
  if (hasDecimals && lastMark === ',' && !hasThousands) return null
  const mayBeDecimals = !hasDecimals && firstAt === lastAt && lastMark === '.'
  if (mayBeDecimals && currency !== null && currency !== 'VND') return null
  return number(whole.replaceAll(firstMark, ''), hasDecimals ? last : '')
}
