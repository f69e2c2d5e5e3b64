/** Reads SMS and push notifications. */
import { read } from '../../../../domain/reader/reader.ts'
import type { Incoming, Reading } from '../../../../domain/reader/reading.ts'

export const arrival = new Date('2026-11-20T03:00:00Z')
export const reading = (incoming: Incoming | string): Reading => {
  const result = read(typeof incoming === 'string' ? { text: incoming } : incoming, arrival)
  if (!result.reading) throw new Error(`${result.reason}: ${JSON.stringify(incoming)}`)
  return result.reading
}
export const reason = (incoming: Incoming | string) =>
  read(typeof incoming === 'string' ? { text: incoming } : incoming, arrival).reason

/** The beginning of an SMS of Vietcombank, up to its memo. */
export const VCB = 'SD TK 0011000415567 +150,000VND luc 20-11-2026 09:46:12. SD 222,772,047VND. Ref '
