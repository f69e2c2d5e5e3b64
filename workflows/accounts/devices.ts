// Tests: tests/integration/http/sources.test.ts
/** Commands on devices: load → decide → append. */
import type { Account, Device, Invitation } from '../../domain/account/account.ts'
import * as decide from '../../domain/account/devices.ts'
import { trustSmsAppTitles } from '../../domain/account/sms-app-titles.ts'
import { userOfToken } from '../../domain/account/tokens.ts'
import { Refused } from '../../domain/errors.ts'
import type { Checkpoint } from '../../domain/ports.ts'
import type { Occasion } from '../support/stamp.ts'
import { nextId } from '../support/next-id.ts'
import type { AccountParts, OwnersOccasion } from './accounts.ts'
import { newPairingCode, newToken } from './secrets.ts'

type DeviceParts = Pick<AccountParts, 'accounts' | 'ids'>

/** Creates a device. Its token is shown once. @throws {Refused} DEVICE_LIMIT_REACHED · {StoreUnavailable} */
export const newDevice = async (
  { accounts, ids }: DeviceParts,
  occasion: OwnersOccasion,
  name: string,
): Promise<{ device_id: number; token: string; checkpoint: Checkpoint | null }> => {
  const device_id = await nextId(ids)
  const { token, hash } = newToken('device', occasion.user_id)
  const { checkpoint } = await accounts.change(occasion, (account) =>
    decide.addDevice(account, { device_id, name, token_hash: hash, at: occasion.at }),
  )
  return { device_id, token, checkpoint }
}

export interface Invited {
  invitation: Invitation
  /** Shown once. */
  pairing_code: string
  checkpoint: Checkpoint | null
}

/** @throws {Refused} DEVICE_LIMIT_REACHED · {StoreUnavailable} */
export const inviteDevice = async (
  { accounts, ids }: DeviceParts,
  occasion: OwnersOccasion,
  name: string,
): Promise<Invited> => {
  const device_id = await nextId(ids)
  const { token: pairing_code, hash } = newPairingCode(occasion.user_id)
  const { account, checkpoint } = await accounts.change(occasion, (account) =>
    decide.inviteDevice(account, { device_id, name, code_hash: hash, at: occasion.at }),
  )
  return { invitation: account.invitations.get(device_id)!, pairing_code, checkpoint }
}

export interface Paired {
  device_id: number
  name: string
  /** Shown once. */
  device_token: string
  checkpoint: Checkpoint | null
}

/**
 * The caller with the code gets the device token. The code becomes void.
 * @throws {Refused} UNAUTHORIZED for a code that is unknown, used or expired · {StoreUnavailable}
 */
export const pairDevice = async (
  { accounts }: Pick<DeviceParts, 'accounts'>,
  occasion: Omit<Occasion, 'user_id'>,
  { code, platform, model }: { code: string; platform: string | null; model: string | null },
): Promise<Paired> => {
  const user_id = userOfToken('pairing', code)
  // The account is looked up first, so that made-up codes leave no trace among the cached accounts.
  if (user_id === null || !(await accounts.find(user_id)))
    throw new Refused('UNAUTHORIZED', 'The pairing code is invalid or has expired.')
  const { token: device_token, hash: token_hash } = newToken('device', user_id)
  const { account, checkpoint } = await accounts.change({ ...occasion, user_id }, (account) =>
    decide.pairDevice(account, { code, token_hash, platform, model, at: occasion.at }),
  )
  const device = [...account.devices.values()].find((each) => each.token_hash === token_hash)!
  return { device_id: device.device_id, name: device.name, device_token, checkpoint }
}

/** @throws {Refused} NOT_FOUND · {StoreUnavailable} */
export const changeDevice = async (
  { accounts }: Pick<DeviceParts, 'accounts'>,
  occasion: OwnersOccasion,
  device_id: number,
  { name, trust_sms_app_titles: trusted }: { name?: string | undefined; trust_sms_app_titles?: boolean | undefined },
): Promise<{ device: Device | Invitation; account: Account; checkpoint: Checkpoint | null }> => {
  const { at } = occasion
  const { account, checkpoint } = await accounts.change(occasion, (account) => [
    ...decide.renameDevice(account, { device_id, name, at }),
    ...trustSmsAppTitles(account, { device_id, trusted, at }),
  ])
  return { device: decide.deviceOf(account, device_id, at), account, checkpoint }
}
