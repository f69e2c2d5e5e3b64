// Tests: tests/unit/web/app/month-sums.test.ts
/** The sums of a month that an accountant compares with the bank's own statement. */
import type { Stats } from '../api/types.ts'
import { sum } from './format.ts'

export interface BankSum {
  bank: string
  currency: string
  /** Decimal texts. */
  credit: string
  debit: string
}

/** @returns the sums of each bank and currency, ordered by them */
export const sumsByBank = (days: Stats['days']): BankSum[] =>
  [...new Set(days.map(({ bank_code, currency }) => `${bank_code} ${currency}`))].sort().map((each) => {
    const [bank, currency] = each.split(' ') as [string, string]
    const own = days.filter((day) => day.bank_code === bank && day.currency === currency)
    return {
      bank,
      currency,
      credit: sum(own.map(({ credit }) => credit)),
      debit: sum(own.map(({ debit }) => debit)),
    }
  })
