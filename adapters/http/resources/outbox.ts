// Tests: tests/integration/http/outbox.test.ts
/** Unsent mails, for the operator. Without a mail server these are all mails. */
import { z } from 'zod'
import { data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { secret } from '../openapi/secrets.ts'
import type { Operations } from '../openapi/operations.ts'
import { operatorOnly } from '../middleware/operator-only.ts'
import type { ApiParts } from '../parts.ts'
import { id, moment } from '../../../domain/fields.ts'

const Mail = z
  .strictObject({
    id,
    to: z.string(),
    subject: z.string(),
    text: secret(z.string(), 'It may contain links that give access to an account.'),
    created_at: moment,
    tries: z.int().min(0).meta({
      description: 'The number of attempts to send it, including one in progress. 0 without a mail server.',
    }),
  })
  .meta({ id: 'Mail' })

export const outboxRoutes = (operations: Operations, { outbox }: ApiParts, signedIn: Guard): void => {
  const { get } = operations.of('The operator', signedIn, operatorOnly)

  get('/api/outbox', 'List unsent emails', data(z.array(Mail)), () => outbox.list())
}
