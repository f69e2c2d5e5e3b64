/**
 * Whether a token opens an account, before the body behind it is read (decisions, "Sizes"). An account that this process has read before is
 * judged as it was then, so a good token costs no read. Capture judges the token again, on the account as it is when it stores.
 */
import type { Account } from '../../../domain/account/account.ts'
import { isToken, userOfToken } from '../../../domain/account/tokens.ts'
import type { Accounts } from '../../../workflows/accounts/accounts.ts'
import { unauthorized } from '../errors.ts'

export interface Shown {
  kind: 'device' | 'receive_url'
  token: string
}

const opens = ({ kind, token }: Shown, account: Account | null): boolean => {
  if (!account) return false
  if (kind === 'receive_url') return account.receive_url !== null && isToken(token, account.receive_url.token_hash)
  for (const { token_hash } of account.devices.values()) if (isToken(token, token_hash)) return true
  return false
}

/** @returns the user that it belongs to @throws {Refused} UNAUTHORIZED · {StoreUnavailable} */
export const checkToken = async (accounts: Pick<Accounts, 'find' | 'seen'>, shown: Shown): Promise<number> => {
  const userId = userOfToken(shown.kind, shown.token)
  if (userId === null) throw unauthorized()
  // One that is not known here may be new: only the store knows.
  if (!opens(shown, accounts.seen(userId)) && !opens(shown, await accounts.find(userId))) throw unauthorized()
  return userId
}
