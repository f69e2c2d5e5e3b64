/** An account at a bank is known from the first notification on that names it: listed, alerted, and it can be switched off. */
import { bankAccountOf, seeBankAccount } from '../../domain/account/bank-accounts.ts'
import type { EventStore, Clock, Ids } from '../../domain/ports.ts'
import { accountCache } from '../accounts/accounts.ts'
import { execute } from '../execute.ts'
import { reaction, type Reaction } from './reaction.ts'

/** Accounts remembered: one that is asks the store for nothing when it names a bank account that is known. */
const REMEMBERED = 10_000

export const seeBankAccounts = (store: EventStore, clock: Clock, ids: Ids): Reaction => {
  const cache = accountCache(REMEMBERED)
  return reaction('see_bank_account', ['transaction-'], {
    TransactionCaptured: async ({ id, data, metadata: { correlation_id } }) => {
      const { user_id, bank_code, account_number, transaction_id } = data
      const named = { bank_code, account_number, transaction_id }
      const known = cache.get(String(user_id)).state
      if (account_number === null || (known && bankAccountOf(known, named))) return 'nothing'
      const [bank_account_id] = (await ids.next(1)) as [number]
      const occasion = { user_id, at: clock.now(), correlation_id, causation_id: id }
      await execute(store, cache, String(user_id), occasion, ({ state }) =>
        state ? seeBankAccount(state, { ...named, bank_account_id }) : [],
      )
    },
  })
}
