// Tests: tests/integration/openapi/guards.test.ts
/** Schemas of error responses: `{success, error, message}`, with more fields for some codes. */
import { z } from 'zod'
import { plan } from '../../../domain/account/events.ts'
import { webhookStatus } from '../../../domain/transaction/events.ts'
import type { ErrorCode } from '../middleware/errors.ts'

const limitReached = { plan, limit: z.int().min(0) }

const DETAIL: Partial<Record<ErrorCode, Record<string, z.ZodType>>> = {
  VALIDATION_FAILED: {
    issues: z.array(
      z.strictObject({
        path: z.string().meta({ description: 'Path of the field, separated by dots. Empty for the whole input.' }),
        message: z.string(),
      }),
    ),
  },
  CONFLICT: {
    webhook_status: webhookStatus
      .optional()
      .meta({ description: 'Status of the transaction, if a retry was refused.' }),
  },
  ACCOUNT_LOCKED: {
    reason: z.string().optional().meta({ description: 'Such as `requests_per_hour`, `polling`, `parallel_requests`.' }),
    locked_since: z.iso.datetime().nullable().optional(),
  },
  API_KEY_LIMIT_REACHED: { limit: limitReached.limit },
  WEBHOOK_LIMIT_REACHED: limitReached,
  DEVICE_LIMIT_REACHED: limitReached,
  MAIL_ACCOUNT_LIMIT_REACHED: limitReached,
  SYSTEM_LIMIT_REACHED: limitReached,
}

const nameOf = (code: ErrorCode): string =>
  code
    .toLowerCase()
    .replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
    .concat('Error')

const schemas = new Map<ErrorCode, z.ZodType>()

/** One schema per error code, named after it. */
export const refusalSchema = (code: ErrorCode): z.ZodType => {
  let schema = schemas.get(code)
  if (!schema) {
    const message = z.string().meta({ description: 'One sentence for people.' })
    schema = z
      .strictObject({ success: z.literal(false), error: z.literal(code), message, ...DETAIL[code] })
      .meta({ id: nameOf(code) })
    schemas.set(code, schema)
  }
  return schema
}
