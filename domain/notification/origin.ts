/** Where a notification came from: whose it is, which source it counts as, and whether that source may be believed. */
import { isToken } from '../account/tokens.ts'
import type { Account } from '../account/account.ts'
import type { SourceType } from '../transaction/events.ts'
import type { Arrival } from './arrival.ts'
import { bankNamedBy, packageIsTrusted, senderIsTrusted, senderKey, senderOf, smsApps } from './directory.ts'
import type { Incoming, Reading } from './reading.ts'

/** The way in that a credential opens: `device-7`, or `url`. */
export type Door = string

/** Sources are named by what anybody may send: a name stays a name. */
const LONGEST_NAME = 100

/** @returns null where the credential is not, or no longer, one of this account */
export const doorOf = (account: Account, { kind, token }: Arrival['credential']): Door | null => {
  if (kind === 'receive_url')
    return account.receive_url && isToken(token, account.receive_url.token_hash) ? 'url' : null
  for (const device of account.devices.values())
    if (isToken(token, device.token_hash)) return `device-${device.device_id}`
  return null
}

export interface Origin {
  /** As the book names it: `device-7:sms`, `device-7:com.VCB`, `url:sms`. */
  source: string
  source_type: SourceType
  channel: 'sms' | 'push' | 'unknown'
  /** No sender or package was given at all. */
  anonymous: boolean
}

const channelOf = ({ posted_as, incoming }: Arrival, layout: Reading['layout']): Origin['channel'] => {
  if (incoming.package && smsApps.has(incoming.package)) return 'sms'
  if (posted_as === 'sms') return 'sms'
  if (posted_as === 'notification' || incoming.package) return 'push'
  if (incoming.sender || layout === 'sms') return 'sms'
  return layout === 'notification' ? 'push' : 'unknown'
}

/**
 * A source is one device's SMS, one device's pushes of one app, or the personal URL, there with the sender or the package, or
 * else the channel that the layout tells (decisions, "The same event").
 */
export const originOf = (door: Door, arrival: Arrival, layout: Reading['layout']): Origin => {
  const { incoming } = arrival
  const channel = channelOf(arrival, layout)
  const app = channel === 'push' ? incoming.package?.slice(0, LONGEST_NAME) : undefined
  const given = channel === 'sms' ? senderOf(incoming) : undefined
  const sender = given ? senderKey(given.slice(0, LONGEST_NAME)) : undefined
  if (door === 'url') {
    const name = sender ?? app ?? (channel === 'unknown' ? undefined : channel)
    return { source: name ? `url:${name}` : 'url', source_type: 'api', channel, anonymous: !sender && !app }
  }
  return channel === 'push'
    ? { source: `${door}:${app ?? 'push'}`, source_type: 'notification', channel, anonymous: !app }
    : { source: `${door}:sms`, source_type: 'sms', channel: 'sms', anonymous: !sender }
}

/**
 * Who may say that money came (decisions, "Trust").
 * @param bankCode  the bank that the text claims to be from; null where it could not be read: then any bank's name will do
 * @returns null where it may be believed
 */
export const distrust = (
  { source, channel, anonymous }: Origin,
  incoming: Incoming,
  bankCode: string | null,
  trustedSenders: readonly string[],
): 'unknown_sender' | 'unknown_app' | null => {
  // An iOS automation filters by sender or app and does not say so; a paired phone always names the app.
  if (anonymous) return channel === 'push' && !source.startsWith('url') ? 'unknown_app' : null
  const bank = bankCode ?? bankNamedBy(incoming)?.code ?? ''
  if (channel === 'push') return packageIsTrusted(bank, incoming.package ?? '') ? null : 'unknown_app'
  return senderIsTrusted(bank, senderOf(incoming) ?? '', trustedSenders) ? null : 'unknown_sender'
}
