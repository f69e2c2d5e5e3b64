// Tests: tests/integration/http/receive.test.ts
/** What the endpoints of the receive path accept, and what they answer. */
import { z } from 'zod'
import { id } from '../../../domain/fields.ts'
import { webhookStatus } from '../../../domain/transaction/events.ts'
import type { Input } from '../openapi/operation.ts'

/** Most notifications in one request. */
export const BATCH_LIMIT = 200

// Recommended formats for apps. None of the fields is required, and other names and fields are accepted too.

const moment = z
  .union([z.string(), z.number()])
  .meta({ description: 'ISO 8601, or Unix time in seconds or milliseconds.' })
export const Sms = z
  .looseObject({ sender: z.string(), text: z.string(), received_at: moment })
  .partial()
  .meta({ id: 'Sms' })
export const Push = z
  .looseObject({ package: z.string(), title: z.string(), text: z.string(), received_at: moment })
  .partial()
  .meta({ id: 'Push' })
export const Forwarded = z
  .looseObject({ text: z.string(), sender: z.string(), package: z.string(), title: z.string(), received_at: moment })
  .partial()
  .meta({ id: 'Forwarded' })
const Batch = z
  .looseObject({ items: z.array(z.looseObject({ type: z.enum(['sms', 'notification']) })).max(BATCH_LIMIT) })
  .meta({ id: 'Batch' })

export const Result = z
  .union([
    z.strictObject({ id, webhook_status: webhookStatus }),
    z.strictObject({ ignored: z.literal(true), reason: z.string() }),
  ])
  .meta({ id: 'Received' })

/** One result, or a list of results if a list of notifications was sent. */
export const Results = z.union([Result, z.array(Result)])

const MEDIA_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']

const BODY_REFUSALS = ['PAYLOAD_TOO_LARGE', 'VALIDATION_FAILED', 'OVERLOADED'] as const

/** The handler reads the body itself, because the content type may be wrong. Beside a plain text, the query has the other fields. */
export const anyBody = (schema: z.ZodObject<{ text: z.ZodType }>): Input<undefined> => ({
  read: () => undefined,
  query: z.object(schema.omit({ text: true }).shape),
  body: { schema, required: false, mediaTypes: MEDIA_TYPES },
  refuses: BODY_REFUSALS,
})

export const items: Input<undefined> = {
  read: () => undefined,
  body: { schema: Batch, required: true },
  refuses: BODY_REFUSALS,
}

export const parameters: Input<undefined> = { read: () => undefined, query: z.object({ ...Forwarded.shape }) }
