// Tests: tests/unit/web/app/plan-order.test.ts
/** The order of a plan that waits for its payment. */
import type { Account } from '../api/types/account.ts'
import type { Plan, PlanOrder } from '../api/types/plan.ts'
import { DAY_MS } from './vietnam-time.ts'

export interface OpenOrder {
  /** The account, and its plan before the order. */
  before: Pick<Account, 'id' | 'plan' | 'plan_expires_at'>
  plan: Plan
  /** Milliseconds since 1970. */
  at: number
  order: PlanOrder
}

/** The operator may change the bank account. One that is this old is not shown for a payment. */
const KEPT_MS = DAY_MS

/** Whether the account has got the plan since it was ordered: another plan than before, or a later end. */
export const isPaid = ({ before, plan }: Pick<OpenOrder, 'before' | 'plan'>, account: OpenOrder['before']): boolean =>
  account.plan === plan && (account.plan !== before.plan || account.plan_expires_at !== before.plan_expires_at)

/** @param text  as it was kept @returns null if it is not an order of this account, or too old */
export const openOrderOf = (text: string | null, user: number, now: number): OpenOrder | null => {
  if (text === null) return null
  const kept = JSON.parse(text) as OpenOrder
  return kept.before.id === user && now - kept.at < KEPT_MS ? kept : null
}
