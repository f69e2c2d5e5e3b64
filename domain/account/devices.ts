/**
 * Devices: phones that post notifications with their own token. The owner invites a device with a code that is shown as a QR code.
 * The first phone that sends the code is paired. The limit of the plan (interface, section 8) is decided on the account's own
 * events, so that parallel calls cannot exceed it.
 */
import { Refused } from '../errors.ts'
import type { Account, Device, Invitation } from './state.ts'
import { differing } from './change.ts'
import type { AccountEvent } from './events.ts'
import { refuseOverPlan } from './plan.ts'
import { notFound } from './refusals.ts'
import { isToken } from './tokens.ts'

/** How long a pairing code is valid. */
const PAIRING_MS = 10 * 60_000

const isOpen = ({ expires_at }: Invitation, at: Date): boolean => Date.parse(expires_at) > at.getTime()

/** Invitations that can still be paired. They count towards the limit. */
export const openInvitations = ({ invitations }: Account, at: Date): Invitation[] =>
  [...invitations.values()].filter((invitation) => isOpen(invitation, at))

const refuseOverLimit = (account: Account, at: Date): void =>
  refuseOverPlan(account, 'devices', account.devices.size + openInvitations(account, at).length, at)

/**
 * Adds a device whose token is entered by hand.
 * @throws {Refused} DEVICE_LIMIT_REACHED with the plan and its limit
 */
export const addDevice = (
  account: Account,
  { device_id, name, token_hash, at }: { device_id: number; name: string; token_hash: string; at: Date },
): AccountEvent[] => {
  refuseOverLimit(account, at)
  const { user_id } = account
  return [{ type: 'DeviceAdded', data: { user_id, device_id, name, token_hash, created_at: at.toISOString() } }]
}

/**
 * Invites a device, which must be paired within ten minutes.
 * @throws {Refused} DEVICE_LIMIT_REACHED with the plan and its limit
 */
export const inviteDevice = (
  account: Account,
  { device_id, name, code_hash, at }: { device_id: number; name: string; code_hash: string; at: Date },
): AccountEvent[] => {
  refuseOverLimit(account, at)
  const { user_id } = account
  const expires_at = new Date(at.getTime() + PAIRING_MS).toISOString()
  const created_at = at.toISOString()
  return [{ type: 'DeviceInvited', data: { user_id, device_id, name, code_hash, expires_at, created_at } }]
}

export interface PairDevice {
  code: string
  token_hash: string
  platform: string | null
  model: string | null
  at: Date
}

/** @throws {Refused} UNAUTHORIZED for a code that is unknown, used or expired. The error does not say which. */
export const pairDevice = (
  account: Account,
  { code, token_hash, platform, model, at }: PairDevice,
): [Extract<AccountEvent, { type: 'DevicePaired' }>] => {
  const invited = openInvitations(account, at).find(({ code_hash }) => isToken(code, code_hash))
  if (!invited) throw new Refused('UNAUTHORIZED', 'The pairing code is invalid or has expired.')
  const { user_id } = account
  return [{ type: 'DevicePaired', data: { user_id, device_id: invited.device_id, token_hash, platform, model } }]
}

/** @throws {Refused} NOT_FOUND if the device is neither paired nor can be paired */
export const deviceOf = (account: Account, deviceId: number, at: Date): Device | Invitation => {
  const invitation = account.invitations.get(deviceId)
  const device = account.devices.get(deviceId) ?? (invitation && isOpen(invitation, at) ? invitation : undefined)
  if (!device) throw notFound('device')
  return device
}

/** @returns nothing if the name is the same · @throws {Refused} NOT_FOUND */
export const renameDevice = (
  account: Account,
  { device_id, name, at }: { device_id: number; name?: string | undefined; at: Date },
): AccountEvent[] => {
  const changed = differing<{ name: string }>(deviceOf(account, device_id, at), { name })
  return changed?.name === undefined
    ? []
    : [{ type: 'DeviceRenamed', data: { user_id: account.user_id, device_id, name: changed.name } }]
}

/** Its token or pairing code becomes invalid at once. @throws {Refused} NOT_FOUND */
export const removeDevice = (account: Account, deviceId: number, at: Date): AccountEvent[] => {
  const { device_id } = deviceOf(account, deviceId, at)
  return [{ type: 'DeviceRemoved', data: { user_id: account.user_id, device_id } }]
}
