// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
/** Builds an arrival from a posted body. Nothing is judged here, not even the credential. */
import type { Arrival } from '../../../domain/arrival/arrival.ts'
import { storable } from './body-text.ts'
import { findFields } from './fields.ts'
import { isNameOf, NAMES } from './field-names.ts'
import { rawDataOf, type Posted } from './posted-body.ts'

export type At = Pick<Arrival, 'credential' | 'posted_as' | 'arrived_at' | 'correlation_id'>

/** If no text is found, the whole body is the text. It is kept, and never read by itself. */
export const arrivalOf = (posted: Posted, at: At): Arrival => {
  const { incoming, stamp, hasTwoNames, hasNoText } = findFields(posted.value, posted.query, posted.isEscaped)
  const { credential, posted_as, arrived_at, correlation_id } = at
  const raw = rawDataOf(posted, incoming.text)
  const whole = hasNoText || (posted.unsafe && incoming.text.trim() === '') ? wholeOf(posted, raw) : ''
  if (whole !== '') incoming.text = whole
  const unsafe = posted.unsafe ?? (whole !== '' ? 'broken_json' : hasTwoNames ? 'two_names' : undefined)
  // Listed one by one, because spreading an object costs more than all of this, and every notification passes through here.
  const arrival: Arrival = { credential, posted_as, arrived_at, correlation_id, incoming, stamp, raw }
  if (unsafe) arrival.unsafe = unsafe
  return arrival
}

/** Fields whose value is never the text of a notification. */
const BESIDE_TEXT = [...NAMES.sender, ...NAMES.package, ...NAMES.time]

/** Whether a value contains no text under any name. A value nested deeper than any app's may contain one. */
const isBlank = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'string') return value.trim() === ''
  if (typeof value !== 'object' || value === null) return true
  if (depth > 4) return false
  return Object.entries(value).every(([name, member]) => isNameOf(BESIDE_TEXT, name) || isBlank(member, depth + 1))
}

/** Everything that was sent. The empty string if it contains no text. */
const wholeOf = ({ value, query, sent, unsafe }: Posted, raw: string): string => {
  // The value that was read from broken JSON may be incomplete.
  if (unsafe !== 'broken_json' && typeof value === 'object' && isBlank(value) && isBlank(query ?? null)) return ''
  return storable(sent ?? raw).trim()
}

/** One item of a list. A doubt about the whole body (`unsafe`) applies to each of its items. */
export const itemOf = ({ query, unsafe }: Posted, value: unknown): Posted => ({ value, query, json: null, unsafe })

/** `type` says whether an item of a batch was an SMS or a notification. Any other value leaves `posted_as` null. */
export const itemArrival = (posted: Posted, item: unknown, at: Omit<At, 'posted_as'>): Arrival => {
  const type = typeof item === 'object' && item !== null && 'type' in item ? item.type : null
  const posted_as = type === 'sms' || type === 'notification' ? type : null
  return arrivalOf(itemOf(posted, item), { ...at, posted_as })
}
