/** The screen on which an alert can be dealt with. */
import { PARTS, PATHS } from '../paths.ts'
import type { Alert } from '../api/types.ts'

type ScreenName = 'plans' | 'undelivered' | 'webhook' | 'sources' | 'unread' | 'transaction'

const SCREENS: Readonly<Record<string, ScreenName>> = {
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
}: Pick<Alert, 'kind' | 'subject'>): { screen: ScreenName | 'unmatched'; path: string } | null => {
  const screen = SCREENS[kind]
  if (!screen) return null
  if (screen === 'plans') return { screen, path: PATHS.plan }
  if (screen === 'transaction') {
    const [, id] = /^transaction:(\d+)$/.exec(subject) ?? []
    // Many old notifications of one source have one alert. Its subject is the source.
    if (id === undefined) return { screen: 'unmatched', path: `${PATHS.transactions}?webhook_status=no_match` }
    return { screen, path: PATHS.transaction.replace(':id', id) }
  }
  if (screen === 'webhook') return { screen, path: PATHS.webhook.replace(':id', subject.replace('rule:', '')) }
  if (subject.startsWith('device:')) return { screen, path: PARTS.phones }
  if (subject.startsWith('mail_account:')) return { screen, path: PARTS.mailboxes }
  return { screen, path: PATHS[screen] }
}
