/** Texts as banks print them, each of a different transaction: time, reference and balance rise with the number. */

const two = (value: number): string => String(value).padStart(2, '0')
const grouped = (value: number): string => value.toLocaleString('en-US')

/** The local time in Vietnam (UTC+7, no daylight saving). */
const inVietnam = (at: Date) => {
  const local = new Date(at.getTime() + 7 * 3_600_000)
  return {
    date: `${two(local.getUTCDate())}-${two(local.getUTCMonth() + 1)}-${local.getUTCFullYear()}`,
    time: `${two(local.getUTCHours())}:${two(local.getUTCMinutes())}:${two(local.getUTCSeconds())}`,
  }
}

/** The personal URL to which an app posts when it forwards the SMS below. */
export const fromVietcombank = (personalUrl: string): string => `${personalUrl}?sender=Vietcombank`

/**
 * A Vietcombank SMS about an incoming payment.
 * @param number makes it unique, through its reference and balance
 * @param memo the text that the payer wrote
 */
export const vietcombankText = (number: number, memo: string, { amount = 150_000, at = new Date() } = {}): string => {
  const { date, time } = inVietnam(at)
  return `SD TK 0011000415567 +${grouped(amount)}VND luc ${date} ${time}. SD ${grouped(1_000_000 + number)}VND. Ref MBVCB.${900_000_000 + number}.${memo}`
}
