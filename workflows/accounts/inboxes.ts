// Tests: tests/integration/http/inbox.test.ts
/** Commands on inboxes: load → decide → append. */
import type { Inbox } from '../../domain/account/account.ts'
import * as decide from '../../domain/account/inboxes.ts'
import type { Checkpoint, Ids, Vault } from '../../domain/ports.ts'
import type { Accounts, OwnersOccasion } from './accounts.ts'
import { newInboxToken } from './secrets.ts'
import { nextId } from '../support/next-id.ts'

export interface InboxParts {
  accounts: Accounts
  ids: Ids
  vault: Vault
}

/** @throws {Refused} CONFLICT · {StoreUnavailable} */
export const openInbox = async (
  { accounts, ids, vault }: InboxParts,
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

/** @throws {Refused} NOT_FOUND · {StoreUnavailable} */
export const changeInbox = async (
  { accounts }: Pick<InboxParts, 'accounts'>,
  occasion: OwnersOccasion,
  inbox_id: number,
  change: decide.InboxChange,
): Promise<{ inbox: Inbox; checkpoint: Checkpoint | null }> => {
  const { account, checkpoint } = await accounts.change(occasion, (account) =>
    decide.changeInbox(account, { inbox_id, change }),
  )
  return { inbox: account.inboxes.get(inbox_id)!, checkpoint }
}

/** @throws {Refused} NOT_FOUND · {StoreUnavailable} */
export const closeInbox = (
  { accounts }: Pick<InboxParts, 'accounts'>,
  occasion: OwnersOccasion,
  inbox_id: number,
): Promise<{ checkpoint: Checkpoint | null }> =>
  accounts.change(occasion, (account) => decide.closeInbox(account, inbox_id))
