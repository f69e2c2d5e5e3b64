/** SMS senders that an owner believes beside the banks' own (decisions, "Trust"). */
import { senderKey } from '../notification/directory.ts'
import type { Account } from './account.ts'
import { differing } from './change.ts'
import type { AccountEvent } from './events.ts'

/** Names that are compared as equal are one. @returns nothing where the list is the same */
export const setTrustedSenders = (account: Account, senders: readonly string[]): AccountEvent[] => {
  const trusted_senders = [...new Map(senders.map((sender) => [senderKey(sender), sender])).values()]
  const { user_id } = account
  return differing({ trusted_senders: account.trusted_senders }, { trusted_senders }) === null
    ? []
    : [{ type: 'TrustedSendersSet', data: { user_id, trusted_senders } }]
}
