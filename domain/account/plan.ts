/** What a plan allows (interface, section 8). */
import type { Account } from './account.ts'
import type { Plan } from './events.ts'

export interface PlanLimits {
  /** Transactions in a Vietnamese calendar month; null: unlimited. */
  transactions: number | null
  devices: number
  mail_accounts: number
  /** Webhook rules; null: unlimited. */
  rules: number | null
}

export const PLAN_LIMITS: Record<Plan, PlanLimits> = {
  Free: { transactions: 100, devices: 1, mail_accounts: 0, rules: 1 },
  Basic: { transactions: 5_000, devices: 2, mail_accounts: 1, rules: 3 },
  Advanced: { transactions: 20_000, devices: 5, mail_accounts: 3, rules: 10 },
  Pro: { transactions: null, devices: 10, mail_accounts: 10, rules: null },
}

/** The plan in force at a moment: one that has expired is Free again. */
export const planAt = ({ plan, plan_expires_at }: Account, at: Date): Plan =>
  plan_expires_at !== null && Date.parse(plan_expires_at) <= at.getTime() ? 'Free' : plan
