// Tests: tests/attack/chat-texts.test.ts
/**
 * Whether the title of an SMS app's push counts as the sender (decisions, "Trust", T3). The title may be a stranger's profile name
 * or the name of a group. So it counts only if the owner has enabled it, for one device or for the personal URL.
 */
import { devicePath, URL_PATH } from '../arrival/receive-paths.ts'
import type { Account } from './state.ts'
import { deviceOf } from './devices.ts'
import type { AccountEvent } from './events.ts'

/** @param deviceId  null: the personal URL */
export const trustsSmsAppTitles = ({ sms_app_titles }: Account, deviceId: number | null): boolean =>
  sms_app_titles.has(deviceId === null ? URL_PATH : devicePath(deviceId))

/**
 * @param device_id  null: the personal URL
 * @param trusted  undefined: unchanged
 * @returns nothing if nothing changes · @throws {Refused} NOT_FOUND
 */
export const trustSmsAppTitles = (
  account: Account,
  { device_id, trusted, at }: { device_id: number | null; trusted: boolean | undefined; at: Date },
): AccountEvent[] => {
  if (device_id !== null) deviceOf(account, device_id, at)
  if (trusted === undefined || trusted === trustsSmsAppTitles(account, device_id)) return []
  return [{ type: 'SmsAppTitlesTrusted', data: { user_id: account.user_id, device_id, trusted } }]
}
