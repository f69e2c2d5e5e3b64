/**
 * Accounts at banks, known from their first notification on. An owner can switch one off: it is private, and no shop is told
 * of it.
 */
import { digitsContradict } from '../book/account-digits.ts'
import type { Account, BankAccount } from './account.ts'
import type { AccountEvent } from './events.ts'
import { notFound } from './refusals.ts'

/** As a notification names one: number as printed, masked digits included. */
export interface NamedAccount {
  bank_code: string
  account_number: string | null
}

/**
 * The known account that a notification names: the very number, else the first whose visible digits do not contradict, as one
 * channel of a bank masks what another prints. Null where none is known or no number is printed.
 */
export const bankAccountOf = (account: Account, { bank_code, account_number }: NamedAccount): BankAccount | null => {
  if (account_number === null) return null
  const ofBank = [...account.bank_accounts.values()].filter((each) => each.bank_code === bank_code)
  return (
    ofBank.find((each) => each.account_number === account_number) ??
    ofBank.find((each) => !digitsContradict(each.account_number, account_number)) ??
    null
  )
}

/** Whether its owner has switched off the account that a notification names. */
export const isSwitchedOff = (account: Account, named: NamedAccount): boolean =>
  bankAccountOf(account, named)?.is_active === 0

/** @returns nothing where it is known already, or no number is printed */
export const seeBankAccount = (
  account: Account,
  { bank_account_id, transaction_id, ...named }: NamedAccount & { bank_account_id: number; transaction_id: number },
): AccountEvent[] => {
  const { bank_code, account_number } = named
  if (account_number === null || bankAccountOf(account, named)) return []
  const { user_id } = account
  return [{ type: 'BankAccountSeen', data: { user_id, bank_account_id, bank_code, account_number, transaction_id } }]
}

/** @returns nothing where it is so already · @throws {Refused} NOT_FOUND */
export const changeBankAccount = (
  account: Account,
  { bank_account_id, is_active }: { bank_account_id: number; is_active?: 0 | 1 | undefined },
): AccountEvent[] => {
  const known = account.bank_accounts.get(bank_account_id)
  if (!known) throw notFound('bank account')
  if (is_active === undefined || is_active === known.is_active) return []
  return [{ type: 'BankAccountChanged', data: { user_id: account.user_id, bank_account_id, is_active } }]
}
