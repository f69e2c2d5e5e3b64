// Tests: tests/integration/http/inbox.test.ts
/** Opens inboxes: load → decide → append. */
import * as decide from '../../domain/account/inboxes.ts'
import type { Checkpoint } from '../../domain/ports.ts'
import type { AccountParts, OwnersOccasion } from './accounts.ts'
import { newInboxToken } from './secrets.ts'
import { nextId } from '../support/next-id.ts'

/** @throws {Refused} CONFLICT · {StoreUnavailable} */
export const openInbox = async (
  { accounts, ids, vault }: Pick<AccountParts, 'accounts' | 'ids' | 'vault'>,
  occasion: OwnersOccasion,
): Promise<{ inbox_id: number; token: string; checkpoint: Checkpoint | null }> => {
  const inbox_id = await nextId(ids)
  const { token, kept } = newInboxToken(occasion.user_id, vault)
  const created_at = occasion.at.toISOString()
  const { checkpoint } = await accounts.change(occasion, (account) =>
    decide.openInbox(account, { inbox_id, ...kept, created_at }),
  )
  return { inbox_id, token, checkpoint }
}
