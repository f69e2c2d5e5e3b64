// Tests: tests/integration/http/webhooks.test.ts
/** Shows the body that a rule would send for a sample transaction. Nothing is called. */
import { z } from 'zod'
import { templateRefusal } from '../../../domain/account/rules.ts'
import { SAMPLE } from '../../../domain/webhook/payload/custom.ts'
import { render } from '../../../domain/webhook/payload/render.ts'
import { body } from '../openapi/input.ts'
import type { ApiContext } from '../context.ts'
import { data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import type { Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'
import { RuleCreation } from './request-bodies.ts'

const PreviewRequest = RuleCreation.pick({ payload_format: true, custom_template: true })
const Preview = z.strictObject({ body: z.string().meta({ description: 'Body of the request, byte for byte.' }) })

export const previewRoutes = (operations: Operations, { clock }: ApiParts, signedIn: Guard): void => {
  const preview = (_: ApiContext, format: z.infer<typeof PreviewRequest>) => {
    const refusal = templateRefusal(format)
    if (refusal) throw refusal
    return { body: render(format, SAMPLE, Math.floor(clock.now().getTime() / 1000)) }
  }

  const { post } = operations.of('Webhook rules', signedIn)
  post('/api/webhooks/preview', 'Preview the request of a rule', body(PreviewRequest), data(Preview), preview)
}
