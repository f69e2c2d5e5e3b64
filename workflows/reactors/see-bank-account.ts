// Tests: tests/attack/new-bank-accounts.test.ts
/**
 * Records a bank account at the first notification that names it. Then it is listed, an alert is raised, and its owner
 * can switch it off.
 */
import { bankAccountOf, seeBankAccount } from '../../domain/account/bank-accounts.ts'
import type { PlanAccount } from '../../domain/plan-order/plan-order.ts'
import type { EventStore, Clock, Ids } from '../../domain/ports.ts'
import { accountCache } from '../accounts/accounts.ts'
import { execute } from '../support/execute.ts'
import { reactor, type Reactor } from './reactor.ts'

/** Number of cached accounts. For a cached account, a known bank account needs no read of the store. */
const REMEMBERED = 10_000

export interface SeeBankAccountsParts {
  store: EventStore
  clock: Clock
  ids: Ids
  /** The account that receives plan payments: the operator's own. */
  plans: PlanAccount | null
}

export const seeBankAccounts = ({ store, clock, ids, plans }: SeeBankAccountsParts): Reactor => {
  const cache = accountCache(REMEMBERED)
  return reactor('see_bank_account', ['transaction-'], {
    TransactionCaptured: async ({ id, data, metadata: { correlation_id } }) => {
      const { user_id, bank_code, account_number, transaction_id, created_at } = data
      const named = { bank_code, account_number, transaction_id }
      const known = cache.get(String(user_id)).state
      if (account_number === null || (known && bankAccountOf(known, named))) return 'nothing'
      const [bank_account_id] = (await ids.next(1)) as [number]
      const occasion = { user_id, at: clock.now(), correlation_id, causation_id: id }
      // Judged by the time of arrival, as in capture, because this runs later and may run again.
      const seen = { ...named, bank_account_id, at: new Date(created_at), own: plans }
      await execute(store, cache, String(user_id), occasion, ({ state }) => (state ? seeBankAccount(state, seen) : []))
    },
  })
}
