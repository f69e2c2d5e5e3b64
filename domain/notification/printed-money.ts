/** Money as banks print it: `+1,500,000VND`, `-62.000 đ`, `VND 20,000`, `1,123.00 USD`. Works on shadows (`text.ts`). */
import type { Money } from '../money.ts'

/** A number with its separators; a dot or comma that no group of digits follows is not part of it. */
export const NUMBER = '\\d{1,15}(?:[.,]\\d{3}(?!\\d))*(?:[.,]\\d{2}(?!\\d))?(?!\\d)'

const FOREIGN = 'usd|eur|jpy|gbp|aud|sgd|cad|chf|cny|hkd|krw|thb|nzd|twd|dkk|sek|nok|myr|inr|lak|khr'

/** A currency's code, before or behind a number; `d` is what the shadow makes of `đ` and `₫`. */
export const CURRENCY_CODE = `vnd|${FOREIGN}`
export const CURRENCY_SIGN = '(?:dong|d)(?![a-z0-9])'

/** `vnd`, `d`, `dong` → `VND`; others their ISO code. */
export const currencyNamed = (printed: string): string =>
  printed === 'd' || printed === 'dong' ? 'VND' : printed.toUpperCase()

export interface PrintedNumber {
  value: Money
  /** Whether decimals were printed: at a bank that prints no currency the only hint that it is not dong. */
  cents: boolean
}

const DIGITS_AT_MOST = 15

const exact = (whole: string, decimals: string): PrintedNumber | null =>
  whole.length > DIGITS_AT_MOST
    ? null
    : { value: `${whole.replace(/^0+(?=\d)/, '')}.${decimals || '00'}`, cents: decimals !== '' }

/**
 * The number that a print means, or null where it can mean two: `5,637,054.592`, or `1.500` in a currency with cents.
 * @param currency  ISO code; null where none is printed
 */
export const readNumber = (printed: string, currency: string | null): PrintedNumber | null => {
  const groups = printed.split(/[.,]/)
  const separators = printed.match(/[.,]/g) ?? []
  const last = groups.at(-1) ?? ''
  if (separators.length === 0) return exact(last, '')

  const hasDecimals = last.length === 2
  const whole = hasDecimals ? groups.slice(0, -1) : groups
  const thousands = hasDecimals ? separators.slice(0, -1) : separators
  const [first = '', ...rest] = whole
  if (new Set(thousands).size > 1) return null
  if (hasDecimals && thousands.includes(separators.at(-1) ?? '')) return null
  // `222,77` is rather the beginning of 222,772,047 than a number with a decimal comma.
  if (hasDecimals && separators.at(-1) === ',' && thousands.length === 0) return null
  if (rest.some((group) => group.length !== 3) || (rest.length > 0 && first.length > 3)) return null
  const mayBeDecimals = !hasDecimals && separators.length === 1 && separators[0] === '.'
  if (mayBeDecimals && currency !== null && currency !== 'VND') return null
  return exact(whole.join(''), hasDecimals ? last : '')
}
