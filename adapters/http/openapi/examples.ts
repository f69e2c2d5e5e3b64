// Tests: tests/integration/http/document.test.ts
/** Examples for the API's document: made from the schemas, with values as they occur for fields of these names. */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type JsonObject = Record<string, Json>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const AT = '2026-11-20T03:00:05.000Z'
const TEXT = 'SD TK 0011000415567 +150,000VND luc 20-11-2026 10:00:05. SD 1,250,000VND. Ref MBVCB.5512.DH1042'

/**
 * By the name of the field or parameter. People copy examples, so none may weaken a protection, end a credential or switch something off.
 */
const KNOWN: JsonObject = {
  account_name: 'NGUYEN VAN AN', account_number: '0011000415567', advice: 'Send the text as text/plain.', again: false, amount: '150000.00',
  api_key: 'bck_1.Zm9yLXRoZS1kb2N1bWVudC1vbmx5', attempt: 1, authserv_id: 'mx.example.com', balance: '150000.00', balance_after: '1250000.00',
  bank_code: 'VCB', bank_name: 'Vietcombank', code: 'friend-1', columns: 'date,time,money_in,order_id', confirmed: 1, month: '2026-11', content: 'MBVCB.5512.DH1042', counterpart_account: '0451000287781',
  counterpart_bank: 'MB', counterpart_name: 'TRAN THI BINH', credit: '150000.00', currency: 'VND', cursor: 'MTc5NTE0MzYwNTAwMA', custom_template: '{"order":"{{order_id}}","paid":"{{amount}}"}', date: '2026-11-20',
  date_from: '2026-11-01', date_to: '2026-11-30', debit: '0.00', description: TEXT, device_token: 'bcd_1.Zm9yLXRoZS1kb2N1bWVudC1vbmx5',
  duration_ms: 84, earned: '150000.00', email: 'owner@example.com', end_everything: false, endpoint: 'https://shop.example.com', expires_at: '2036-11-20T03:00:05.000Z', filter_banks: ['VCB'], filter_type: 'credit', folder: 'INBOX', from: '2026-11-01',
  host: 'imap.example.com', http_status: 200, is_active: 1, label: 'Friends', lane: 'first', limit: 30, max_per_minute: null, message: 'One plain sentence.', method: 'POST', min_amount: null, model: 'Pixel 9',
  name: 'My shop', order_id: 'DH1042', package: 'com.VCB', page: 1, password: 'a long enough password', path: 'url', payment_prefix: 'DH',
  platform: 'android', plan: 'Basic', port: 993, raw_data: '{}', reason: 'unparsed', ref: 'friend-1', response_body: 'ok', search: 'DH1042',
  secret: 'a'.repeat(48), secret_key: '0123456789abcdef0123456789abcdef0123456789abcdef', sender: 'Vietcombank', site_url: 'https://shop.example.com',
  subject: 'Giao dịch mới', system_id: null, system_name: 'My shop', text: TEXT, title: 'Biến động số dư', to: '2026-11-30',
  token: 'bcu_1.Zm9yLXRoZS1kb2N1bWVudC1vbmx5', transaction_ref: 'MBVCB.5512', trust_sms_app_titles: false, trusted_senders: ['Vietcombank'], url: 'https://shop.example.com/webhook', username: 'owner@example.com',
  webhook_url: 'https://shop.example.com/webhook', withdrawn: '0.00', without_sender: false,
  items: [{ type: 'sms', sender: 'Vietcombank', text: TEXT, received_at: AT }], prefixes: ['DH'], received_at: AT,
} // prettier-ignore

const FORMATS: Readonly<Record<string, { pattern: RegExp; example: string }>> = {
  'date-time': { pattern: /^\d{4}-\d\d-\d\dT.+Z$/, example: AT },
  date: { pattern: /^\d{4}-\d\d-\d\d$/, example: '2026-11-20' },
  uri: { pattern: /^https:/, example: 'https://shop.example.com/webhook' },
}

/** Whether the value may stand here, as far as a schema of a known field says. */
const fits = (value: Json, schema: JsonObject): boolean => {
  const { pattern, type, maxLength = Infinity, minimum = -Infinity, maximum = Infinity, format, enum: only } = schema
  const types = Array.isArray(type) ? type : [type]
  if (Array.isArray(only) && !only.includes(value)) return false
  if (value === null) return types.includes('null')
  if (typeof value === 'boolean') return types.includes('boolean')
  if (typeof value === 'string')
    return (
      types.includes('string') &&
      (FORMATS[format as string]?.pattern.test(value) ?? true) &&
      value.length <= Number(maxLength) &&
      (pattern === undefined || new RegExp(pattern as string, 'u').test(value))
    )
  if (typeof value === 'number')
    return (
      (types.includes('integer') || types.includes('number')) && value >= Number(minimum) && value <= Number(maximum)
    )
  return Array.isArray(value) && types.includes('array')
}

const numberFor = ({ minimum, exclusiveMinimum, maximum }: JsonObject): number =>
  Math.min(Math.max(1, Number(minimum ?? 1), Number(exclusiveMinimum ?? 0) + 1), Number(maximum ?? Infinity))

/** A PUT ignores fields that cannot be changed. Their schema accepts everything. */
const isIgnored = (schema: JsonObject): boolean => Object.keys(schema).length === 0

const membersOf = (schema: JsonObject, schemas: JsonObject): JsonObject => {
  const { properties = {} } = schema
  return Object.fromEntries(
    Object.entries(properties as JsonObject)
      .filter(([, member]) => !isIgnored(member as JsonObject))
      .map(([name, member]) => [name, exampleOf(member as JsonObject, schemas, name)]),
  )
}

/**
 * @param schemas  the document's components
 * @param name  of the field or parameter
 */
export const exampleOf = (schema: JsonObject, schemas: JsonObject, name = ''): Json => {
  const { $ref, anyOf, oneOf } = schema
  if (typeof $ref === 'string') return exampleOf(schemas[$ref.split('/').at(-1)!] as JsonObject, schemas, name)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.examples)) return schema.examples[0]!
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined
  if (Array.isArray(schema.enum)) return schema.enum.find((each) => each === known) ?? schema.enum[0]!
  const choice = anyOf ?? oneOf
  if (Array.isArray(choice)) {
    const chosen = choice.find((each) => known !== undefined && fits(known, each as JsonObject)) ?? choice[0]
    return exampleOf(chosen as JsonObject, schemas, name)
  }
  if (known !== undefined && fits(known, schema)) return known
  // Numbers in a query are texts.
  if (typeof known === 'number' && fits(String(known), schema)) return String(known)
  return madeUp(schema, schemas, name)
}

const madeUp = (schema: JsonObject, schemas: JsonObject, name: string): Json => {
  const { type, format, items } = schema
  switch (String(Array.isArray(type) ? type.find((each) => each !== 'null') : type)) {
    case 'object':
      return membersOf(schema, schemas)
    case 'array':
      return isObject(items) ? [exampleOf(items, schemas, name)] : []
    case 'integer':
    case 'number':
      return numberFor(schema)
    case 'boolean':
      return true
    case 'string':
      return FORMATS[String(format)]?.example ?? ['text', 'VCB', '1', '0'].find((each) => fits(each, schema)) ?? 'text'
    default:
      return {}
  }
}
