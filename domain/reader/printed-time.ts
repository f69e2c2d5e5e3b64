/** The time that a bank printed, and the time that is recorded for a transaction. All in Vietnamese time. */
import { CLOCK_ERROR_MS } from '../clock.ts'
import { DAY_MS, fromVietnam, inVietnam, isoTime } from '../time.ts'
import type { PrintedTime, Reading } from './reading.ts'

/** Named groups of a layout's `{date:…}`. All are undefined if the layout has none, or if the text omits it. */
export type DateParts = Partial<
  Record<'day' | 'month' | 'year' | 'hour' | 'minute' | 'second' | 'half', string | undefined>
>

/** The longest time between two leap days, such as across 1900. In years. */
const YEARS_BACK = 8

/**
 * Without a printed year, the newest date counts that is not in the future. Our clock may be behind the bank's, and a payment of last year would not
 * be sent.
 */
const withoutYear = (
  wall: { month: number; day: number; hour: number; minute: number },
  arrivedAt: Date,
): Date | null => {
  const latest = arrivedAt.getTime() + CLOCK_ERROR_MS
  const newest = inVietnam(new Date(latest)).year
  for (let year = newest; year > newest - YEARS_BACK; year -= 1) {
    const moment = fromVietnam({ year, ...wall })
    if (moment && moment.getTime() <= latest) return moment
  }
  return null
}

/**
 * Whether a day that ends the words of a text may lack its end: `10:00 20/1` of 20/11/2026, `20/11/20` of 20/11/2026. Only four digits of a year are
 * certain.
 * @param isLast  whether a place ends the words
 */
export const mayLackItsYear = ({ year, month }: DateParts, isLast: (part: 'year' | 'month') => boolean): boolean =>
  year === undefined ? month !== undefined && isLast('month') : year.length < 4 && isLast('year')

/** The hour of a clock of 12 hours: `12:10 AM` is 0, `09:46 CH` (chiều) is 21. Other hours stay. */
const hourOf = ({ hour = '0', half }: DateParts): number => {
  const printed = Number(hour)
  if (half === undefined || printed > 12) return printed
  return (printed % 12) + (/^(?:pm|ch)$/.test(half) ? 12 : 0)
}

/** Null if nothing is printed, or if no clock ever shows the printed time (`25:61 31/02/2026`). */
export const readPrintedTime = (parts: DateParts, arrivedAt: Date): PrintedTime | null => {
  if (parts.day === undefined || parts.month === undefined) return null
  const wall = {
    month: Number(parts.month),
    day: Number(parts.day),
    hour: hourOf(parts),
    minute: Number(parts.minute ?? 0),
    second: Number(parts.second ?? 0),
  }
  const year = parts.year === undefined ? null : Number(parts.year.length === 2 ? `20${parts.year}` : parts.year)
  // Banks do not print such a year, and the first ones are none in UTC.
  if (year !== null && year < 100) return null
  const moment = year === null ? withoutYear(wall, arrivedAt) : fromVietnam({ year, ...wall })
  if (!moment) return null
  const precision = parts.hour === undefined ? 'day' : parts.second === undefined ? 'minute' : 'second'
  return { at: isoTime(moment), precision, year_printed: year !== null }
}

/** `SA` and `CH` are the Vietnamese AM and PM (sáng, chiều). */
const HALF = '(?: ?(?<half>am|pm|sa|ch)(?![a-z]))?'
const TIME = `(?<hour>\\d{1,2})[:h](?<minute>\\d{2})(?::(?<second>\\d{2})(?!\\d))?(?:p(?!m))?${HALF}`
const YEAR = '(?:[-/.](?<year>\\d{4}|\\d{2}))?(?![\\d.,]\\d|\\d)'
const DATE = `(?<day>\\d{1,2})[-/](?<month>\\d{1,2})${YEAR}`
const WEEKDAY = '(?:(?:ngay|thu [a-z0-9]{1,5}|chu nhat),? )?'

/** Every order in which banks print day and time. The first match counts. */
const PRINTED: readonly RegExp[] = [
  /(?<!\d)(?<year>20\d{2})-(?<month>\d{2})-(?<day>\d{2})[ t](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2}))?(?: ?(?<half>am|pm|sa|ch)(?![a-z]))?/,
  new RegExp(`(?<![\\d.,]|\\d:)${TIME}[ ,;]{0,2}${WEEKDAY}${DATE}`),
  new RegExp(`(?<![\\d/-])${DATE}[ ,;]{1,2}(?:luc )?${TIME}`),
  new RegExp(`(?<![\\d/-])(?<day>\\d{1,2})[-/](?<month>\\d{1,2})[-/](?<year>\\d{4}|\\d{2})(?![\\d/])`),
]

/** Between a day and the end of a text that was cut within the year. */
export const REST_OF_YEAR = /^(?:[-/.]\d{0,3})?$/

/**
 * The time anywhere in a text in shadow form. Null if there is none.
 * @param wordsEnd  where the words of the whole text end. A day there that may lack its end is left out.
 */
export const timeIn = (shadow: string, arrivedAt: Date, wordsEnd = Infinity): PrintedTime | null => {
  for (const expression of PRINTED) {
    const match = expression.exec(shadow)
    const found: DateParts | undefined = match?.groups
    if (!match || !found) continue
    const isAtEnd = REST_OF_YEAR.test(shadow.slice(match.index + match[0].length, wordsEnd))
    if (wordsEnd < Infinity && isAtEnd && mayLackItsYear(found, (part) => match[0].endsWith(found[part] ?? '')))
      continue
    const time = readPrintedTime(found, arrivedAt)
    if (time) return time
  }
  return null
}

/** `… GD 6256IBT1AJQ 130926-13:37:09`, `… - 10092026 02:03:14`. Before 2025, the month came first: `GD 929275-011524 15:08:43`. */
const IN_MEMO =
  /(?<before>[ -])(?<first>\d{2})(?<second>\d{2})(?:20)?(?<year>\d{2})(?<mark>[ -])(?<time>\d{2}:\d{2}:\d{2})(?!\d)/g

/**
 * The time that ACB puts after the payer's words, because its mails print only a date. The payer may write a time too, so the last one
 * counts, and only if it fits that date: a payment shortly before midnight is reported on the next day.
 */
export const timeInMemo = (memo: string, printedDay: PrintedTime | null, arrivedAt: Date): PrintedTime | null => {
  const { before, first, second, year, mark, time } = [...memo.matchAll(IN_MEMO)].at(-1)?.groups ?? {}
  if (!first || !second || !time) return null
  const monthFirst = before === '-' && mark === ' '
  const [hour, minute, seconds] = time.split(':')
  const [day, month] = monthFirst ? [second, first] : [first, second]
  const read = readPrintedTime({ day, month, year, hour, minute, second: seconds }, arrivedAt)
  if (!read || !printedDay) return read
  const late = Date.parse(printedDay.at) - Date.parse(read.at)
  return late <= DAY_MS && late > -DAY_MS ? read : null
}

export interface TransactionDate {
  /** ISO 8601 UTC. */
  transaction_date: string
  transaction_date_source: 'printed' | 'printed_day' | 'printed_without_year' | 'arrival'
}

/**
 * When the money moved: the printed time. A date without a time counts as its midnight in Vietnam. Without any date, the arrival
 * time counts. A missing year is reported before a missing time, because the year is the part that was guessed.
 */
export const transactionDate = (reading: Pick<Reading, 'printed_time'>, arrivedAt: Date): TransactionDate => {
  const printed = reading.printed_time
  if (!printed) return { transaction_date: arrivedAt.toISOString(), transaction_date_source: 'arrival' }
  const source = !printed.year_printed
    ? 'printed_without_year'
    : printed.precision === 'day'
      ? 'printed_day'
      : 'printed'
  return { transaction_date: printed.at, transaction_date_source: source }
}
