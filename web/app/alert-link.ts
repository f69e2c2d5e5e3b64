/** The screen on which an alert can be dealt with. */
import { PATHS } from '../paths.ts'
import type { Alert } from '../api/types.ts'

type Place = 'plans' | 'undelivered' | 'webhook' | 'sources' | 'unread' | 'transaction'

const PLACES: Readonly<Record<string, Place>> = {
  quota_80: 'plans',
  endpoint_failing: 'undelivered',
  rule_paused: 'webhook',
  source_silent: 'sources',
  mailbox_paused: 'sources',
  mailbox_failing: 'sources',
  unsafe_forwarder: 'unread',
  contradicting_copy: 'transaction',
  old_notification: 'transaction',
}

/** @returns null if there is no such screen */
export const alertLink = ({
  kind,
  subject,
}: Pick<Alert, 'kind' | 'subject'>): { place: Place; path: string } | null => {
  const place = PLACES[kind]
  if (!place) return null
  if (place === 'plans') return { place, path: PATHS.plan }
  if (place === 'transaction') {
    // The alert about a restored inbox has its phone as its subject.
    const [, id] = /^transaction:(\d+)$/.exec(subject) ?? []
    return id === undefined ? null : { place, path: PATHS.transaction.replace(':id', id) }
  }
  if (place === 'webhook') return { place, path: PATHS.webhook.replace(':id', subject.replace('rule:', '')) }
  return { place, path: PATHS[place] }
}
