// Tests: tests/unit/domain/account/bank-accounts.test.ts
/** The owner's accounts at banks. */
import { extended, learningFrom } from '../bank-accounts.ts'
import type { BankAccount } from '../state.ts'
import type { Handlers } from './handlers.ts'
import { changed, set } from './maps.ts'

type Types = 'BankAccountSeen' | 'BankAccountChanged' | 'BankAccountConfirmed' | 'BankAccountsLearned'

export const bankAccountHandlers: Handlers<Types> = {
  BankAccountSeen: (account, { bank_account_id, bank_code, account_number, waits = false }) => {
    const seen: BankAccount = { bank_account_id, bank_code, account_number, is_active: 1, confirmed: !waits }
    return { ...account, bank_accounts: set(account.bank_accounts, bank_account_id, seen) }
  },
  BankAccountChanged: (account, { bank_account_id, is_active }) => ({
    ...account,
    bank_accounts: changed(account.bank_accounts, bank_account_id, { is_active }),
  }),
  BankAccountConfirmed: (account, { bank_account_id }) => ({
    ...account,
    bank_accounts: changed(account.bank_accounts, bank_account_id, { confirmed: true }),
  }),
  BankAccountsLearned: (account, { from }) => ({
    ...account,
    learning: account.learning ? extended(account.learning, from) : learningFrom(from),
  }),
}
