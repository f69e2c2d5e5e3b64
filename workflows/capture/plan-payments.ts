// Tests: tests/unit/workflows/capture/draft.test.ts
/** The plan orders that the notifications of one group pay. */
import { planOrderStream } from '../../domain/plan-order/events.ts'
import { evolve, payPlan, type Payment, type PlanOrder } from '../../domain/plan-order/plan-order.ts'
import type { Movement } from '../../domain/transaction/appraisal.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import type { Job } from './job.ts'
import type { DraftUnit, Units } from './units.ts'
import type { WarmWindow } from './warm-windows.ts'

/** A plan order from its stream. */
export interface LookedOrder {
  state: PlanOrder
  revision: number
}

/** @param read  orders read so far, by id */
export const openPlanPayments = (units: Units, read: ReadonlyMap<number, LookedOrder>, at: Date) => {
  /** The orders that this group pays, with their unit. */
  const paidHere = new Map<number, { order: LookedOrder; unit: DraftUnit }>()

  /** The order after this group's payments. Null if it must be read first. */
  const orderOf = (planOrderId: number): LookedOrder | null =>
    paidHere.get(planOrderId)?.order ?? read.get(planOrderId) ?? null

  /**
   * The order is written before the transaction that pays it. So on a store without transactions over streams, a
   * transaction that says it is the payment really is one. Of two payments, the expected revision of the order accepts
   * only one.
   */
  const pay = (unit: DraftUnit, job: Job, { plan_order_id, reading }: Movement, id: number): Payment | null => {
    if (plan_order_id === null) return null
    const { state, revision } = orderOf(plan_order_id)!
    const paid = payPlan(state, { transaction_id: id, amount: reading.amount, at })
    if (!state || !paid) return null
    if (paid.facts.length > 0) {
      units.writeFirst(unit, planOrderStream(plan_order_id), revision, job, paid.facts, state.user_id)
      const order = { state: paid.facts.reduce(evolve, state), revision: revision + paid.facts.length }
      paidHere.set(plan_order_id, { order, unit })
    }
    return paid.payment
  }

  /**
   * A second payment in the same group is stored in the unit of the first: it is a repetition only if the first one is
   * a payment.
   */
  const unitOf = ({ plan_order_id }: Movement, warm: WarmWindow, id: number): DraftUnit | null => {
    const unit = plan_order_id === null ? undefined : paidHere.get(plan_order_id)?.unit
    if (unit?.warm !== warm) return null
    units.join(transactionStream(id), unit)
    return unit
  }

  return { order: orderOf, pay, unitOf }
}

export type PlanPayments = ReturnType<typeof openPlanPayments>
