// Tests: tests/attack/accounts.test.ts
/**
 * Ends all access to an account besides its password, and all ways to report a payment to it. It is for an owner who cannot tell what a
 * stranger created or copied while the stranger had the password. Mailboxes are paused, because the owner can resume their own. Rules, bank
 * accounts, inboxes and the alert address stay, and the owner must check them.
 */
import { pauseMailAccount } from './mail-accounts.ts'
import { setTrustedSenders } from './trusted-senders.ts'
import { trustsSmsAppTitles } from './sms-app-titles.ts'
import type { Account, MailAccount } from './state.ts'
import type { AccountEvent } from './events.ts'

/** The accesses that were ended. */
export interface Ended {
  /** The account's own API key. */
  api_key: boolean
  /** Scoped keys. */
  scoped_keys: number
  personal_url: boolean
  /** Paired phones. Invitations end too. */
  devices: number
  counter: boolean
  /** Mailboxes, which are paused. */
  mail_accounts: number
  /** Names of senders that are no longer trusted. */
  trusted_senders: number
}

/** Why a mailbox is paused. Mails and the dashboard translate this sentence (`workflows/texts/mailbox-reasons.ts`). */
export const AFTER_A_BREAK_IN = 'Somebody else had access to the account, so check that the mailbox is yours.'

/** @returns the mailboxes that are read */
const readMailboxes = ({ mail_accounts }: Account): MailAccount[] =>
  [...mail_accounts.values()].filter(({ is_active, paused }) => is_active === 1 && paused === null)

export const endEverything = (account: Account): AccountEvent[] => {
  const { user_id, key_hash, receive_url, api_keys, devices, invitations, counter_hash } = account
  const own = { user_id }
  return [
    ...(key_hash === null ? [] : [{ type: 'ApiKeyRevoked' as const, data: own }]),
    ...[...api_keys.keys()].map((api_key_id) => ({ type: 'ScopedKeyRemoved' as const, data: { ...own, api_key_id } })),
    ...(receive_url === null ? [] : [{ type: 'ReceiveUrlRevoked' as const, data: own }]),
    ...[...devices.keys(), ...invitations.keys()].map((device_id) => ({
      type: 'DeviceRemoved' as const,
      data: { ...own, device_id },
    })),
    ...(counter_hash === null ? [] : [{ type: 'CounterClosed' as const, data: own }]),
    ...readMailboxes(account).flatMap((mailbox) => pauseMailAccount(account, { ...mailbox, reason: AFTER_A_BREAK_IN })),
    ...setTrustedSenders(account, { trusted_senders: [], without_sender: false }),
    // Those of devices end with the devices.
    ...(trustsSmsAppTitles(account, null)
      ? [{ type: 'SmsAppTitlesTrusted' as const, data: { ...own, device_id: null, trusted: false } }]
      : []),
  ]
}

/** Ends every session and JWT. */
export const endLogins = ({ user_id, token_version }: Account): AccountEvent[] => [
  { type: 'LoginsEnded', data: { user_id, token_version: token_version + 1 } },
]

/** The accesses that `endEverything` would end, to show to the owner. */
export const whatEnds = (account: Account): Ended => ({
  api_key: account.key_hash !== null,
  scoped_keys: account.api_keys.size,
  personal_url: account.receive_url !== null,
  devices: account.devices.size,
  counter: account.counter_hash !== null,
  mail_accounts: readMailboxes(account).length,
  trusted_senders: account.trusted_senders.length,
})
