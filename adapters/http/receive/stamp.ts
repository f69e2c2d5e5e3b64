// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
/** Reads the phone's timestamp of a notification in any of its formats. */

const EARLIEST = Date.UTC(2000, 0)
const LATEST = Date.UTC(2100, 0)

const plausible = (ms: number): Date | null => (ms >= EARLIEST && ms < LATEST ? new Date(ms) : null)

/** ISO 8601, also with a blank before the time. A `+` before the offset is a blank if the app did not encode it in an address or a form. */
const ISO =
  /^(?<day>\d{4}-\d{2}-\d{2})[Tt ](?<time>\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)(?: ?(?<utc>[Zz]|UTC|GMT)| ?(?<sign>[+-]| )(?<hours>\d{2}):?(?<minutes>\d{2})?)?$/

/** A time without an offset is the phone's wall clock, in Vietnam's time zone. */
const ZONE = '+07:00'

const offsetOf = ({ utc, sign, hours, minutes = '00' }: Partial<Record<string, string>>): string => {
  if (utc) return 'Z'
  return sign ? `${sign === '-' ? '-' : '+'}${hours}:${minutes}` : ZONE
}

/** Accepts seconds, milliseconds, microseconds or nanoseconds since 1970, or ISO 8601. Null for anything else and for times outside 2000 to 2099. */
export const stampOf = (value: unknown): Date | null => {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const text = String(value).trim()
  if (/^\d{9,19}(\.\d+)?$/.test(text)) {
    const number = Number(text)
    return plausible(
      number < 1e11 ? number * 1e3 : number < 1e14 ? number : number < 1e17 ? number / 1e3 : number / 1e6,
    )
  }
  const { groups } = ISO.exec(text) ?? {}
  return groups ? plausible(Date.parse(`${groups.day}T${groups.time!.replace(',', '.')}${offsetOf(groups)}`)) : null
}
