// Tests: tests/integration/http/plans.test.ts
/** Orders a plan: returns the amount to transfer, the account to pay to, and the text of the transfer. */
import type { Plan } from '../../domain/account/events.ts'
import { conflict } from '../../domain/account/refusals.ts'
import { planOrderStream } from '../../domain/plan-order/events.ts'
import { orderPlan as decide, type PlanAccount } from '../../domain/plan-order/plan-order.ts'
import { NO_STREAM, type EventStore, type Ids } from '../../domain/ports.ts'
import { toMinor } from '../../domain/money.ts'
import { vietQr } from '../../domain/vietqr/payload.ts'
import type { OwnersOccasion } from '../accounts/accounts.ts'
import { stamp } from '../support/stamp.ts'
import { nextId } from '../support/next-id.ts'

export interface OrderedPlan {
  order_id: string
  amount: string
  bank_code: string
  account_number: string
  account_name: string
  /** VietQR payload for a QR code. */
  qr_payload: string
}

/** @throws {Refused} CONFLICT if no account for payments is set · {StoreUnavailable} */
export const orderPlan = async (
  { store, ids, plans }: { store: EventStore; ids: Ids; plans: PlanAccount | null },
  occasion: OwnersOccasion,
  plan: Exclude<Plan, 'Free'>,
): Promise<OrderedPlan> => {
  if (!plans)
    throw conflict('Plans cannot be ordered here, because the operator has not set a bank account for payments.')
  const { prefix, bank_code, account_number, account_name } = plans
  const { user_id, at } = occasion
  const plan_order_id = await nextId(ids)
  const facts = decide(plan, { plan_order_id, user_id, prefix, at })
  const { order_id, amount } = facts[0].data
  const stream = planOrderStream(plan_order_id)
  const [result] = await store.append([[{ stream, expectedRevision: NO_STREAM, events: stamp(facts, occasion) }]])
  if (!result?.ok) throw new Error(`${stream} already exists`)
  const dong = Number(toMinor(amount) / 100n)
  const qr_payload = vietQr({ bank_code, account_number, amount: dong, content: order_id })
  return { order_id, amount, bank_code, account_number, account_name, qr_payload }
}
