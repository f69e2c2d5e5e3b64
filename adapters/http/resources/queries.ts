// Tests: tests/integration/openapi/guards.test.ts
/** Queries of the management endpoints. Each schema serves for validation, types and the OpenAPI document. */
import { z } from 'zod'
import { sourceType, webhookStatus } from '../../../domain/transaction/events.ts'
import { COLUMN_NAMES, type ColumnName } from '../../export/columns.ts'
import { FORMATS } from '../../export/transactions.ts'
import { day } from './request-fields.ts'

/** An empty parameter counts as absent. */
const parameter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())

/** Pages are counted from 1; `page=` is refused. */
const page = z
  .string()
  .regex(/^0*[1-9]\d{0,11}$/, 'A page is a whole number of at least 1.')
  .default('1')
  .transform(Number)

const word = z
  .string()
  .max(2_048)
  .refine((value) => !value.includes('\0'), 'This contains a NUL character.')

const inUpperCase = parameter(word.transform((value) => value.toUpperCase()))

/** Cursors are signed, so their form is checked when they are read. */
const cursor = parameter(word)

const id = parameter(
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'An id is a positive whole number.')
    .transform(Number),
)

const includeRaw = parameter(z.enum(['0', '1'], 'include_raw is 0 or 1.').transform((value) => value === '1'))

/** @param which  the day that is compared: the bank's own, or that of the arrival */
const daysOf = (which: string) => ({
  date_from: parameter(day.meta({ description: `${which}, in Vietnam time.` })),
  date_to: parameter(day.meta({ description: `${which}, in Vietnam time, inclusive.` })),
})

/** The groups that a bulk retry with the same filter makes due. */
export const UndeliveredFilter = z.object({
  status: parameter(z.enum(['failed', 'pending'])),
  bank_code: inUpperCase,
  type: parameter(z.enum(['credit', 'debit'])),
  source_type: parameter(sourceType),
  ...daysOf('Day of the capture'),
  rule_id: id,
  error: parameter(word),
})

export const StatsRange = z.object({
  from: parameter(day.meta({ description: 'Default: the 30 days up to `to`. At most 400 days.' })),
  to: parameter(day.meta({ description: 'Inclusive. Default: today.' })),
})
export const StatsHours = z.object({
  hours: parameter(
    z
      .string()
      .regex(/^0*([1-9]|[1-9]\d|1[0-5]\d|16[0-8])$/, 'This must be a whole number from 1 to 168.')
      .transform(Number),
  ),
})

const transactionFilter = {
  bank_code: parameter(word),
  type: parameter(z.enum(['credit', 'debit'])),
  source_type: parameter(sourceType),
  ...daysOf('Day of `transaction_date`'),
  search: parameter(word),
  webhook_status: parameter(webhookStatus),
  rule_id: id,
  system_id: id,
  /** Stored order ids are in upper case (decisions, "order_id"). */
  order_id: inUpperCase,
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
      .regex(/^[1-9]\d{3}-(?:0[1-9]|1[0-2])$/, 'This is not a valid month. Write it as YYYY-MM.')
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

export const RuleTest = z.object({
  sample: parameter(
    z.enum(['0', '1']).meta({ description: '1: send a sample transaction in the format of the rule.' }),
  ),
})
