// Tests: tests/integration/http/plans.test.ts
/** The limits of each plan (interface, section 8; systems and stored bytes: decision "Sizes"). */
import { Refused } from '../errors.ts'
import type { Account } from './state.ts'
import type { Plan } from './events.ts'

export interface PlanLimits {
  /** Transactions in a Vietnamese calendar month; null: unlimited. */
  transactions: number | null
  devices: number
  mail_accounts: number
  /** Webhook rules; null: unlimited. */
  rules: number | null
  /** Connected systems. */
  systems: number
  /** Bytes of notifications that are kept unread. Above this limit the oldest are deleted. */
  unread_bytes: number
}

const MB = 1_024 ** 2

export const PLAN_LIMITS: Record<Plan, PlanLimits> = {
  Free: { transactions: 100, devices: 1, mail_accounts: 0, rules: 1, systems: 20, unread_bytes: 10 * MB },
  Basic: { transactions: 5_000, devices: 2, mail_accounts: 1, rules: 3, systems: 20, unread_bytes: 100 * MB },
  Advanced: { transactions: 20_000, devices: 5, mail_accounts: 3, rules: 10, systems: 20, unread_bytes: 100 * MB },
  Pro: { transactions: null, devices: 10, mail_accounts: 10, rules: null, systems: 100, unread_bytes: 100 * MB },
}

/** The plan in force at a moment. An expired plan is Free. */
export const planAt = ({ plan, plan_expires_at }: Pick<Account, 'plan' | 'plan_expires_at'>, at: Date): Plan =>
  plan_expires_at !== null && Date.parse(plan_expires_at) <= at.getTime() ? 'Free' : plan

/** The things that a plan limits, with the error code and the name of one. */
const LIMITED = {
  devices: ['DEVICE_LIMIT_REACHED', 'device'],
  mail_accounts: ['MAIL_ACCOUNT_LIMIT_REACHED', 'mail account'],
  rules: ['WEBHOOK_LIMIT_REACHED', 'webhook rule'],
  systems: ['SYSTEM_LIMIT_REACHED', 'connected system'],
} as const

/** @param count  those that the account has · @throws {Refused} with the plan and its limit, if there is no room for another */
export const refuseOverPlan = (account: Account, what: keyof typeof LIMITED, count: number, at: Date): void => {
  const plan = planAt(account, at)
  const limit = PLAN_LIMITS[plan][what]
  if (limit === null || count < limit) return
  const [code, name] = LIMITED[what]
  throw new Refused(code, `The ${plan} plan allows at most ${limit} ${name}${limit === 1 ? '' : 's'}.`, { plan, limit })
}
