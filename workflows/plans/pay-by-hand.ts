// Tests: tests/integration/http/plans.test.ts
/**
 * Pays a plan order with a payment that was held back because its text, or the text of the copy that brought the order id, was old when it arrived
 * (decisions, T5). The operator retries it manually, like any transaction that was held back. An order is paid once, however many payments name it.
 */
import type { Account } from '../../domain/account/account.ts'
import { foldPlanOrder, namedPlanOrder, payPlan, type PlanAccount } from '../../domain/plan-order/plan-order.ts'
import { planOrderStream } from '../../domain/plan-order/events.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import { NO_STREAM, type Checkpoint, type EventStore } from '../../domain/ports.ts'
import { transactionStream, type TransactionEvent } from '../../domain/transaction/events.ts'
import { foldTransaction } from '../../domain/transaction/transaction.ts'
import type { OwnersOccasion } from '../accounts/accounts.ts'
import { CONFLICT, untilNoConflict } from '../support/conflicts.ts'
import { stamp } from '../support/stamp.ts'

/** The amount of a payment that was held back because of its age, and the order that it names; null if it is not such a payment. */
const heldPayment = (events: readonly StoredEvent[], account: Account, plans: PlanAccount) => {
  const [first] = events
  const state = foldTransaction(events)
  if (first?.type !== 'TransactionCaptured' || state?.phase !== 'live' || state.user_id !== account.user_id) return null
  if (state.webhook_status !== 'no_match') return null
  if (first.data.held !== 'old_notification' && state.held !== 'old_notification') return null
  const namedIn = (content: string | null) =>
    namedPlanOrder(account, { ...first.data, content }, first.data.description, plans)
  // A copy may have brought the order id.
  const named = namedIn(first.data.content) ?? (state.order_id === null ? null : namedIn(state.order_id))
  return named && { named, amount: state.amount }
}

/** @returns null if the transaction pays no order: then it is retried like any other · @throws {StoreUnavailable} */
export const payByHand = (
  { store, plans }: { store: EventStore; plans: PlanAccount | null },
  account: Account,
  occasion: OwnersOccasion,
  transaction_id: number,
): Promise<{ checkpoint: Checkpoint } | null> =>
  untilNoConflict(async () => {
    if (!plans || !account.operator) return null
    const stream = transactionStream(transaction_id)
    const [events = []] = await store.read([{ stream }])
    const held = heldPayment(events, account, plans)
    if (!held) return null
    const { named, amount } = held
    const orderStream = planOrderStream(named.plan_order_id)
    const [orderEvents = []] = await store.read([{ stream: orderStream }])
    const order = foldPlanOrder(orderEvents)
    const paid = payPlan(order, { transaction_id, amount, at: occasion.at })
    if (!order || paid?.payment.webhook_status !== 'plan_upgraded') return null
    const { order_id, prefix } = named
    const facts: TransactionEvent[] = [
      {
        type: 'WebhookRetryRequested',
        data: { transaction_id, by: 'manual', rematched: true, order_id, prefix, rules: [], webhook_status: 'plan_upgraded' },
      },
      { type: 'WebhookStatusChanged', data: { transaction_id, from: 'no_match', to: 'plan_upgraded' } },
    ] // prettier-ignore
    const writes = [{ stream, expectedRevision: events.at(-1)!.revision, events: stamp(facts, occasion) }]
    // The order is written first: a transaction that says it is the payment then really is one.
    if (paid.facts.length > 0)
      writes.unshift({
        stream: orderStream,
        expectedRevision: orderEvents.at(-1)?.revision ?? NO_STREAM,
        events: stamp(paid.facts, { ...occasion, user_id: order.user_id }),
      })
    const [result] = await store.append([writes])
    return result?.ok ? { checkpoint: result.checkpoint } : CONFLICT
  })
