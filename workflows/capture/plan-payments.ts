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

export class PlanPayments {
  readonly #units: Units
  readonly #read: ReadonlyMap<number, LookedOrder>
  readonly #at: Date
  /** The orders that this group pays, with their unit. */
  readonly #paid = new Map<number, { order: LookedOrder; unit: DraftUnit }>()

  /** @param read  orders read so far, by id */
  constructor(units: Units, read: ReadonlyMap<number, LookedOrder>, at: Date) {
    this.#units = units
    this.#read = read
    this.#at = at
  }

  /** The order after this group's payments. Null if it must be read first. */
  order(planOrderId: number): LookedOrder | null {
    return this.#paid.get(planOrderId)?.order ?? this.#read.get(planOrderId) ?? null
  }

  /**
   * The order is written before the transaction that pays it. So on a store without transactions over streams, a
   * transaction that says it is the payment really is one. Of two payments, the expected revision of the order accepts
   * only one.
   */
  pay(unit: DraftUnit, job: Job, { plan_order_id, reading }: Movement, id: number): Payment | null {
    if (plan_order_id === null) return null
    const { state, revision } = this.order(plan_order_id)!
    const paid = payPlan(state, { transaction_id: id, amount: reading.amount, at: this.#at })
    if (!state || !paid) return null
    if (paid.facts.length > 0) {
      this.#units.writeFirst(unit, planOrderStream(plan_order_id), revision, job, paid.facts, state.user_id)
      const order = { state: paid.facts.reduce(evolve, state), revision: revision + paid.facts.length }
      this.#paid.set(plan_order_id, { order, unit })
    }
    return paid.payment
  }

  /**
   * A second payment in the same group is stored in the unit of the first: it is a repetition only if the first one is
   * a payment.
   */
  unitOf({ plan_order_id }: Movement, warm: WarmWindow, id: number): DraftUnit | null {
    const unit = plan_order_id === null ? undefined : this.#paid.get(plan_order_id)?.unit
    if (unit?.warm !== warm) return null
    this.#units.join(transactionStream(id), unit)
    return unit
  }
}
