/** Affiliate earnings and withdrawals: the state of `affiliate-<user>` and its decisions. */
import { conflict } from '../account/refusals.ts'
import { fromMinor, toMinor, type Money } from '../money.ts'
import type { AffiliateEvent, AffiliateEventData } from './events.ts'

export type Link = Omit<AffiliateEventData['AffiliateLinkCreated'], 'user_id'>
export type Bank = Omit<AffiliateEventData['AffiliateBankSet'], 'user_id'>
export type Withdrawal = Omit<AffiliateEventData['WithdrawalRequested'], 'user_id'>

export interface Affiliate {
  links: readonly Link[]
  bank: Bank | null
  withdrawals: readonly Withdrawal[]
  /** VND. */
  earned: Money
  withdrawn: Money
  /** Payments whose commission is included in `earned`: ids of events. */
  payments: ReadonlySet<string>
}

export const NO_AFFILIATE: Affiliate = {
  links: [],
  bank: null,
  withdrawals: [],
  earned: '0.00',
  withdrawn: '0.00',
  payments: new Set(),
}

const sum = (a: Money, b: Money): Money => fromMinor(toMinor(a) + toMinor(b))

export const evolve = (affiliate: Affiliate, event: AffiliateEvent): Affiliate => {
  switch (event.type) {
    case 'AffiliateLinkCreated': {
      const { user_id: _, ...link } = event.data
      return { ...affiliate, links: [...affiliate.links, link] }
    }
    case 'AffiliateBankSet': {
      const { user_id: _, ...bank } = event.data
      return { ...affiliate, bank }
    }
    case 'CommissionEarned': {
      const { amount, caused_by } = event.data
      const payments = new Set(affiliate.payments).add(caused_by)
      return { ...affiliate, earned: sum(affiliate.earned, amount), payments }
    }
    case 'WithdrawalRequested': {
      const { user_id: _, ...withdrawal } = event.data
      const withdrawals = [...affiliate.withdrawals, withdrawal]
      return { ...affiliate, withdrawals, withdrawn: sum(affiliate.withdrawn, withdrawal.amount) }
    }
  }
}

/** The amount that may be withdrawn. Requested withdrawals are subtracted immediately. */
export const balanceOf = ({ earned, withdrawn }: Affiliate): Money => fromMinor(toMinor(earned) - toMinor(withdrawn))

export const createLink = (user_id: number, link: Omit<Link, 'created_at'> & { at: Date }): AffiliateEvent[] => {
  const { at, ...fields } = link
  return [{ type: 'AffiliateLinkCreated', data: { user_id, ...fields, created_at: at.toISOString() } }]
}

/** @returns nothing if the bank account is unchanged */
export const setBank = ({ bank }: Affiliate, user_id: number, wanted: Bank): AffiliateEvent[] => {
  const { bank_code, account_number, account_name } = wanted
  const isSame =
    bank?.bank_code === bank_code && bank.account_number === account_number && bank.account_name === account_name
  return isSame ? [] : [{ type: 'AffiliateBankSet', data: { user_id, ...wanted } }]
}

/** @param amount  whole dong · @throws {Refused} CONFLICT without a bank, or over the balance */
export const requestWithdrawal = (
  affiliate: Affiliate,
  { user_id, withdrawal_id, amount, at }: { user_id: number; withdrawal_id: number; amount: number; at: Date },
): AffiliateEvent[] => {
  if (!affiliate.bank) throw conflict('Set the payout account first.')
  const minor = BigInt(amount) * 100n
  if (minor > toMinor(balanceOf(affiliate))) throw conflict('This is more than the balance.')
  const requested_at = at.toISOString()
  return [
    {
      type: 'WithdrawalRequested',
      data: { user_id, withdrawal_id, amount: fromMinor(minor), ...affiliate.bank, requested_at },
    },
  ]
}

/** The commission on a payment, in whole dong. @param percent  0 to 100 */
export const commissionOf = (amount: Money, percent: number): Money =>
  fromMinor(((toMinor(amount) * BigInt(Math.round(percent * 100))) / 1_000_000n) * 100n)

export interface Earning {
  user_id: number
  amount: Money
  referred_user_id: number
  plan_order_id: number
  /** The event of the payment. */
  caused_by: string
}

/** Counts each payment once. Returns nothing if the commission is zero. */
export const earnCommission = ({ payments }: Affiliate, earning: Earning): AffiliateEvent[] =>
  payments.has(earning.caused_by) || toMinor(earning.amount) <= 0n
    ? []
    : [{ type: 'CommissionEarned', data: { ...earning } }]
