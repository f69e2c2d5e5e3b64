/** A phone of the owner of the API under test. */
import { formToken, hashOfToken } from '../../../domain/account/tokens.ts'
import type { ApiUnderTest } from './api-under-test.ts'

/** @returns its token */
export const pairPhone = async (
  { owner: { user_id }, decree }: Pick<ApiUnderTest, 'owner' | 'decree'>,
  device_id = 77,
): Promise<string> => {
  const token = formToken('device', user_id, String(device_id).padStart(43, 'd'))
  const created_at = new Date().toISOString()
  const data = { user_id, device_id, name: 'phone', token_hash: hashOfToken(token), created_at }
  await decree(user_id, { type: 'DeviceAdded', data })
  return token
}
