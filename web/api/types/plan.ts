// Tests: tests/e2e/browser/dashboard.test.ts
/** The API's answers about plans. */
import type { Account } from './account.ts'

export type Plan = Account['plan']

export interface PlanOffer {
  plan: Plan
  /** VND for 365 days. */
  price: string
  /** In a month; null: unlimited. */
  transactions: number | null
  devices: number
  mail_accounts: number
  /** null: unlimited. */
  webhook_rules: number | null
  systems: number
}

/** The transfer that pays for a plan. */
export interface PlanOrder {
  /** The text that the payer must write. */
  order_id: string
  /** VND. */
  amount: string
  bank_code: string
  account_number: string
  account_name: string
  qr_svg: string
}
