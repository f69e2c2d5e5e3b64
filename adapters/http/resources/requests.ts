// Tests: tests/integration/delivery/remake-request.test.ts
/** Request schemas of the management endpoints. Each serves for validation, types and the OpenAPI document. */
import { z } from 'zod'
import { PASSWORD_LENGTH } from '../../../domain/account/access.ts'
import { language } from '../../../domain/account/language.ts'
import { PAYMENT_PREFIX } from '../../../domain/account/systems.ts'
import { ruleFields, systemFields } from '../../../domain/account/events.ts'
import { COLUMN_NAMES, type ColumnName } from '../../export/columns.ts'
import { FORMATS } from '../../export/transactions.ts'
import { retriedStatus } from '../../../domain/job/events.ts'
import { sourceType, webhookStatus } from '../../../domain/transaction/events.ts'

/** Text that can be stored and shown: no control characters, no unpaired surrogates. */
export const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'This must not be empty.')
    .max(most, `This must have at most ${most} characters.`)
    .regex(/^[^\p{Cc}\p{Surrogate}]*$/u, 'This contains characters that cannot be stored.')

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

/** Fields of responses that a caller may send back. They are ignored. */
const anything = z
  .unknown()
  .refine((value) => typeof value !== 'number' || Number.isFinite(value), 'must be a finite number')

export const readOnly = (...names: string[]) => Object.fromEntries(names.map((name) => [name, anything.optional()]))

export const withoutReadOnly = <Given extends Record<string, unknown>>(given: Given, names: readonly string[]): Given =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name))) as Given

const SYSTEM_READ_ONLY = ['id', 'created_at'] as const

export const SystemChange = z
  .strictObject({
    ...readOnly(...SYSTEM_READ_ONLY),
    ...z.object({ ...systemFieldsGiven, is_active: systemFields.shape.is_active }).partial().shape,
  })
  .transform((given) => withoutReadOnly(given, SYSTEM_READ_ONLY))

// --- webhook rules (interface, 4.3) --------------------------------------------------------------------------------

/** In upper case, as in transactions. */
const bankCode = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9]{2,20}$/, 'A bank code is 2 to 20 letters or digits.')
  .transform((code) => code.toUpperCase())

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
    .meta({ description: 'Codes such as `VCB`. Empty: all banks.' }),
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
export const SecretRotation = z.strictObject({ finish: z.literal(true).optional() })

// --- queries -------------------------------------------------------------------------------------------------------

/** An empty parameter counts as absent. */
const parameter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

/** Pages are counted from 1; `page=` is refused. */
const page = z
  .string()
  .regex(/^0*[1-9]\d{0,11}$/, 'A page is a whole number from 1.')
  .default('1')
  .transform(Number)

const word = z
  .string()
  .max(2_048)
  .refine((value) => !value.includes('\0'), 'This contains a NUL character.')

/** Postgres has no year 0. */
const day = z.iso
  .date('A day is written YYYY-MM-DD.')
  .refine((value) => !value.startsWith('0000'), 'There is no year 0.')

/** Cursors are signed, so their form is checked when they are read. */
const cursor = parameter(word)

const id = parameter(
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'An id is a positive whole number.')
    .transform(Number),
)

const includeRaw = parameter(z.enum(['0', '1'], 'include_raw is 0 or 1.').transform((value) => value === '1'))

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
          'Default `failed`. `pending`: what waits is due at once. `success`: sent once more, with `X-Webhook-Replay: 1`.',
      }),
      bank_code: bankCode.optional(),
      type: z.enum(['credit', 'debit']).optional(),
      source_type: sourceType.optional(),
      date_from: day.optional().meta({ description: 'Vietnamese day of the capture.' }),
      date_to: day.optional().meta({ description: 'Vietnamese day of the capture, inclusive.' }),
      rule_id: z
        .int()
        .positive()
        .optional()
        .meta({ description: 'Only transactions that wait, failed or succeeded at this rule.' }),
      error: line(100).optional().meta({ description: 'Class of the last error, such as `timeout` or `http_500`.' }),
    })
    .optional(),
  /** Only returns how many transactions match. */
  dry_run: z.boolean().optional(),
})

/** The groups that a bulk retry with the same filter makes due. */
export const UndeliveredFilter = z.object({
  status: parameter(z.enum(['failed', 'pending'])),
  bank_code: parameter(word),
  type: parameter(z.enum(['credit', 'debit'])),
  source_type: parameter(sourceType),
  date_from: parameter(day),
  date_to: parameter(day),
  rule_id: id,
  error: parameter(word),
})

export const StatsRange = z.object({ from: parameter(day), to: parameter(day) })
export const StatsHours = z.object({
  hours: parameter(
    z
      .string()
      .regex(/^0*([1-9]|[1-9]\d|1[0-5]\d|16[0-8])$/, 'hours is 1 to 168.')
      .transform(Number),
  ),
})

const transactionFilter = {
  bank_code: parameter(word),
  type: parameter(z.enum(['credit', 'debit'])),
  source_type: parameter(sourceType),
  date_from: parameter(day),
  date_to: parameter(day),
  search: parameter(word),
  webhook_status: parameter(webhookStatus),
  rule_id: id,
  system_id: id,
  order_id: parameter(word),
  account_number: parameter(word),
}

/** Interface, 4.2. */
export const TransactionList = z.object({
  page,
  ...transactionFilter,
  cursor,
  include_raw: includeRaw,
})

const columnName = `(?:${COLUMN_NAMES.join('|')})`

export const TransactionExport = z.object({
  format: parameter(z.enum(FORMATS).meta({ description: 'Default `csv`. `xlsx`: a spreadsheet.' })),
  columns: parameter(
    z
      .string()
      .regex(
        new RegExp(`^${columnName}(?:,${columnName})*$`),
        'A column does not exist, or the names are not separated by commas. `/docs` lists the columns.',
      )
      .transform((names) => names.split(',') as ColumnName[]),
  ),
  language: parameter(
    z
      .enum(['vi', 'en'])
      .meta({ description: 'Language of the headings. Default: the headings are the names of the columns.' }),
  ),
  month: parameter(
    z
      .string()
      .regex(/^[1-9]\d{3}-(?:0[1-9]|1[0-2])$/, 'A month is written YYYY-MM.')
      .meta({ description: 'Replaces `date_from` and `date_to`.' }),
  ),
  ...transactionFilter,
})

export const TransactionDetail = z.object({ include_raw: includeRaw })

export const NotificationList = z.object({
  page,
  status: parameter(z.enum(['unparsed', 'ignored', 'captured'])),
  cursor,
  include_raw: includeRaw,
})

export const Page = z.object({ page, cursor })

export const InboxList = z.object({ cursor })
