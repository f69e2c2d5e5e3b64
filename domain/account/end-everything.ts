// Tests: tests/integration/http/session.test.ts
/**
 * Ends all access to an account besides its password. It is for an owner who cannot tell what a stranger created or copied while
 * the stranger had the password. Rules, mailboxes, trusted senders, bank accounts and inboxes stay. They give no access, but the owner must check
 * them: a mailbox or a trusted sender of the stranger's can still report payments.
 */
import type { Account } from './state.ts'
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
}

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
  ]
}

/** Ends every session and JWT. */
export const endLogins = ({ user_id, token_version }: Account): AccountEvent[] => [
  { type: 'LoginsEnded', data: { user_id, token_version: token_version + 1 } },
]

/** The accesses that `endEverything` would end, to show to the owner. */
export const whatEnds = ({ key_hash, receive_url, api_keys, devices, counter_hash }: Account): Ended => ({
  api_key: key_hash !== null,
  scoped_keys: api_keys.size,
  personal_url: receive_url !== null,
  devices: devices.size,
  counter: counter_hash !== null,
})
