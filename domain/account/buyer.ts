// Tests: tests/integration/http/plans.test.ts
/** An account as the buyer of plans: each payment changes the plan once. */
import type { KnownEvent } from '../catalogue.ts'
import { evolve as evolveAccount } from './account.ts'
import type { AccountEvent, AccountEventData, Plan } from './events.ts'
import { buyPlan } from './plan-changes.ts'
import type { Account } from './state.ts'

export interface Buyer {
  account: Account | null
  /** Payments that the plan already includes: ids of events. */
  payments: ReadonlySet<string>
}

export const NO_BUYER: Buyer = { account: null, payments: new Set() }

export const evolve = ({ account, payments }: Buyer, event: KnownEvent<keyof AccountEventData>): Buyer => {
  const payment = event.type === 'PlanChanged' ? event.data.caused_by : undefined
  return {
    account: evolveAccount(account, event),
    payments: payment === undefined ? payments : new Set(payments).add(payment),
  }
}

/** @param payment  the id of its event, and when it was made */
export const buyOnce = (
  { account, payments }: Buyer,
  plan: Plan,
  payment: { id: string; at: Date },
): readonly AccountEvent[] => (!account || payments.has(payment.id) ? [] : buyPlan(account, plan, payment))
