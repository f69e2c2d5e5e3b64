// Tests: tests/integration/http/plans.test.ts
/** The service's own plans, and their orders. */
import { z } from 'zod'
import { plan } from '../../../domain/account/events.ts'
import { PLAN_LIMITS } from '../../../domain/account/plan.ts'
import { PLAN_PRICES, planAccountOf } from '../../../domain/plan-order/plan-order.ts'
import { orderPlan } from '../../../workflows/plans/order-plan.ts'
import { qrSvg } from './qr-code.ts'
import { occasionOf, type ApiContext } from '../context.ts'
import { body } from '../openapi/input.ts'
import { created, data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'

/** The free plan cannot be ordered. */
const PlanOrderCreation = z.strictObject({ plan: plan.exclude(['Free']) })

const limit = z.int().min(0)
const UNLIMITED = { description: 'null means unlimited.' }

const PlanOffer = z
  .strictObject({
    plan,
    price: z.string().meta({ description: 'In VND, for 365 days.' }),
    transactions: limit.nullable().meta({ description: 'In a month, Vietnam time. null means unlimited.' }),
    devices: limit,
    mail_accounts: limit,
    webhook_rules: limit.nullable().meta(UNLIMITED),
    systems: limit,
  })
  .meta({ id: 'PlanOffer' })

/** The smallest plan first. */
const OFFERS: z.output<typeof PlanOffer>[] = plan.options.map((plan) => {
  const { transactions, devices, mail_accounts, rules: webhook_rules, systems } = PLAN_LIMITS[plan]
  return { plan, price: PLAN_PRICES[plan], transactions, devices, mail_accounts, webhook_rules, systems }
})

const PlanOrder = z
  .strictObject({
    order_id: z.string().meta({ description: 'The payer must write it into the memo of the transfer.' }),
    amount: z.string().meta({ description: 'In VND.' }),
    bank_code: z.string(),
    account_number: z.string(),
    account_name: z.string(),
    qr_payload: z.string().meta({ description: 'VietQR code of the payment.' }),
    qr_svg: z.string(),
  })
  .meta({ id: 'PlanOrder' })

export const planRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { get, post } = operations.of('Plans', signedIn)
  const plans = planAccountOf(parts.settings)

  const order = async (context: ApiContext, { plan }: z.infer<typeof PlanOrderCreation>) => {
    const ordered = await orderPlan({ ...parts, plans }, occasionOf(context, parts.clock), plan)
    return { ...ordered, qr_svg: await qrSvg(ordered.qr_payload) }
  }

  const unset = refuses('CONFLICT')
  get('/api/plans', 'List plans', data(z.array(PlanOffer)), () => OFFERS)
  post('/api/plans/order', 'Order a plan', body(PlanOrderCreation), unset, created(PlanOrder), order)
}
