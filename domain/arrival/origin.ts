// Tests: tests/unit/domain/dedup/same-event.test.ts
/** The origin of a notification: its account, its source, and whether that source is trusted. */
import { allows, scopedKeyOf } from '../account/api-keys.ts'
import { isHash } from '../account/tokens.ts'
import type { Account } from '../account/account.ts'
import type { SourceType } from '../transaction/events.ts'
import type { Arrival, Credential } from './arrival.ts'
import { devicePath, pathOfSource, keyPath, mailboxPath, URL_PATH, type ReceivePath } from './receive-paths.ts'
import { bankNamedBy, packageIsTrusted, senderIsTrusted, senderKey, senderOf, smsApps } from '../banks/directory.ts'
import { authservIdsOf } from '../mail-trust/mail-providers.ts'
import { bankClaimedBy, distrustMail } from '../mail-trust/mail-trust.ts'
import { sourceTypeAtUrl } from './source-type.ts'
import type { Reading } from '../reader/reading.ts'

/** Anybody may send the text that names a source, so the name is limited in length. */
const LONGEST_NAME = 100

/**
 * @param at  when the credential was presented, since a scoped key may expire
 * @returns null if the credential does not, or no longer, belong to this account
 */
export const receivePathOf = (account: Account, credential: Credential, at: Date): ReceivePath | null => {
  if (credential.kind === 'kept') return pathOfSource(credential.kept.source)
  if (credential.kind === 'mailbox')
    return account.mail_accounts.has(credential.mail_account_id) ? mailboxPath(credential.mail_account_id) : null
  const { kind, token_hash } = credential
  if (kind === 'receive_url')
    return account.receive_url && isHash(token_hash, account.receive_url.token_hash) ? URL_PATH : null
  if (kind === 'api_key') {
    const key = scopedKeyOf(account, token_hash, at)
    return key && allows(key, ['receive']) ? keyPath(key.api_key_id) : null
  }
  for (const device of account.devices.values())
    if (isHash(token_hash, device.token_hash)) return devicePath(device.device_id)
  return null
}

export interface Origin {
  /** As the deduplication window names it: `device-7:sms`, `device-7:com.VCB`, `mailbox-3`, `url:sms`. */
  source: string
  source_type: SourceType
  channel: 'sms' | 'push' | 'mail' | 'unknown'
}

const channelOf = ({ posted_as, incoming }: Arrival, layout: Reading['layout']): Origin['channel'] => {
  if (incoming.from !== undefined) return 'mail'
  if (incoming.package && smsApps.has(incoming.package)) return 'sms'
  if (posted_as === 'sms') return 'sms'
  if (posted_as === 'notification' || incoming.package) return 'push'
  if (incoming.sender) return 'sms'
  if (incoming.package !== undefined) return 'push'
  if (incoming.sender !== undefined || layout === 'sms') return 'sms'
  return layout === 'notification' ? 'push' : 'unknown'
}

/**
 * A source is the SMS of one device, the pushes of one app on one device, a mailbox, or the personal URL. For the personal URL it
 * also has the sender or the package, or else the channel that the layout implies (decisions, "The same event").
 */
export const originOf = (path: ReceivePath, arrival: Arrival, layout: Reading['layout']): Origin => {
  const { incoming } = arrival
  const channel = channelOf(arrival, layout)
  if (channel === 'mail') return { source: path, source_type: 'email', channel }
  const app = channel === 'push' ? incoming.package?.slice(0, LONGEST_NAME) : undefined
  const given = channel === 'sms' ? senderOf(incoming) : undefined
  const sender = given ? senderKey(given.slice(0, LONGEST_NAME)) : undefined
  if (path === URL_PATH) {
    const name = sender || app || (channel === 'unknown' ? '' : channel)
    return { source: name ? `url:${name}` : 'url', source_type: sourceTypeAtUrl(incoming), channel }
  }
  return channel === 'push'
    ? { source: `${path}:${app || 'push'}`, source_type: 'notification', channel }
    : { source: `${path}:sms`, source_type: 'sms', channel: 'sms' }
}

export interface Asked {
  account: Account
  arrival: Arrival
  origin: Origin
  /** The bank that the text claims to be from. Null if the text could not be read: then the name of any bank is sufficient. */
  bankCode: string | null
}

/** A kept mail was authenticated when it arrived, and is not checked again. The bank that it is now read as is checked. */
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

/** A phone number or short code. One or two digits are neither: apps count their notifications in a field `number`. */
const isNumber = (sender: string): boolean => /^\+?\d{3,}$/.test(sender.replace(/[\s().-]/g, ''))

/** Messages also come from email addresses. */
const isAddress = (sender: string): boolean => /\S@\S/.test(sender)

/** Whether a sender next to a bank's package contradicts it. If so, the text of a message may have named the package. */
const contradictsApp = (sender: string | undefined): boolean =>
  sender !== undefined && (sender === '' || isNumber(sender) || isAddress(sender))

/** The result if nothing, or not enough, was given to identify the source. Undefined: other checks decide. */
const distrustUnnamed = ({ account, arrival: { incoming }, origin }: Asked): Distrust | undefined => {
  const { sender, package: app, title } = incoming
  if (sender !== undefined || app !== undefined) return undefined
  // A paired phone always sends the sender, and the app of a push.
  if (pathOfSource(origin.source) !== URL_PATH) return origin.channel === 'push' ? 'unknown_app' : 'unknown_sender'
  // A title alone proves nothing, but it is still a given field.
  return title === undefined && account.without_sender ? null : 'unknown_sender'
}

type Distrust = 'unknown_sender' | 'unknown_app' | 'unauthenticated_sender' | null

/**
 * Whether this source is trusted to report a movement of money (decisions, "Trust").
 * @returns null if it is, else the reason why not
 */
export const distrust = (asked: Asked): Distrust => {
  const { account, arrival, origin, bankCode } = asked
  const { incoming } = arrival
  if (origin.channel === 'mail') return distrustOfMail(asked)
  const unnamed = distrustUnnamed(asked)
  if (unnamed !== undefined) return unnamed
  const bank = bankCode ?? bankNamedBy(incoming)?.code ?? ''
  if (incoming.package === '') return 'unknown_app'
  if (origin.channel === 'push') {
    if (!packageIsTrusted(bank, incoming.package ?? '')) return 'unknown_app'
    return contradictsApp(incoming.sender) ? 'unknown_sender' : null
  }
  const isSmsApp = incoming.package !== undefined && smsApps.has(incoming.package)
  if (isSmsApp && !account.sms_app_titles.has(pathOfSource(origin.source))) return 'unknown_sender'
  // The title of an SMS app is the sender. A sender that is given in addition must be trusted as well.
  const senders = [senderOf(incoming) ?? '', ...(incoming.sender === undefined ? [] : [incoming.sender])]
  return senders.every((sender) => senderIsTrusted(bank, sender, account.trusted_senders)) ? null : 'unknown_sender'
}
