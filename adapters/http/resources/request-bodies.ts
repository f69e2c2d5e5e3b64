// Tests: tests/integration/openapi/body-guards.test.ts
/** Bodies of the management endpoints. Each schema serves for validation, types and the OpenAPI document. `queries.ts` has the queries. */
import { z } from 'zod'
import { PASSWORD_LENGTH } from '../../../domain/account/access.ts'
import { language } from '../../../domain/account/language.ts'
import { PAYMENT_PREFIX } from '../../../domain/account/systems.ts'
import { ruleFields, systemFields } from '../../../domain/account/events.ts'
import { retriedStatus } from '../../../domain/job/events.ts'
import { sourceType } from '../../../domain/transaction/events.ts'
import { bankCode, day, line, readOnly, withoutReadOnly } from './request-fields.ts'

// --- auth (interface, 4.1) -----------------------------------------------------------------------------------------

const email = z.string().trim().min(1, 'This must not be empty.').max(320)
const password = z.string().min(1, 'This must not be empty.').max(1_000)
/** The domain checks it (`checkPassword`). The bounds are those of the document, which counts characters in the same way. */
const newPassword = password.meta({ minLength: PASSWORD_LENGTH.least, maxLength: PASSWORD_LENGTH.most })
const mailToken = z.string().max(1_000)

const endEverything = z.boolean().optional().meta({
  description: 'true also revokes all sessions, JWTs, API keys, devices, the personal URL and the counter link.',
})

export const Login = z.strictObject({ email, password, end_everything: endEverything })

export const Registration = z.strictObject({
  email,
  password: newPassword,
  name: line(200).nullish(),
  /** An unknown code is ignored. */
  ref: z.string().max(200).optional(),
  language: language.optional().meta({ description: 'Language of mails, alerts and pages. Default: vi.' }),
})

export const EmailAlone = z.strictObject({ email })

/** The token in the fragment of a link that signs in once. */
export const SignInLink = z.strictObject({ token: mailToken })

export const EmailVerification = z.strictObject({ token: mailToken })

export const PasswordReset = z.strictObject({ token: mailToken, password: newPassword, end_everything: endEverything })

// --- connected systems ---------------------------------------------------------------------------------------------

/** Blanks around a prefix are removed. */
const PREFIX_WITH_BLANKS = PAYMENT_PREFIX.source.replace('^', String.raw`^\s*`).replace('$', String.raw`\s*$`)

const systemFieldsGiven = {
  name: line(100),
  type: systemFields.shape.type,
  payment_prefix: z.string().trim().max(100).meta({ pattern: PREFIX_WITH_BLANKS }),
}

export const SystemCreation = z.strictObject({
  ...systemFieldsGiven,
  is_active: systemFields.shape.is_active.default(1),
})

const SYSTEM_READ_ONLY = ['id', 'created_at'] as const

export const SystemChange = z
  .strictObject({
    ...readOnly(...SYSTEM_READ_ONLY),
    ...z.object({ ...systemFieldsGiven, is_active: systemFields.shape.is_active }).partial().shape,
  })
  .transform((given) => withoutReadOnly(given, SYSTEM_READ_ONLY))

// --- webhook rules (interface, 4.3) --------------------------------------------------------------------------------

const ruleFieldsGiven = {
  name: line(200),
  /** The webhook sender decides which addresses are allowed. */
  url: line(2_048),
  system_id: ruleFields.shape.system_id,
  http_method: ruleFields.shape.http_method,
  filter_banks: z
    .array(bankCode)
    .max(200)
    .transform((codes) => [...new Set(codes)])
    .meta({ description: 'Codes such as `VCB`, not names such as `Vietcombank`. Empty: all banks.' }),
  filter_type: ruleFields.shape.filter_type,
  min_amount: z
    .int()
    .min(0, 'An amount must not be negative.')
    .nullable()
    .meta({ description: 'Smaller transactions are not sent. null: no minimum.' }),
  payload_format: ruleFields.shape.payload_format,
  custom_template: z
    .string()
    .max(20_000)
    .regex(/^[^\0\p{Surrogate}]*$/u, 'This contains characters that cannot be stored.')
    .nullable()
    .meta({
      description:
        'Used with `custom`: a JSON object or list, in whose values `{{name}}` stands for a field of the standard body, and `{{woocommerce.name}}` for one of that body.',
    }),
  is_active: ruleFields.shape.is_active,
  max_per_minute: z
    .int()
    .min(1, 'This must be at least one call per minute.')
    .max(1_000_000)
    .nullable()
    .meta({ description: 'Maximum number of calls per minute. Further calls wait. null: unlimited.' }),
  ordered: z
    .union([z.literal(0), z.literal(1)])
    .meta({ description: '1: a transaction waits until the previous one was delivered or has failed permanently.' }),
}

export const RuleCreation = z.strictObject({
  name: ruleFieldsGiven.name,
  url: ruleFieldsGiven.url,
  system_id: ruleFieldsGiven.system_id.default(null),
  http_method: ruleFieldsGiven.http_method.default('POST'),
  filter_banks: ruleFieldsGiven.filter_banks.default([]),
  filter_type: ruleFieldsGiven.filter_type.default('both'),
  min_amount: ruleFieldsGiven.min_amount.default(null),
  payload_format: ruleFieldsGiven.payload_format.default('standard'),
  custom_template: ruleFieldsGiven.custom_template.default(null),
  is_active: ruleFieldsGiven.is_active.default(1),
  max_per_minute: ruleFieldsGiven.max_per_minute.default(null),
  ordered: ruleFieldsGiven.ordered.default(0),
})

const RULE_READ_ONLY = [
  'id',
  'user_id',
  'system_name',
  'secret_key',
  'previous_until',
  'is_auto',
  'created_at',
  'health',
] as const

export const RuleChange = z
  .strictObject({ ...readOnly(...RULE_READ_ONLY), ...z.object(ruleFieldsGiven).partial().shape })
  .transform((given) => withoutReadOnly(given, RULE_READ_ONLY))

/** Without a body the secret is rotated. */
export const SecretRotation = z.strictObject({ finish: z.literal(true).optional() }).meta({ examples: [{}] })

// --- retries -------------------------------------------------------------------------------------------------------

/** Without a body, a transaction that succeeded is refused. */
export const Retry = z.strictObject({
  again: z.boolean().optional().meta({
    description:
      'true sends a transaction that succeeded once more to the same rules. Its calls have `X-Webhook-Replay: 1`.',
  }),
})

/** Without a body, retries recent failures directly. With a body, creates a job for all that match the filter. */
export const BulkRetry = z.strictObject({
  filter: z
    .strictObject({
      status: retriedStatus.optional().meta({
        description:
          'Default `failed`. `pending`: waiting attempts become due at once, except those over the monthly quota. `success`: sent once more, with `X-Webhook-Replay: 1`.',
      }),
      bank_code: bankCode.optional(),
      type: z.enum(['credit', 'debit']).optional(),
      source_type: sourceType.optional(),
      date_from: day.optional().meta({ description: 'Day of the capture, in Vietnam time.' }),
      date_to: day.optional().meta({ description: 'Day of the capture, in Vietnam time, inclusive.' }),
      rule_id: z.int().positive().optional().meta({
        description:
          'Only transactions that are waiting, failed or delivered at this rule. They are sent only to this rule. If it was deleted, those that failed are sent to the other rules at which they failed, or matched again.',
      }),
      error: line(100).optional().meta({ description: 'Class of the last error, such as `timeout` or `http_500`.' }),
    })
    .optional(),
  /** Only returns how many transactions match. */
  dry_run: z.boolean().optional(),
})
