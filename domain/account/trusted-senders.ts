// Tests: tests/attack/missing-sender.test.ts
/** The senders that an owner trusts in addition to the banks' own (decisions, "Trust"). */
import { senderKey } from '../banks/directory.ts'
import type { Account } from './state.ts'
import { differing, type Change } from './change.ts'
import type { AccountEvent } from './events.ts'

export type TrustedSenders = Pick<Account, 'trusted_senders' | 'without_sender'>

/** Names that compare as equal count once. @returns nothing if nothing changes */
export const setTrustedSenders = (account: Account, change: Change<TrustedSenders>): AccountEvent[] => {
  const { user_id, trusted_senders, without_sender } = account
  const asked = change.trusted_senders && [
    ...new Map(change.trusted_senders.map((sender) => [senderKey(sender), sender])).values(),
  ]
  const present: TrustedSenders = { trusted_senders, without_sender }
  const changed = differing(present, { ...change, trusted_senders: asked })
  if (changed === null) return []
  const data = { ...present, ...changed }
  return [{ type: 'TrustedSendersSet', data: { user_id, ...data, trusted_senders: [...data.trusted_senders] } }]
}
