/**
 * Devices: phones that post notifications with a token of their own. One is invited with a code that its owner shows as a
 * QR code, and paired by whoever brings the code first. The limit of the plan (interface, section 8) is decided here, on the
 * account's own events, so that parallel calls cannot exceed it.
 */
import { Refused } from '../errors.ts'
import type { Account, Device, Invitation } from './state.ts'
import { differing } from './change.ts'
import type { AccountEvent } from './events.ts'
import { PLAN_LIMITS, planAt } from './plan.ts'
import { notFound } from './refusals.ts'
import { isToken } from './tokens.ts'

/** How long a pairing code is good. */
const PAIRING_MS = 10 * 60_000

const isOpen = ({ expires_at }: Invitation, at: Date): boolean => Date.parse(expires_at) > at.getTime()

/** Those that can still be paired: they count in the limit. */
export const openInvitations = ({ invitations }: Account, at: Date): Invitation[] =>
  [...invitations.values()].filter((invitation) => isOpen(invitation, at))

const refuseOverLimit = (account: Account, at: Date): void => {
  const plan = planAt(account, at)
  const limit = PLAN_LIMITS[plan].devices
  if (account.devices.size + openInvitations(account, at).length < limit) return
  throw new Refused(
    'DEVICE_LIMIT_REACHED',
    `The ${plan} plan allows at most ${limit} ${limit === 1 ? 'device' : 'devices'}.`,
    {
      plan,
      limit,
    },
  )
}

/**
 * A device whose token is given to it by hand.
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
 * A device that is to be paired within ten minutes.
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

/** @throws {Refused} UNAUTHORIZED for a code that is unknown, used or expired: which of these is not told */
export const pairDevice = (
  account: Account,
  { code, token_hash, platform, model, at }: PairDevice,
): [Extract<AccountEvent, { type: 'DevicePaired' }>] => {
  const invited = openInvitations(account, at).find(({ code_hash }) => isToken(code, code_hash))
  if (!invited) throw new Refused('UNAUTHORIZED', 'The pairing code is invalid or has expired.')
  const { user_id } = account
  return [{ type: 'DevicePaired', data: { user_id, device_id: invited.device_id, token_hash, platform, model } }]
}

/** @throws {Refused} NOT_FOUND for what is neither paired nor can be */
export const deviceOf = (account: Account, deviceId: number, at: Date): Device | Invitation => {
  const invitation = account.invitations.get(deviceId)
  const device = account.devices.get(deviceId) ?? (invitation && isOpen(invitation, at) ? invitation : undefined)
  if (!device) throw notFound('device')
  return device
}

/** @returns nothing where the name is the same · @throws {Refused} NOT_FOUND */
export const renameDevice = (
  account: Account,
  { device_id, name, at }: { device_id: number; name?: string | undefined; at: Date },
): AccountEvent[] => {
  const said = differing<{ name: string }>(deviceOf(account, device_id, at), { name })
  return said?.name === undefined
    ? []
    : [{ type: 'DeviceRenamed', data: { user_id: account.user_id, device_id, name: said.name } }]
}

/** Its token, or its pairing code, is void at once. @throws {Refused} NOT_FOUND */
export const removeDevice = (account: Account, deviceId: number, at: Date): AccountEvent[] => {
  const { device_id } = deviceOf(account, deviceId, at)
  return [{ type: 'DeviceRemoved', data: { user_id: account.user_id, device_id } }]
}
