/**
 * The `custom` format: the user's own JSON with `{{name}}` in its values. A string that is exactly one placeholder becomes the
 * typed value (a number stays a number, null stays null). Inside a longer string the value becomes text, and null becomes empty.
 * Names are those of the standard payload, and `woocommerce.<name>` for the other format.
 */
import { fitsBody, shortenUntilItFits, type Payload } from './shorten.ts'
import { standardFields } from './standard.ts'
import type { TransactionRow } from './transaction-row.ts'
import { woocommerceFields } from './woocommerce.ts'

type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

const PLACEHOLDER = /\{\{\s*([\w.]+)\s*\}\}/g
const ONLY_PLACEHOLDER = /^\{\{\s*([\w.]+)\s*\}\}$/

const fieldsOf = (row: TransactionRow, timestamp: number): Payload => ({
  ...standardFields(row, timestamp),
  ...Object.fromEntries(
    Object.entries(woocommerceFields(row, timestamp)).map(([name, value]) => [`woocommerce.${name}`, value]),
  ),
})

/** Free texts that may be shortened, in this order. */
const TEXTS = [
  'description',
  'woocommerce.description',
  'woocommerce.note',
  'counterpart_name',
  'woocommerce.payer_name',
]

const fill = (value: Json, fields: Payload): Json => {
  if (typeof value === 'string') {
    const [, only] = ONLY_PLACEHOLDER.exec(value) ?? []
    if (only !== undefined) return fields[only] ?? null
    return value.replace(PLACEHOLDER, (_, name: string) => String(fields[name] ?? ''))
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, fields))
  if (value && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, fields)]))
  return value
}

/**
 * Fills a template that `templateProblem` accepted. If the body is longer than 4 KB, its free texts are shortened. No key is added.
 * @param timestamp  of the attempt, Unix seconds
 */
export const customBody = (template: string, row: TransactionRow, timestamp: number): string => {
  const parsed = JSON.parse(template) as Json
  const form = (fields: Payload): string => JSON.stringify(fill(parsed, fields))
  return form(shortenUntilItFits(fieldsOf(row, timestamp), TEXTS, form))
}

/** The row that templates are tested with. Every field has a value. */
export const SAMPLE: TransactionRow = {
  id: 1042,
  bank_code: 'VCB',
  bank_name: 'Vietcombank',
  transaction_type: 'credit',
  amount: '150000.00',
  currency: 'VND',
  balance_after: '2150000.00',
  account_number: '0011000415567',
  transaction_ref: 'MBVCB.900000001',
  transaction_date: '2026-01-05T02:30:00.000Z',
  description: 'SD TK 0011000415567 +150,000VND luc 05-01-2026 09:30:00. SD 2,150,000VND. Ref MBVCB.900000001.DH1042',
  counterpart_name: 'NGUYEN VAN A',
  order_id: 'DH1042',
}

/** The most objects and lists inside one another. The stack has room for more. */
const MOST_LEVELS = 100

const isDeeper = (value: Json, levels: number): boolean =>
  value !== null &&
  typeof value === 'object' &&
  (levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1)))

const problemIn = (value: Json, names: ReadonlySet<string>): string | null => {
  if (typeof value === 'string') {
    const unknown = [...value.matchAll(PLACEHOLDER)].map(([, name]) => name!).find((name) => !names.has(name))
    if (unknown !== undefined) return `unknown placeholder {{${unknown}}}; these are known: ${[...names].join(', ')}`
    return /\{\{|\}\}/.test(value.replace(PLACEHOLDER, '')) ? 'a placeholder whose braces do not close' : null
  }
  if (!value || typeof value !== 'object') return null
  if (!Array.isArray(value) && Object.keys(value).some((key) => /\{\{|\}\}/.test(key))) return 'a placeholder in a key'
  for (const item of Object.values(value)) {
    const problem = problemIn(item, names)
    if (problem !== null) return problem
  }
  return null
}

/** Digits without zeros at their ends, and the power of ten of the last one: `1500.0` is `15e2`. */
const decimalOf = (number: string): string => {
  const [, whole = '', fraction = '', power = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  return kept === '' ? '0' : `${kept}e${Number(power) - fraction.length + digits.length - kept.length}`
}

const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*/gi

/** The first number of a template that is rounded when it is read, such as one of 20 digits. Undefined if there is none. */
const roundedIn = (template: string): string | undefined =>
  [...template.matchAll(STRINGS_AND_NUMBERS)]
    .map(([token]) => token)
    .find((token) => !token.startsWith('"') && decimalOf(token) !== decimalOf(String(Number(token))))

/** Why a template cannot be used, in plain words. Null if it can. Called when a rule is created or changed. */
export const templateProblem = (template: string): string | null => {
  let parsed: Json
  try {
    parsed = JSON.parse(template) as Json
  } catch {
    return 'not valid JSON'
  }
  if (!parsed || typeof parsed !== 'object') return 'neither a JSON object nor an array'
  if (isDeeper(parsed, MOST_LEVELS)) return `nested more than ${MOST_LEVELS} levels deep`
  const rounded = roundedIn(template)
  if (rounded !== undefined) return `the number ${rounded} would be rounded; put it in quotes`
  const fields = fieldsOf(SAMPLE, 0)
  const problem = problemIn(parsed, new Set(Object.keys(fields)))
  if (problem !== null) return problem
  return fitsBody(JSON.stringify(fill(parsed, fields))) ? null : 'over 4 KB with the sample transaction'
}
