/** Devices: listing, inviting with a QR code, pairing, renaming, removing. */
import type Router from '@koa/router'
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Device, Invitation } from '../../../domain/account/account.ts'
import { deviceOf, openInvitations } from '../../../domain/account/devices.ts'
import { inviteDevice, pairDevice, removeDevice, renameDevice } from '../../../workflows/accounts/devices.ts'
import { qrSvg } from '../../qr-code.ts'
import {
  answer,
  answerCreated,
  answerMessage,
  idOf,
  occasionOf,
  type ApiMiddleware,
  type ApiState,
  type Handler,
} from '../context.ts'
import { body, noBody } from '../input.ts'
import { settled, type ApiParts } from '../parts.ts'
import type { rateLimits } from '../rate-limits.ts'
import { line, readOnly, withoutReadOnly } from '../requests.ts'

export const DeviceCreation = z.strictObject({ name: line(100) })

const READ_ONLY = ['id', 'paired', 'expires_at', 'platform', 'model', 'created_at', 'last_heard_at', 'silent_since']

export const DeviceChange = z
  .strictObject({ ...readOnly(...READ_ONLY), ...DeviceCreation.partial().shape })
  .transform((given) => withoutReadOnly(given, READ_ONLY))

/** Apps of other versions send more: on receiving paths it is passed over. */
export const Pairing = z.object({
  code: z.string().trim().min(1, 'This must not be empty.').max(300),
  platform: line(100).nullish(),
  model: line(200).nullish(),
})

/** The code and the token are never in it. */
const presentDevice = (device: Device | Invitation) => ({
  id: device.device_id,
  name: device.name,
  paired: 'token_hash' in device,
  expires_at: 'token_hash' in device ? null : device.expires_at,
  platform: ('platform' in device ? device.platform : null) ?? null,
  model: ('model' in device ? device.model : null) ?? null,
  created_at: device.created_at,
})

/** What a phone's app reads from the QR code. */
const pairingLink = (baseUrl: string, code: string): string =>
  `baoco://pair?url=${encodeURIComponent(baseUrl)}&code=${encodeURIComponent(code)}`

export const deviceRoutes = (router: Router<ApiState>, parts: ApiParts, signedIn: ApiMiddleware): void => {
  const { clock, settings } = parts

  const listDevices: ApiMiddleware = (context) => {
    const { account } = context.state
    const all = [...account.devices.values(), ...openInvitations(account, clock.now())]
    answer(context, all.sort((a, b) => b.device_id - a.device_id).map(presentDevice))
  }

  const showDevice: ApiMiddleware = (context) =>
    answer(context, presentDevice(deviceOf(context.state.account, idOf(context), clock.now())))

  const addDevice: Handler<z.infer<typeof DeviceCreation>> = async (context, { name }) => {
    const invited = await inviteDevice(parts, occasionOf(context, clock), name)
    await settled(parts, invited)
    const { invitation, pairing_code } = invited
    const { device_id: id, expires_at } = invitation
    const qr_svg = await qrSvg(pairingLink(settings.baseUrl, pairing_code))
    answerCreated(context, { id, name: invitation.name, pairing_code, expires_at, qr_svg })
  }

  const changeDevice: Handler<z.infer<typeof DeviceChange>> = async (context, { name }) => {
    const renamed = await renameDevice(parts, occasionOf(context, clock), idOf(context), name)
    await settled(parts, renamed)
    answer(context, presentDevice(renamed.device))
  }

  const deleteDevice: Handler<undefined> = async (context) => {
    await settled(parts, await removeDevice(parts, occasionOf(context, clock), idOf(context)))
    answerMessage(context, 'The device was removed; its token is void.')
  }

  router.get('/api/devices', signedIn, listDevices)
  router.post('/api/devices', signedIn, body(DeviceCreation, addDevice))
  router.get('/api/devices/:id', signedIn, showDevice)
  router.put('/api/devices/:id', signedIn, body(DeviceChange, changeDevice))
  router.delete('/api/devices/:id', signedIn, noBody(deleteDevice))
}

/** What the phone calls; the code is its credential. */
export const pairingRoutes = (
  router: Router<ApiState>,
  parts: ApiParts,
  limited: ReturnType<typeof rateLimits>,
): void => {
  const pair: Handler<z.infer<typeof Pairing>> = async (context, { code, platform = null, model = null }) => {
    const request = randomUUID()
    const occasion = { at: parts.clock.now(), correlation_id: request, causation_id: request }
    const { device_id, device_token, name, checkpoint } = await pairDevice(parts, occasion, { code, platform, model })
    await settled(parts, { checkpoint })
    answer(context, { device_id, device_token, name })
  }

  router.post('/api/receive/pair', limited('receive'), body(Pairing, pair))
}
