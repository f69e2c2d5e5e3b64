// Tests: tests/unit/domain/plan-order/plan-order.test.ts
/** An order for a plan, paid by bank transfer: stream `plan-order-<id>`. */
import { z } from 'zod'
import { plan } from '../account/events.ts'
import { id, moment, unsignedDecimal } from '../fields.ts'

export const planOrderEvents = {
  PlanOrdered: z.object({
    plan_order_id: id,
    /** The text that the payer writes: the operator's plan prefix and the id. */
    order_id: z.string(),
    user_id: id,
    plan,
    /** The price of the plan, VND. */
    amount: unsignedDecimal,
    ordered_at: moment,
  }),
  PlanPaid: z.object({
    plan_order_id: id,
    /** The buyer. */
    user_id: id,
    plan,
    /** The transaction on the operator's account that paid the order. */
    transaction_id: id,
    /** The paid amount, VND: the price or more. */
    amount: unsignedDecimal,
    paid_at: moment,
  }),
}

type Schemas = typeof planOrderEvents
export type PlanOrderEventData = { [Type in keyof Schemas]: z.infer<Schemas[Type]> }
export type PlanOrderEvent = { [Type in keyof Schemas]: { type: Type; data: PlanOrderEventData[Type] } }[keyof Schemas]

export const planOrderStream = (planOrderId: number): string => `plan-order-${planOrderId}`
