// Tests: tests/unit/workflows/reactors/see-bank-account.test.ts, tests/attack/new-bank-accounts.test.ts
/**
 * Records a bank account at the first notification that names it. Then it is listed, an alert is raised, and its owner
 * can switch it off.
 */
import { bankAccountOf, hasMostBankAccounts, seeBankAccount } from '../../domain/account/bank-accounts.ts'
import type { EventData, KnownEvent } from '../../domain/catalogue.ts'
import { accountCache } from '../accounts/accounts.ts'
import { execute } from '../support/execute.ts'
import { nextId } from '../support/next-id.ts'
import { causedBy } from '../support/stamp.ts'
import { reactor, type Reactor, type ReactorParts } from './reactor.ts'

/** Number of cached accounts. For a cached account, a known bank account needs no read of the store. */
const REMEMBERED = 10_000

type Parts = Pick<ReactorParts, 'store' | 'clock' | 'ids' | 'plans' | 'snapshots'>

export const seeBankAccounts = ({ store, clock, ids, plans, snapshots }: Parts): Reactor => {
  const cache = accountCache(REMEMBERED, snapshots)
  /** Judged without a read, because it does not change: the number is known, or the account cannot have another one. */
  const isDone = ({ user_id, bank_code, account_number }: EventData['TransactionCaptured']): boolean => {
    if (account_number === null) return true
    const account = cache.get(String(user_id)).state
    if (account === null) return false
    return hasMostBankAccounts(account) || bankAccountOf(account, { bank_code, account_number }) !== null
  }

  const see = async (event: KnownEvent<'TransactionCaptured'>): Promise<void> => {
    const { user_id, bank_code, account_number, transaction_id, created_at } = event.data
    const bank_account_id = await nextId(ids)
    const occasion = { user_id, at: clock.now(), ...causedBy(event) }
    // Judged by the time of arrival, as in capture, because this runs later and may run again.
    const at = new Date(created_at)
    const seen = { bank_code, account_number, transaction_id, bank_account_id, at, own: plans }
    await execute(store, cache, String(user_id), occasion, ({ state }) => (state ? seeBankAccount(state, seen) : []))
  }

  return reactor('see_bank_account', ['transaction-'], {
    TransactionCaptured: (event) => (isDone(event.data) ? 'nothing' : see(event)),
  })
}
