/** Which webhooks a payment would call. The server decides in the same way; this shows it beforehand. */
import type { BankAccount, Parsed, Rule, System, Transaction } from '../api/types.ts'

export const calledRules = (
  { bank_code, transaction_type, amount, order_id }: NonNullable<Parsed['transaction']>,
  rules: readonly Rule[],
  systems: readonly System[],
): Rule[] => {
  // The order id begins with the longest of the prefixes that fit.
  const [system] = systems
    .filter(({ is_active, payment_prefix }) => is_active === 1 && order_id?.startsWith(payment_prefix))
    .sort((a, b) => b.payment_prefix.length - a.payment_prefix.length)
  if (!system) return []
  return rules.filter(
    (rule) =>
      rule.is_active === 1 &&
      (rule.system_id === null || rule.system_id === system.id) &&
      (rule.filter_banks.length === 0 || rule.filter_banks.includes(bank_code)) &&
      (rule.filter_type === 'both' || rule.filter_type === transaction_type) &&
      (rule.min_amount === null || Number(amount) >= rule.min_amount),
  )
}

/** The account that keeps a payment from every webhook until its owner confirms it. Money out does not wait. */
export const unconfirmedAccount = (
  {
    bank_code,
    transaction_type,
    account_number,
  }: Pick<Transaction, 'bank_code' | 'transaction_type' | 'account_number'>,
  accounts: readonly BankAccount[],
): BankAccount | undefined =>
  transaction_type === 'credit'
    ? accounts.find((each) => !each.confirmed && each.bank_code === bank_code && each.account_number === account_number)
    : undefined
