// Tests: tests/integration/http/connect-a-phone.test.ts
/** Devices: list, invite with a QR code, pair, rename, remove. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Account, Device as DeviceState, Invitation as InvitationState } from '../../../domain/account/account.ts'
import { deviceOf, openInvitations, removeDevice } from '../../../domain/account/devices.ts'
import { trustsSmsAppTitles } from '../../../domain/account/sms-app-titles.ts'
import { inviteDevice, pairDevice, changeDevice } from '../../../workflows/accounts/devices.ts'
import { devicePath } from '../../../domain/arrival/receive-paths.ts'
import { lastSeenOf, type LastSeen } from '../../../projections/account/last-seen-queries.ts'
import { TRUST_SMS_APP_TITLES } from './account.ts'
import { LAST_SEEN_READ_ONLY, lastSeenFields } from './last-seen.ts'
import { qrSvg } from './qr-code.ts'
import { correlationIn, idOf, occasionOf, type ApiContext } from '../context.ts'
import { body, noBody } from '../openapi/input.ts'
import { created, data, message } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { refuses, scopes, type Operations } from '../openapi/operations.ts'
import { changeOwnAccount, settled, type ApiParts } from '../parts.ts'
import type { Limited } from '../middleware/rate-limits.ts'
import { line, readOnly, withoutReadOnly } from './request-fields.ts'
import { id, moment } from '../../../domain/fields.ts'

const DeviceCreation = z.strictObject({ name: line(100) })

const trustFields = z.object({ trust_sms_app_titles: z.boolean().meta(TRUST_SMS_APP_TITLES) })

const READ_ONLY = ['id', 'paired', 'expires_at', 'platform', 'model', 'created_at', ...LAST_SEEN_READ_ONLY]

const DeviceChange = z
  .strictObject({ ...readOnly(...READ_ONLY), ...DeviceCreation.partial().shape, ...trustFields.partial().shape })
  .transform((given) => withoutReadOnly(given, READ_ONLY))

/** Other app versions may send more fields. The receive path ignores unknown fields. */
const Pairing = z.object({
  code: z.string().trim().min(1, 'This must not be empty.').max(300),
  platform: line(100).nullish(),
  model: line(200).nullish(),
})

const Device = z
  .strictObject({
    id,
    name: z.string(),
    paired: z.boolean(),
    expires_at: moment
      .nullable()
      .meta({ description: 'When the pairing code expires; null once the device is paired.' }),
    platform: z.string().nullable(),
    model: z.string().nullable(),
    ...trustFields.shape,
    ...lastSeenFields,
    created_at: moment,
  })
  .meta({ id: 'Device' })

const Invitation = z
  .strictObject({ id, name: z.string(), pairing_code: z.string(), expires_at: moment, qr_svg: z.string() })
  .meta({ id: 'Invitation' })

const Paired = z.strictObject({ device_id: id, device_token: z.string(), name: z.string() }).meta({ id: 'Paired' })

/** It never includes the code or the token. */
const presentDevice = (
  account: Account,
  device: DeviceState | InvitationState,
  lastSeen: LastSeen,
): z.infer<typeof Device> => ({
  id: device.device_id,
  name: device.name,
  paired: 'token_hash' in device,
  expires_at: 'token_hash' in device ? null : device.expires_at,
  platform: ('platform' in device ? device.platform : null) ?? null,
  model: ('model' in device ? device.model : null) ?? null,
  trust_sms_app_titles: trustsSmsAppTitles(account, device.device_id),
  ...lastSeen,
  created_at: device.created_at,
})

/** The link that a phone's app reads from the QR code. */
const pairingLink = (baseUrl: string, code: string): string =>
  `baoco://pair?url=${encodeURIComponent(baseUrl)}&code=${encodeURIComponent(code)}`

export const deviceRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { clock, database, settings } = parts
  const { get, post, put, remove } = operations.of('Devices', signedIn)

  const presented = async (account: Account, devices: readonly (DeviceState | InvitationState)[]) => {
    const lastSeen = await lastSeenOf(database.of(account.user_id), account.user_id, clock.now())
    return devices.map((device) => presentDevice(account, device, lastSeen(devicePath(device.device_id))))
  }
  const presentedOne = async (account: Account, device: DeviceState | InvitationState) =>
    (await presented(account, [device]))[0]!

  const listDevices = (context: ApiContext) => {
    const { account } = context.state
    const all = [...account.devices.values(), ...openInvitations(account, clock.now())]
    return presented(
      account,
      all.sort((a, b) => b.device_id - a.device_id),
    )
  }

  const showDevice = (context: ApiContext) => {
    const { account } = context.state
    return presentedOne(account, deviceOf(account, idOf(context), clock.now()))
  }

  const addDevice = async (context: ApiContext, { name }: z.infer<typeof DeviceCreation>) => {
    const invited = await settled(parts, inviteDevice(parts, occasionOf(context, clock), name))
    const { invitation, pairing_code } = invited
    const { device_id: id, expires_at } = invitation
    const qr_svg = await qrSvg(pairingLink(settings.baseUrl, pairing_code))
    return { id, name: invitation.name, pairing_code, expires_at, qr_svg }
  }

  const updateDevice = async (context: ApiContext, change: z.infer<typeof DeviceChange>) => {
    const changed = await settled(parts, changeDevice(parts, occasionOf(context, clock), idOf(context), change))
    return presentedOne(changed.account, changed.device)
  }

  const deleteDevice = async (context: ApiContext) => {
    const device_id = idOf(context)
    await changeOwnAccount(parts, context, (account, at) => removeDevice(account, device_id, at))
    return 'The device was removed. Its token no longer works.'
  }

  const limit = refuses('DEVICE_LIMIT_REACHED')
  get('/api/devices', 'List devices', data(z.array(Device)), listDevices)
  post('/api/devices', 'Invite a device', scopes(), body(DeviceCreation), limit, created(Invitation), addDevice)
  get('/api/devices/:id', 'Get a device', data(Device), showDevice)
  put('/api/devices/:id', 'Update a device', body(DeviceChange), data(Device), updateDevice)
  remove('/api/devices/:id', 'Remove a device', noBody, message, deleteDevice)
}

/** The endpoint that the phone calls. The pairing code is its credential. */
export const pairingRoutes = (operations: Operations, parts: ApiParts, limited: Limited): void => {
  const { post } = operations.of('Receiving')

  const pair = async (context: ApiContext, { code, platform = null, model = null }: z.infer<typeof Pairing>) => {
    const cause = { correlation_id: correlationIn(context), causation_id: randomUUID() }
    const occasion = { at: parts.clock.now(), ...cause }
    const { device_id, device_token, name, checkpoint } = await pairDevice(parts, occasion, { code, platform, model })
    await settled(parts, { checkpoint })
    return { device_id, device_token, name }
  }

  const byCode = refuses('UNAUTHORIZED')
  post('/api/receive/pair', 'Pair a device', limited('receive'), byCode, body(Pairing), data(Paired), pair)
}
