/**
 * Plans are bought by bank transfer. An order has a number that the payer writes. A credit to the operator's account pays the
 * order if it names that number and its amount is the price or more. Each order is paid once; a second payment changes nothing.
 */
import type { Account } from '../account/account.ts'
import type { Plan } from '../account/events.ts'
import type { System } from '../account/state.ts'
import { normalPrefix } from '../account/systems.ts'
import { digitsContradict } from '../dedup/account-digits.ts'
import { isEventOf } from '../catalogue.ts'
import { isFoldable, type StoredEvent } from '../parse-event.ts'
import { atLeast, type Money } from '../money.ts'
import { orderIdOf } from '../reader/order-id.ts'
import type { Reading } from '../reader/reading.ts'
import { binOf } from '../vietqr/bins.ts'
import { planOrderEvents, type PlanOrderEvent, type PlanOrderEventData } from './events.ts'

/** VND per year (interface, section 8). */
export const PLAN_PRICES: Readonly<Record<Plan, Money>> = {
  Free: '0.00',
  Basic: '600000.00',
  Advanced: '1200000.00',
  Pro: '2000000.00',
}

/** The bank account that plans are paid to, and the prefix of plan orders. */
export interface PlanAccount {
  prefix: string
  bank_code: string
  account_number: string
  account_name: string
}

export interface PlanSettings {
  planPrefix: string
  planBank?: string | undefined
  planAccount?: string | undefined
  planHolder?: string | undefined
}

/** Null if the settings are incomplete, or name a bank that has no QR transfers. Then no plan can be bought. */
export const planAccountOf = ({ planPrefix, planBank, planAccount, planHolder }: PlanSettings): PlanAccount | null => {
  const bank_code = planBank?.toUpperCase()
  if (bank_code === undefined || !planAccount || !planHolder || binOf(bank_code) === null) return null
  return { prefix: normalPrefix(planPrefix), bank_code, account_number: planAccount, account_name: planHolder }
}

// --- which order a payment is for ------------------------------------------------------------------------------------

/** A text that prints fewer digits of its account does not name the plan account. */
const LEAST_PRINTED_DIGITS = 3

/** The payer's text: the plan prefix and four digits or more. */
export interface NamedOrder {
  plan_order_id: number
  order_id: string
  prefix: string
}

/** The prefix, followed by four digits or more. */
const planOrderName = (prefix: string, planOrderId: number): string => prefix + String(planOrderId).padStart(4, '0')

/**
 * The plan order that a reading refers to, whether or not such an order exists. Only a credit in VND to the plan account, from
 * the operator's own sources, can refer to one.
 */
export const namedPlanOrder = (
  account: Pick<Account, 'operator'> & { systems: ReadonlyMap<number, Pick<System, 'payment_prefix'>> },
  reading: Pick<Reading, 'transaction_type' | 'currency' | 'bank_code' | 'account_number' | 'content'>,
  text: string,
  plans: PlanAccount | null,
): NamedOrder | null => {
  if (!plans || !account.operator || reading.transaction_type !== 'credit' || reading.currency !== 'VND') return null
  const { bank_code, account_number: printed } = reading
  if (bank_code !== plans.bank_code || printed === null || digitsContradict(printed, plans.account_number)) return null
  if (printed.replace(/\D/g, '').length < LEAST_PRINTED_DIGITS) return null
  // `ABC1042` is an order of the operator's shop with the prefix `ABC`, not the plan order `BC1042`. `VAN A BC1042` is the plan order.
  const memo = (reading.content ?? text).toUpperCase()
  const longer = [...account.systems.values()]
    .map(({ payment_prefix }) => payment_prefix)
    .filter((prefix) => prefix.endsWith(plans.prefix) && memo.includes(prefix))
  const found = orderIdOf(reading.content, text, [plans.prefix, ...longer])
  const digits = found?.prefix === plans.prefix ? /^\d{4,15}$/.exec(found.order_id.slice(plans.prefix.length)) : null
  const plan_order_id = Number(digits?.[0] ?? 0)
  if (!found || plan_order_id === 0) return null
  return { plan_order_id, order_id: found.order_id, prefix: plans.prefix }
}

// --- the order itself ------------------------------------------------------------------------------------------------

/** The state of an order. Null if it does not exist. */
export type PlanOrder = (PlanOrderEventData['PlanOrdered'] & { /** transaction */ paid_by: number | null }) | null

export const evolve = (order: PlanOrder, event: PlanOrderEvent): PlanOrder => {
  switch (event.type) {
    case 'PlanOrdered':
      return { ...event.data, paid_by: null }
    case 'PlanPaid':
      return order && { ...order, paid_by: event.data.transaction_id }
  }
}

/** Folds a whole stream `plan-order-<id>`. */
export const foldPlanOrder = (events: readonly StoredEvent[]): PlanOrder =>
  events.reduce<PlanOrder>(
    (order, event) => (isFoldable(event) && isEventOf(planOrderEvents, event) ? evolve(order, event) : order),
    null,
  )

export const orderPlan = (
  plan: Exclude<Plan, 'Free'>,
  { plan_order_id, user_id, prefix, at }: { plan_order_id: number; user_id: number; prefix: string; at: Date },
): [Extract<PlanOrderEvent, { type: 'PlanOrdered' }>] => [
  {
    type: 'PlanOrdered',
    data: {
      plan_order_id,
      order_id: planOrderName(prefix, plan_order_id),
      user_id,
      plan,
      amount: PLAN_PRICES[plan],
      ordered_at: at.toISOString(),
    },
  },
]

/** The result of the payment for its transaction. */
export interface Payment {
  webhook_status: 'plan_upgraded' | 'already_run'
  /** The transaction that had already paid the order. */
  already_run_of: number | null
}

/**
 * @param transaction  the payment. If it is repeated, such as after a crash, the result is the same and there are no new events.
 * @returns null if it pays nothing: the order does not exist, or the amount is less than the price
 */
export const payPlan = (
  order: PlanOrder,
  { transaction_id, amount, at }: { transaction_id: number; amount: Money; at: Date },
): { payment: Payment; facts: PlanOrderEvent[] } | null => {
  if (!order || !atLeast(amount, order.amount)) return null
  const upgraded: Payment = { webhook_status: 'plan_upgraded', already_run_of: null }
  if (order.paid_by === transaction_id) return { payment: upgraded, facts: [] }
  if (order.paid_by !== null)
    return { payment: { webhook_status: 'already_run', already_run_of: order.paid_by }, facts: [] }
  const { plan_order_id, user_id, plan } = order
  const paid_at = at.toISOString()
  return {
    payment: upgraded,
    facts: [{ type: 'PlanPaid', data: { plan_order_id, user_id, plan, transaction_id, amount, paid_at } }],
  }
}
