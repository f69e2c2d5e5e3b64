// Tests: tests/unit/domain/account/devices.test.ts
/** Sources of notifications: personal URL, devices, mailboxes, and which of them are trusted. */
import { devicePath, URL_PATH } from '../../arrival/receive-paths.ts'
import type { MailAccount } from '../state.ts'
import type { Handlers } from './handlers.ts'
import { changed, set, without } from './maps.ts'

type Types =
  | 'ReceiveUrlRotated'
  | 'ReceiveUrlRevoked'
  | 'DeviceAdded'
  | 'DeviceInvited'
  | 'DevicePaired'
  | 'DeviceRenamed'
  | 'SmsAppTitlesTrusted'
  | 'DeviceRemoved'
  | 'MailAccountAdded'
  | 'MailAccountChanged'
  | 'MailAccountPaused'
  | 'MailAccountRemoved'
  | 'TrustedSendersSet'

/** @param deviceId  null: the personal URL */
const withPath = (paths: ReadonlySet<string>, deviceId: number | null, isIn: boolean): ReadonlySet<string> => {
  const path = deviceId === null ? URL_PATH : devicePath(deviceId)
  if (paths.has(path) === isIn) return paths
  return isIn ? new Set(paths).add(path) : new Set([...paths].filter((each) => each !== path))
}

export const sourceHandlers: Handlers<Types> = {
  ReceiveUrlRotated: (account, data) => ({
    ...account,
    receive_url: { token_hash: data.token_hash, sealed_token: data.sealed_token },
    had_receive_url: true,
  }),
  ReceiveUrlRevoked: (account) => ({ ...account, receive_url: null }),
  DeviceAdded: (account, { user_id: _, ...device }) => ({
    ...account,
    devices: set(account.devices, device.device_id, device),
  }),
  DeviceInvited: (account, { user_id: _, ...invitation }) => ({
    ...account,
    invitations: set(account.invitations, invitation.device_id, invitation),
  }),
  DevicePaired: (account, { device_id, token_hash, platform, model }) => {
    const invitation = account.invitations.get(device_id)
    if (!invitation) return account
    const { name, created_at } = invitation
    return {
      ...account,
      invitations: without(account.invitations, device_id),
      devices: set(account.devices, device_id, { device_id, name, token_hash, created_at, platform, model }),
    }
  },
  DeviceRenamed: (account, { device_id, name }) => ({
    ...account,
    invitations: changed(account.invitations, device_id, { name }),
    devices: changed(account.devices, device_id, { name }),
  }),
  SmsAppTitlesTrusted: (account, { device_id, trusted }) => ({
    ...account,
    sms_app_titles: withPath(account.sms_app_titles, device_id, trusted),
  }),
  DeviceRemoved: (account, data) => ({
    ...account,
    sms_app_titles: withPath(account.sms_app_titles, data.device_id, false),
    invitations: without(account.invitations, data.device_id),
    devices: without(account.devices, data.device_id),
  }),
  MailAccountAdded: (account, { user_id: _, ...added }) => {
    const mailAccount: MailAccount = { ...added, since: added.created_at, paused: null }
    return { ...account, mail_accounts: set(account.mail_accounts, added.mail_account_id, mailAccount) }
  },
  MailAccountChanged: (account, data) => {
    const change = { ...data, paused: null }
    return { ...account, mail_accounts: changed(account.mail_accounts, data.mail_account_id, change) }
  },
  MailAccountPaused: (account, { mail_account_id, reason }) => ({
    ...account,
    mail_accounts: changed(account.mail_accounts, mail_account_id, { paused: reason }),
  }),
  MailAccountRemoved: (account, data) => ({
    ...account,
    mail_accounts: without(account.mail_accounts, data.mail_account_id),
  }),
  TrustedSendersSet: (account, data) => ({
    ...account,
    trusted_senders: data.trusted_senders,
    without_sender: data.without_sender ?? account.without_sender,
  }),
}
