/** Finds the rules that a transaction fires, and its first status (sections 3.1 and 6 of the interface). */
import type { Account, Rule, System } from '../account/account.ts'
import { isSwitchedOff } from '../account/bank-accounts.ts'
import { atLeast, money, type Money } from '../money.ts'

export interface Movement {
  bank_code: string
  transaction_type: 'credit' | 'debit'
  amount: Money
  /** As printed. Null if it is not printed. */
  account_number: string | null
}

/** The order id that the reader found in a text. `prefix` is the user's prefix that it matched. Null if it matched none. */
export interface FoundOrderId {
  order_id: string
  prefix: string | null
}

export interface Matched {
  order_id: string | null
  prefix: string | null
  /** One delivery each, in the order in which the rules were created. */
  rules: number[]
  webhook_status: 'pending' | 'no_match' | 'skipped'
}

const fits = (rule: Rule, system: System, { bank_code, transaction_type, amount }: Movement): boolean =>
  rule.is_active === 1 &&
  (rule.system_id === null || rule.system_id === system.system_id) &&
  (rule.filter_banks.length === 0 || rule.filter_banks.includes(bank_code)) &&
  (rule.filter_type === 'both' || rule.filter_type === transaction_type) &&
  (rule.min_amount === null || atLeast(amount, money(String(rule.min_amount))))

/**
 * @param found  null if the text has no order id. Nothing is then sent (`skipped`).
 * @returns `pending` with at least one rule. Otherwise no rules (`no_match`): no prefix matched, the prefix's system is inactive,
 *          the bank account is switched off, or no active rule matches.
 */
export const match = (account: Account, movement: Movement, found: FoundOrderId | null): Matched => {
  if (!found) return { order_id: null, prefix: null, rules: [], webhook_status: 'skipped' }
  const { order_id, prefix } = found
  const system = [...account.systems.values()].find((each) => each.payment_prefix === prefix && each.is_active === 1)
  const rules =
    system && !isSwitchedOff(account, movement)
      ? [...account.rules.values()].filter((rule) => fits(rule, system, movement))
      : []
  return {
    order_id,
    prefix,
    rules: rules.map((rule) => rule.rule_id),
    webhook_status: rules.length > 0 ? 'pending' : 'no_match',
  }
}
