// Tests: tests/integration/http/shop-plugins.test.ts
/** The endpoint by which a shop's plugin connects itself. */
import { z } from 'zod'
import { connectShop } from '../../../workflows/accounts/shop-connection.ts'
import { occasionOf, type ApiContext } from '../context.ts'
import { body } from '../openapi/input.ts'
import { whole } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { presentSystem, System } from './systems.ts'
import { presentRule, Rule } from './webhooks.ts'
import { line } from './request-fields.ts'
import { SystemCreation } from './request-bodies.ts'

const ShopConnection = z.strictObject({
  type: SystemCreation.shape.type,
  site_url: line(2_048).refine(
    (url) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url),
    'This is not a URL that begins with http:// or https://.',
  ),
  webhook_url: line(2_048),
  payment_prefix: SystemCreation.shape.payment_prefix,
})

const Connected = z.strictObject({
  success: z.literal(true),
  data: z.strictObject({ system: System, rule: Rule }),
})

export const shopConnectionRoutes = (operations: Operations, api: ApiParts, signedIn: Guard): void => {
  const parts = { ...api, planPrefix: api.settings.planPrefix }
  const { post } = operations.of('Connected systems', signedIn)

  /** 201 for a new connection, 200 if the shop was connected before. */
  const connect = async (context: ApiContext, shop: z.infer<typeof ShopConnection>) => {
    const { system, rule, systems, isNew, checkpoint } = await connectShop(parts, occasionOf(context, api.clock), shop)
    await settled(api, { checkpoint })
    context.status = isNew ? 201 : 200
    const presented = presentRule(context.state.account.user_id, systems, api.vault, api.clock.now())(rule)
    return { success: true as const, data: { system: presentSystem(system), rule: presented } }
  }

  const refused = refuses('WEBHOOK_LIMIT_REACHED', 'SYSTEM_LIMIT_REACHED', 'CONFLICT')
  // A plugin receives the secret of its own rule.
  const byPlugin: Guard = { scopes: ['write', 'connect'], showsSecrets: true }
  const answer = whole(Connected, [200, 201])
  post('/api/systems/connect', 'Connect a shop plugin', byPlugin, body(ShopConnection), refused, answer, connect)
}
