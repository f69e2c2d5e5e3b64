// Tests: tests/integration/http/document.test.ts
/** The calls that Baoco makes, for the `webhooks` section of the API's document (interface, sections 2.5 and 5). */
import { SAMPLE } from '../../../domain/webhook/payload/custom.ts'
import { render } from '../../../domain/webhook/payload/render.ts'
import { testPayload } from '../../../domain/webhook/payload/test.ts'

const text = { type: 'string' }
const textOrNull = { type: ['string', 'null'] }
const integer = { type: 'integer' }
const direction = { type: 'string', enum: ['credit', 'debit'] }
const amount = { type: 'string', pattern: '^\\d+\\.\\d{2}$' }

const objectOf = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
})

const shortened = {
  description_truncated: { type: 'boolean', description: 'Present, and true, if the body was longer than 4,096 bytes and was shortened.' },
} // prettier-ignore

const transactionOf = (properties: Record<string, object>) => ({
  ...objectOf({ ...properties, ...shortened }),
  required: Object.keys(properties),
})

const standard = transactionOf({
  event: { type: 'string', enum: ['bank_transaction'] }, bank_code: text, bank_name: text, transaction_type: direction, amount, currency: text,
  balance_after: textOrNull, account_number: textOrNull, transaction_ref: textOrNull, transaction_date: { type: 'string', format: 'date-time' },
  description: text, counterpart_name: textOrNull, order_id: textOrNull, transaction_id: integer, timestamp: integer,
}) // prettier-ignore

const reference = { ...text, description: 'The bank’s reference, or empty. `webhook-id` identifies the payment.' }

const woocommerce = transactionOf({
  order_id: text, payment_method: { type: 'string', enum: ['bank_transfer'] }, transaction_id: reference, amount, currency: text,
  status: { type: 'string', enum: ['completed'] }, description: text, note: text, bank_code: text, bank_name: text, transaction_type: direction,
  payer_name: text, timestamp: integer,
}) // prettier-ignore

const test = objectOf({
  event: { type: 'string', enum: ['test'] }, bank_code: text, bank_name: text, transaction_type: direction, amount: integer, currency: text,
  description: text, timestamp: integer,
}) // prettier-ignore

const alert = {
  ...objectOf({
    event: { type: 'string', enum: ['alert_raised', 'alert_ended'] }, id: integer, kind: text, subject: text,
    until: { type: ['string', 'null'], format: 'date-time' }, timestamp: integer,
    text: { type: 'string', description: 'Only when the alert begins.' }, since: { type: 'string', format: 'date-time' },
  }),
  required: ['event', 'id', 'kind', 'subject', 'until', 'timestamp'],
} // prettier-ignore

/** A body of the standard format also is an object of a template, so `oneOf` would refuse it. */
const transaction = [
  standard,
  woocommerce,
  { type: 'object', description: 'A custom template that is an object.' },
  { type: 'array', items: {}, description: 'A custom template that is a list.' },
]

/** Unix seconds of the attempt in the examples. */
const TIMESTAMP = 1795143605

const sampleIn = (payload_format: 'standard' | 'woocommerce' | 'custom') => {
  const custom_template = '{"order":"{{order_id}}","paid":"{{amount}}"}'
  return { value: JSON.parse(render({ payload_format, custom_template }, SAMPLE, TIMESTAMP)) as object }
}

const transactionExamples = {
  standard: sampleIn('standard'),
  woocommerce: sampleIn('woocommerce'),
  custom: sampleIn('custom'),
}

const ALERT = { id: 7, kind: 'endpoint_failing', subject: 'https://shop.example.com' }
const SINCE = '2026-11-20T02:30:00.000Z'

const alertExamples = {
  alert_raised: {
    value: { event: 'alert_raised', ...ALERT, text: 'The endpoint does not answer.', since: SINCE, until: null, timestamp: TIMESTAMP },
  },
  alert_ended: { value: { event: 'alert_ended', ...ALERT, until: '2026-11-20T03:00:05.000Z', timestamp: TIMESTAMP } },
} // prettier-ignore

const header = (name: string, description: string, example: string, { required = true, schema = text as object } = {}) => ({
  name,
  in: 'header',
  required,
  description,
  schema,
  example,
}) // prettier-ignore

const HEADERS = [
  header('X-Webhook-Source', 'Always `baoco`.', 'baoco'),
  header(
    'X-Webhook-Signature',
    '`sha256=` and the HMAC-SHA256 of the body in hexadecimal. The key is the `secret_key` of the rule or of the address for alerts; during a rotation, the previous one.',
    `sha256=${'a1b2c3d4'.repeat(8)}`,
    { schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' } },
  ),
  header('X-Webhook-Attempt', 'Number of this attempt, starting at 1.', '1'),
  header('webhook-id', 'The same for every attempt of one transaction and rule, or of one alert call.', 'msg_1042_7'),
  header('webhook-timestamp', 'Unix seconds of this attempt.', String(TIMESTAMP)),
  header('webhook-signature', 'Signature as Standard Webhooks defines it. During a rotation of the secret there are two.', 'v1,q3t5'),
] // prettier-ignore

const REPLAY = header('X-Webhook-Replay', '`1` if this payment was delivered before. Otherwise absent.', '1', {
  required: false,
})
const TRACE = header(
  'traceparent',
  'W3C Trace Context. All attempts for one payment belong to one trace.',
  `00-${'a1b2c3d4'.repeat(4)}-${'a1b2c3d4'.repeat(2)}-01`,
  { required: false },
)
const EVENT = header('X-Webhook-Event', '`test` with `?sample=1`. Otherwise absent.', 'test', { required: false })

const call = <Schema extends object>(
  operationId: string,
  summary: string,
  description: string,
  schema: Schema,
  examples: Record<string, { value: object }>,
  more: (typeof HEADERS)[number][] = [],
) => ({
  post: {
    operationId,
    summary,
    description,
    // Baoco sends no credential. The signature is a header.
    security: [],
    parameters: [...HEADERS, ...more],
    requestBody: { required: true, content: { 'application/json': { schema, examples } } },
    responses: {
      '2XX': { description: 'Delivered. Any other answer, or no answer within 10 s, is a failed attempt.' },
      410: { description: 'Gone. The rule is paused, and the delivery ends.' },
    },
  },
})

export const WEBHOOKS = {
  bankTransaction: call(
    'bank-transaction',
    'A transaction matches a rule',
    'Sent in the format of the rule: standard, woocommerce, or the rule’s own template. A failed attempt is repeated up to six times.',
    { anyOf: transaction },
    transactionExamples,
    [REPLAY, TRACE],
  ),
  test: call(
    'test-call',
    'A rule is tested',
    'Sent by the test of a rule. With `?sample=1` it is a sample transaction in the format of the rule, with the header `X-Webhook-Event: test`.',
    { anyOf: [test, ...transaction] },
    { test: { value: testPayload(TIMESTAMP) }, ...transactionExamples },
    [EVENT],
  ),
  alert: call(
    'alert',
    'An alert begins or ends',
    'Sent to the address in `PUT /api/account/alerts`, signed with the secret that the same call returned.',
    alert,
    alertExamples,
  ),
}
