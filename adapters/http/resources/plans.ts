// Tests: tests/integration/http/plans.test.ts
/** Orders of the service's own plans. */
import { z } from 'zod'
import { plan } from '../../../domain/account/events.ts'
import { planAccountOf } from '../../../domain/plan-order/plan-order.ts'
import { orderPlan } from '../../../workflows/plans/order-plan.ts'
import { qrSvg } from './qr-code.ts'
import { occasionOf, type ApiContext } from '../context.ts'
import { body } from '../openapi/input.ts'
import { created } from '../openapi/answers.ts'
import type { Guard } from '../openapi/operation.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'

/** The free plan cannot be ordered. */
const PlanOrderCreation = z.strictObject({ plan: plan.exclude(['Free']) })

const PlanOrder = z
  .strictObject({
    order_id: z.string().meta({ description: 'Transfer content that the payer must write.' }),
    amount: z.string().meta({ description: 'In VND.' }),
    bank_code: z.string(),
    account_number: z.string(),
    account_name: z.string(),
    qr_payload: z.string().meta({ description: 'VietQR code of the payment.' }),
    qr_svg: z.string(),
  })
  .meta({ id: 'PlanOrder' })

export const planRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { post } = operations.of('Plans')
  const plans = planAccountOf(parts.settings)

  const order = async (context: ApiContext, { plan }: z.infer<typeof PlanOrderCreation>) => {
    const ordered = await orderPlan({ ...parts, plans }, occasionOf(context, parts.clock), plan)
    return { ...ordered, qr_svg: await qrSvg(ordered.qr_payload) }
  }

  const unset = refuses('CONFLICT')
  post('/api/plans/order', 'Order a plan', signedIn, body(PlanOrderCreation), unset, created(PlanOrder), order)
}
