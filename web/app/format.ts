/** Money, dates and durations in the language of the page. Money comes as exact decimal text and is never a floating-point number. */
import type { Language } from '../texts/language.ts'
import { DAY_MS, inVietnam } from './vietnam-time.ts'

const LOCALE: Record<Language, string> = { vi: 'vi-VN', en: 'en-GB' }
const ZONE = 'Asia/Ho_Chi_Minh'
const MINUS = '\u2212'

/** A format takes longer to make than to use, and a list has many amounts. */
const moneyFormats = new Map<string, Intl.NumberFormat>()

/** @param amount  such as `150000.00` @returns such as `150.000 ₫`, without a sign */
export const money = (amount: string, currency: string, language: Language): string => {
  const digits = currency === 'VND' && amount.endsWith('.00') ? 0 : 2
  const key = `${language} ${currency} ${digits}`
  let format = moneyFormats.get(key)
  if (!format)
    moneyFormats.set(
      key,
      (format = new Intl.NumberFormat(LOCALE[language], {
        style: 'currency',
        currency,
        currencyDisplay: 'narrowSymbol',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      })),
    )
  return format.format(amount.replace('-', '') as unknown as number)
}

export interface Movement {
  amount: string
  currency: string
  transaction_type: 'credit' | 'debit'
}

/** With "+" for money in and "−" for money out. */
export const signedMoney = ({ amount, currency, transaction_type }: Movement, language: Language): string =>
  `${transaction_type === 'credit' ? '+' : MINUS}${money(amount, currency, language)}`

/** Below zero with "−". @param amount  such as `-93785984.00` */
export const balance = (amount: string, currency: string, language: Language): string =>
  `${amount.startsWith('-') ? MINUS : ''}${money(amount, currency, language)}`

/** A sum of money in or out. Nothing has no sign. */
export const signedSum = (type: 'credit' | 'debit', amount: string, currency: string, language: Language): string =>
  amount === '0.00'
    ? money(amount, currency, language)
    : signedMoney({ amount, currency, transaction_type: type }, language)

const formats = new Map<string, Intl.DateTimeFormat>()
const formatted = (iso: string, language: Language, options: Intl.DateTimeFormatOptions): string => {
  const key = language + JSON.stringify(options)
  let format = formats.get(key)
  if (!format)
    formats.set(
      key,
      (format = new Intl.DateTimeFormat(LOCALE[language], { timeZone: ZONE, hourCycle: 'h23', ...options })),
    )
  return format.format(new Date(iso))
}

export const time = (iso: string, language: Language): string =>
  formatted(iso, language, { hour: '2-digit', minute: '2-digit', second: '2-digit' })
export const shortTime = (iso: string, language: Language): string =>
  formatted(iso, language, { hour: '2-digit', minute: '2-digit' })
export const day = (iso: string, language: Language): string =>
  formatted(iso, language, { day: '2-digit', month: '2-digit', year: 'numeric' })
/** A chosen day in the language of the page: "24/11/2026", "24 Nov 2026". Empty if it is not a day. @param date  `YYYY-MM-DD` */
export const chosenDay = (date: string, language: Language): string => {
  const noon = new Date(`${date}T05:00:00Z`)
  if (Number.isNaN(noon.getTime()) || noon.toISOString().slice(0, 10) !== date) return ''
  const month = language === 'en' ? 'short' : '2-digit'
  return formatted(noon.toISOString(), language, { day: '2-digit', month, year: 'numeric' })
}

export const weekday = (date: string, language: Language): string =>
  formatted(`${date}T12:00:00+07:00`, language, { weekday: 'short', day: '2-digit', month: '2-digit' })

/** `14:05` today, otherwise `24/11 14:05`, with the year if it is another one. */
export const moment = (iso: string, language: Language, now: Date): string => {
  const clock = shortTime(iso, language)
  const that = day(iso, language)
  const today = day(now.toISOString(), language)
  if (that === today) return clock
  return `${that.slice(6) === today.slice(6) ? that.slice(0, 5) : that} ${clock}`
}

/** The calendar day in Vietnam, `YYYY-MM-DD`, some days before. */
export const vietnamDay = (daysAgo: number, now: Date): string =>
  new Date(inVietnam(now).getTime() - daysAgo * DAY_MS).toISOString().slice(0, 10)

export const milliseconds = (value: number, language: Language): string =>
  value < 1_000
    ? `${Math.round(value)} ms`
    : `${new Intl.NumberFormat(LOCALE[language], { maximumFractionDigits: 1 }).format(value / 1_000)} s`

/** A span in its largest whole unit: "3 giờ". @param seconds  at least 0 */
export const duration = (seconds: number, language: Language): string => {
  const [unit, size] =
    seconds >= 86_400
      ? (['day', 86_400] as const)
      : seconds >= 3_600
        ? (['hour', 3_600] as const)
        : (['minute', 60] as const)
  return new Intl.NumberFormat(LOCALE[language], { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.max(1, Math.round(seconds / size)),
  )
}

/** The number of a calendar day in Vietnam. @param at  milliseconds since 1970 */
const dayNumber = (at: number): number => Math.floor(inVietnam(new Date(at)).getTime() / DAY_MS)

/** How long ago, in one unit: "5 phút trước". From 24 hours on, calendar days count, because their words are "hôm qua" and "hôm kia". */
export const ago = (iso: string, language: Language, now: number): string => {
  const at = Date.parse(iso)
  const seconds = Math.round((at - now) / 1_000)
  const format = new Intl.RelativeTimeFormat(LOCALE[language], { numeric: 'auto' })
  if (Math.abs(seconds) >= 86_400) return format.format(dayNumber(at) - dayNumber(now), 'day')
  const units = [
    ['hour', 3_600],
    ['minute', 60],
  ] as const
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit)
  return format.format(seconds, 'second')
}

export const count = (value: number, language: Language): string =>
  new Intl.NumberFormat(LOCALE[language]).format(value)

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
/** A size in its largest whole unit, of 1,000: "12 MB". */
export const bytes = (value: number, language: Language): string => {
  const power = Math.min(UNITS.length - 1, value < 1 ? 0 : Math.floor(Math.log10(value) / 3))
  return new Intl.NumberFormat(LOCALE[language], {
    style: 'unit',
    unit: UNITS[power]!,
    unitDisplay: 'short',
    maximumFractionDigits: power > 2 ? 1 : 0,
  }).format(value / 1_000 ** power)
}

/** A sum of decimal texts, exact. */
export const sum = (amounts: readonly string[]): string => {
  const cents = amounts.reduce((total, amount) => total + BigInt(amount.replace('.', '')), 0n)
  const sign = cents < 0n ? '-' : ''
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
