/** Changes of an account's plan: bought, expired, set by the operator. Also the warning that its quota is nearly used. */
import { DAY_MS, vietnamMonth } from '../time.ts'
import type { Account } from './state.ts'
import type { AccountEvent, Plan } from './events.ts'
import { PLAN_LIMITS, planAt } from './plan.ts'

/** How long one payment lasts. */
const YEAR_MS = 365 * DAY_MS

/**
 * A payment buys a plan for 365 days. They begin with the payment, or, if it is for the plan in force, with that plan's end
 * (decisions, "Plan order"). A plan without an end still has none afterwards.
 * @param payment  the event of the payment, and when it was made
 */
export const buyPlan = (account: Account, plan: Plan, payment: { id: string; at: Date }): AccountEvent[] => {
  const { user_id, plan_expires_at } = account
  const isSame = planAt(account, payment.at) === plan
  const from = isSame && plan_expires_at !== null ? Date.parse(plan_expires_at) : payment.at.getTime()
  const expires_at = isSame && plan_expires_at === null ? null : new Date(from + YEAR_MS).toISOString()
  return [{ type: 'PlanChanged', data: { user_id, plan, expires_at, caused_by: payment.id } }]
}

/** An expired plan becomes Free. Returns nothing if it has not expired. */
export const endPlan = ({ user_id, plan, plan_expires_at }: Account, at: Date): AccountEvent[] =>
  plan === 'Free' || plan_expires_at === null || Date.parse(plan_expires_at) > at.getTime()
    ? []
    : [{ type: 'PlanChanged', data: { user_id, plan: 'Free', expires_at: null } }]

/** The operator sets a plan without an end. Returns nothing if the account already has it. */
export const setPlan = ({ user_id, plan, plan_expires_at }: Account, wanted: Plan): AccountEvent[] =>
  plan === wanted && plan_expires_at === null
    ? []
    : [{ type: 'PlanChanged', data: { user_id, plan: wanted, expires_at: null } }]

/** From how many transactions a quota is nearly used: 80 % of it. The operator then gets a mail (interface, section 6). */
const nearlyAll = (limit: number): number => Math.ceil((limit * 4) / 5)

/** Plans with a quota, and the number of transactions from which it is nearly used. */
export const nearlyUsedFrom: readonly { plan: Plan; transactions: number }[] = Object.entries(PLAN_LIMITS).flatMap(
  ([plan, { transactions }]) =>
    transactions === null ? [] : [{ plan: plan as Plan, transactions: nearlyAll(transactions) }],
)

/** Warns once per Vietnamese month. @param transactions  those of this month that count */
export const warnOfQuota = (account: Account, transactions: number, at: Date): AccountEvent[] => {
  const limit = PLAN_LIMITS[planAt(account, at)].transactions
  const month = vietnamMonth(at)
  if (limit === null || transactions < nearlyAll(limit) || account.quota_warned === month) return []
  return [{ type: 'QuotaWarned', data: { user_id: account.user_id, month, transactions, limit } }]
}
