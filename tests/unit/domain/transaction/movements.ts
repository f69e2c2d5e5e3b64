/** Bank texts as they arrive, and what Baoco takes from them. */
import type { Arrival } from '../../../../domain/arrival/arrival.ts'
import { receivePathOf } from '../../../../domain/arrival/origin.ts'
import { read } from '../../../../domain/reader/reader.ts'
import { appraise, readable, type Appraised, type Movement } from '../../../../domain/transaction/appraisal.ts'
import { accountOf, shownOf } from '../../../harness/accounts.ts'

export const TEXT =
  'SD TK 0011000415567 +150,000VND luc 20-11-2026 10:00:05. SD 222,772,047VND. Ref MBVCB.911539506.DH1042'
export const AT = new Date('2026-11-20T03:00:10.000Z')

export type Given = Partial<Arrival['incoming']> & { device?: number; posted_as?: Arrival['posted_as'] }

export const arrivalOf = ({ device = 1, posted_as = 'sms', ...incoming }: Given): Arrival => ({
  credential: shownOf(7, device),
  incoming: { text: TEXT, ...incoming },
  posted_as: device === 0 ? null : posted_as,
  stamp: AT,
  arrived_at: AT,
  raw: '{}',
})

export const judged = (given: Given, options: Parameters<typeof accountOf>[1] = {}): Appraised => {
  const account = accountOf(7, options)
  const arrival = readable(arrivalOf(given))
  return appraise(
    account,
    receivePathOf(account, arrival.credential, arrival.arrived_at)!,
    arrival,
    read(arrival.incoming, arrival.arrived_at),
  )
}

export const movementOf = (given: Given, options: Parameters<typeof accountOf>[1] = {}): Movement => {
  const appraised = judged(given, options)
  if (appraised.kind !== 'movement') throw new Error(`no movement: ${JSON.stringify(appraised)}`)
  return appraised
}
