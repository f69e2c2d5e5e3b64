/** Where a notification came from: whose it is, which source it counts as, and whether that source may be believed. */
import { allows, scopedKeyOf } from '../account/api-keys.ts'
import { isToken, userOfToken } from '../account/tokens.ts'
import type { Account } from '../account/account.ts'
import type { SourceType } from '../transaction/events.ts'
import type { Arrival, Credential } from './arrival.ts'
import { bankNamedBy, packageIsTrusted, senderIsTrusted, senderKey, senderOf, smsApps } from './directory.ts'
import { authservIdsOf } from './mail-providers.ts'
import { bankClaimedBy, distrustMail } from './mail-trust.ts'
import type { Reading } from './reading.ts'

/** The way in that a credential opens: `device-7`, `key-8`, `mailbox-3`, or `url`. */
export type Door = string

/** Sources are named by what anybody may send: a name stays a name. */
const LONGEST_NAME = 100

export const mailboxDoor = (mailAccountId: number): Door => `mailbox-${mailAccountId}`
export const deviceDoor = (deviceId: number): Door => `device-${deviceId}`
/** Of a scoped key. */
export const keyDoor = (apiKeyId: number): Door => `key-${apiKeyId}`
export const URL_DOOR: Door = 'url'

/** The way in that a source came by. */
export const doorOfSource = (source: string): Door => source.split(':', 1)[0]!

/**
 * @param at  when it was shown: a scoped key may have an end
 * @returns null where the credential is not, or no longer, one of this account
 */
export const doorOf = (account: Account, credential: Credential, at: Date): Door | null => {
  if (credential.kind === 'kept') return doorOfSource(credential.kept.source)
  if (credential.kind === 'mailbox')
    return account.mail_accounts.has(credential.mail_account_id) ? mailboxDoor(credential.mail_account_id) : null
  const { kind, token } = credential
  if (kind === 'receive_url')
    return account.receive_url && isToken(token, account.receive_url.token_hash) ? URL_DOOR : null
  if (kind === 'api_key') {
    const key = scopedKeyOf(account, token, at)
    return key && allows(key, ['receive']) ? keyDoor(key.api_key_id) : null
  }
  for (const device of account.devices.values())
    if (isToken(token, device.token_hash)) return deviceDoor(device.device_id)
  return null
}

/** Whose notification it claims to be; null for a token of no known form. */
export const userOf = (credential: Credential): number | null =>
  'token' in credential ? userOfToken(credential.kind, credential.token) : credential.user_id

export interface Origin {
  /** As the book names it: `device-7:sms`, `device-7:com.VCB`, `mailbox-3`, `url:sms`. */
  source: string
  source_type: SourceType
  channel: 'sms' | 'push' | 'mail' | 'unknown'
  /** No sender or package was given at all. */
  anonymous: boolean
}

const channelOf = ({ posted_as, incoming }: Arrival, layout: Reading['layout']): Origin['channel'] => {
  if (incoming.from !== undefined) return 'mail'
  if (incoming.package && smsApps.has(incoming.package)) return 'sms'
  if (posted_as === 'sms') return 'sms'
  if (posted_as === 'notification' || incoming.package) return 'push'
  if (incoming.sender || layout === 'sms') return 'sms'
  return layout === 'notification' ? 'push' : 'unknown'
}

/**
 * A source is one device's SMS, one device's pushes of one app, a mailbox, or the personal URL, there with the sender or the package, or
 * else the channel that the layout tells (decisions, "The same event").
 */
export const originOf = (door: Door, arrival: Arrival, layout: Reading['layout']): Origin => {
  const { incoming } = arrival
  const channel = channelOf(arrival, layout)
  if (channel === 'mail') return { source: door, source_type: 'email', channel, anonymous: false }
  const app = channel === 'push' ? incoming.package?.slice(0, LONGEST_NAME) : undefined
  const given = channel === 'sms' ? senderOf(incoming) : undefined
  const sender = given ? senderKey(given.slice(0, LONGEST_NAME)) : undefined
  if (door === URL_DOOR) {
    const name = sender ?? app ?? (channel === 'unknown' ? undefined : channel)
    return { source: name ? `url:${name}` : 'url', source_type: 'api', channel, anonymous: !sender && !app }
  }
  return channel === 'push'
    ? { source: `${door}:${app ?? 'push'}`, source_type: 'notification', channel, anonymous: !app }
    : { source: `${door}:sms`, source_type: 'sms', channel: 'sms', anonymous: !sender }
}

export interface Asked {
  account: Account
  arrival: Arrival
  origin: Origin
  /** The bank that the text claims to be from; null where it could not be read: then any bank's name will do. */
  bankCode: string | null
}

/** What one that was kept has proved when it came is not asked again; the bank that it is read as now is. */
const distrustOfMail = ({ account, arrival, bankCode }: Asked): 'unauthenticated_sender' | null => {
  const { credential, mail, incoming } = arrival
  if (credential.kind === 'kept')
    return bankCode === null || bankNamedBy(incoming)?.code === bankCode ? null : 'unauthenticated_sender'
  const mailbox = credential.kind === 'mailbox' && account.mail_accounts.get(credential.mail_account_id)
  if (!mailbox || !mail || (bankCode !== null && bankClaimedBy(mail.headers) !== bankCode))
    return 'unauthenticated_sender'
  const { email, host, authserv_id } = mailbox
  return distrustMail(mail.headers, { email, authserv_ids: authservIdsOf(host, authserv_id) })
}

/**
 * Who may say that money came (decisions, "Trust").
 * @returns null where it may be believed
 */
export const distrust = (asked: Asked): 'unknown_sender' | 'unknown_app' | 'unauthenticated_sender' | null => {
  const { account, arrival, origin, bankCode } = asked
  const { incoming } = arrival
  const { source, channel, anonymous } = origin
  if (channel === 'mail') return distrustOfMail(asked)
  // An iOS automation filters by sender or app and does not say so; a paired phone always names the app.
  if (anonymous) return channel === 'push' && !source.startsWith(URL_DOOR) ? 'unknown_app' : null
  const bank = bankCode ?? bankNamedBy(incoming)?.code ?? ''
  if (channel === 'push') return packageIsTrusted(bank, incoming.package ?? '') ? null : 'unknown_app'
  return senderIsTrusted(bank, senderOf(incoming) ?? '', account.trusted_senders) ? null : 'unknown_sender'
}
