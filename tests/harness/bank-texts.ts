/** Texts as banks print them, each of its own transaction: time, reference and balance rise with the number. */

const two = (value: number): string => String(value).padStart(2, '0')
const grouped = (value: number): string => value.toLocaleString('en-US')

/** Vietnamese wall time of a moment (UTC+7, no daylight saving). */
const inVietnam = (at: Date) => {
  const local = new Date(at.getTime() + 7 * 3_600_000)
  return {
    date: `${two(local.getUTCDate())}-${two(local.getUTCMonth() + 1)}-${local.getUTCFullYear()}`,
    time: `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())}`,
  }
}

/** The personal URL as an app posts to it that passes on the SMS below. */
export const fromVietcombank = (personalUrl: string): string => `${personalUrl}?sender=Vietcombank`

/**
 * A Vietcombank SMS of money in.
 * @param number  makes it unlike every other: its reference and balance
 * @param memo  what the payer wrote
 */
export const vietcombankText = (number: number, memo: string, { amount = 150_000, at = new Date() } = {}): string => {
  const { date, time } = inVietnam(at)
  return `SD TK 0011000415567 +${grouped(amount)}VND luc ${date} ${time}. SD ${grouped(1_000_000 + number)}VND. Ref MBVCB.${900_000_000 + number}.${memo}`
}
