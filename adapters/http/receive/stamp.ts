// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
/** Reads the phone's timestamp of a notification in any of its formats. */

const EARLIEST = Date.UTC(2000, 0)
const LATEST = Date.UTC(2100, 0)

const plausible = (ms: number): Date | null => (ms >= EARLIEST && ms < LATEST ? new Date(ms) : null)

/** A time without an offset is the phone's wall clock, in Vietnam's time zone. */
const WALL_CLOCK = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)$/

/** Accepts seconds, milliseconds or microseconds since 1970, or ISO 8601. Null for anything else and for times outside 2000 to 2099. */
export const stampOf = (value: unknown): Date | null => {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const text = String(value).trim()
  if (/^\d{9,16}(\.\d+)?$/.test(text)) {
    const number = Number(text)
    return plausible(number < 1e11 ? number * 1000 : number < 1e14 ? number : number / 1000)
  }
  const [, day, time] = WALL_CLOCK.exec(text) ?? []
  if (day !== undefined) return plausible(Date.parse(`${day}T${time}+07:00`))
  return /^\d{4}-\d{2}-\d{2}T/.test(text) ? plausible(Date.parse(text)) : null
}
