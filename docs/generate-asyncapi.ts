/**
 * Generates `docs/asyncapi.yaml`, the description of the Kafka topic for consumers, from the schemas of the events: `npm run docs`.
 * Its JSON Schemas and examples contain only what the relay publishes.
 */
import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { z } from 'zod'
import { groupIdOf } from '../adapters/log/kafka/client.ts'
import { KEPT_MS, PARTITIONS } from '../adapters/log/kafka/topic.ts'
import { SETTINGS } from '../cmd/settings/setting-table.ts'
import { transactionEvents, type TransactionEventData } from '../domain/transaction/events.ts'
import { PERSONAL_FIELDS, publicFieldsOf } from '../domain/transaction/public-view.ts'
import { GROUP } from '../workflows/deliver/deliver.ts'

/** Version of the topic's format. The rule for its changes is in docs/kafka.md, "Compatibility". */
const VERSION = '1.0.0'

const TOPIC = SETTINGS.kafkaTopic.fallback

type Type = keyof TransactionEventData
type Schema = Record<string, unknown>

const TYPES = Object.keys(transactionEvents) as Type[]

const SUMMARIES: Record<Type, string> = {
  TransactionCaptured: 'A notification was read as a transaction. The first event of each transaction.',
  TransactionCompleted: 'A better copy of the notification supplied the order id.',
  WebhookAttempted: 'A webhook was called, with or without success.',
  WebhookRetryRequested:
    'Deliveries of the transaction are made again: after a manual or bulk retry, or a confirmed bank account.',
  DeliveryEnded: 'A delivery ended without success: its rule was deleted or its endpoint is gone.',
  WebhookStatusChanged: 'The status of the transaction changed, which combines all of its deliveries.',
  TransactionDeleted: 'The transaction was deleted. The last event of its stream.',
}

const schemaOf = (type: Type): Schema => {
  const event: z.ZodObject = transactionEvents[type]
  const isPersonal = (name: string) => (PERSONAL_FIELDS as readonly string[]).includes(name)
  const fields = publicFieldsOf(type, true).map((name) => {
    const field = event.shape[name] as z.ZodType
    return [name, isPersonal(name) ? field.optional() : field]
  })
  const { $schema: _, ...schema } = z.toJSONSchema(z.object(Object.fromEntries(fields) as z.ZodRawShape), {
    target: 'draft-7',
    override: ({ jsonSchema }) => {
      // New fields may be added. A known format says more than the pattern of the validator.
      delete jsonSchema.additionalProperties
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
    },
  })
  return { description: SUMMARIES[type], ...schema }
}

/** Values of fields in the examples. A field that is not listed gets one from its schema. */
const VALUES: Record<string, unknown> = {
  transaction_id: 1024,
  user_id: 7,
  completed_by: 1025,
  attempt_id: 2048,
  rule_id: 3,
  rules: [3],
  bank_code: 'VCB',
  bank_name: 'Vietcombank',
  amount: '150000.00',
  currency: 'VND',
  transaction_ref: 'MBVCB.1234567890',
  counterpart_bank: 'Techcombank',
  order_id: 'DH1024',
  webhook_status: 'pending',
  already_run_of: null,
  // Left out: the example is not held back.
  held: undefined,
  url: 'https://shop.example/#3f2a9c',
  http_status: 200,
  error: null,
  duration_ms: 84,
  next_attempt_at: null,
  to: 'success',
}
const MOMENT = '2026-11-20T01:30:00.000Z'

const exampleOf = (name: string, { type, enum: values, anyOf, format }: Schema): unknown => {
  if (name in VALUES) return VALUES[name]
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return exampleOf(name, anyOf[0] as Schema)
  if (format === 'date-time') return MOMENT
  return { integer: 1, number: 1, boolean: false, array: [], null: null }[String(type)] ?? 'text'
}

const payloadOf = (type: Type): Schema => {
  const properties = schemaOf(type).properties as Record<string, Schema>
  const shown = Object.entries(properties).filter(([name]) => !(PERSONAL_FIELDS as readonly string[]).includes(name))
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(name, schema)]))
}

const text = (description: string, rest: Schema = {}): Schema => ({ type: 'string', description, ...rest })

const HEADERS: Record<string, Schema> = {
  ce_specversion: text('version of CloudEvents', { const: '1.0' }),
  ce_id: text('id of the event; a repeat has the same', { format: 'uuid' }),
  ce_type: text('type of the event', { enum: TYPES }),
  ce_source: text('BASE_URL of the installation', { format: 'uri' }),
  ce_subject: text('stream of the event', { pattern: '^transaction-\\d+$' }),
  ce_time: text('when the event was decided', { format: 'date-time' }),
  ce_revision: text('position in the events of the transaction, from 0', { pattern: '^\\d+$' }),
  ce_checkpoint: text('position in the event store, for Baoco itself'),
  ce_installation: text('id of the installation', { format: 'uuid' }),
  ce_correlationid: text('id of the trace; the same for the capture and all attempts of a transaction'),
  ce_traceparent: text('W3C Trace Context; missing if the event belongs to no trace'),
  'content-type': text('format of the value', { const: 'application/json' }),
}

/** Messages of older versions, and of scheduled work, lack these. */
const OPTIONAL = ['ce_correlationid', 'ce_traceparent']

const headersOf = (type: Type): Schema => ({
  ce_specversion: '1.0',
  ce_id: '6f1d2e3f-0000-4b0c-8f5e-0f6f9a8f7b33',
  ce_type: type,
  ce_source: 'https://pay.example.vn',
  ce_subject: 'transaction-1024',
  ce_time: MOMENT,
  ce_revision: type === 'TransactionCaptured' ? '0' : '1',
  ce_checkpoint: '4711',
  ce_installation: '5b0a1f39-93a4-4b0c-8f5e-0f6f9a8f7b11',
  ce_correlationid: '4bf92f35-77b3-4da6-a3ce-929d0e0e4736',
  ce_traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'content-type': 'application/json',
})

const messageOf = (type: Type): Schema => ({
  name: type,
  summary: SUMMARIES[type],
  contentType: 'application/json',
  headers: { $ref: '#/components/schemas/Headers' },
  payload: { $ref: `#/components/schemas/${type}` },
  bindings: { kafka: { key: text('user id; the events of a user are in one partition', { pattern: '^\\d+$' }) } },
  examples: [{ headers: headersOf(type), payload: payloadOf(type) }],
})

const each = (make: (type: Type) => unknown): Schema => Object.fromEntries(TYPES.map((type) => [type, make(type)]))

const headersSchema: Schema = {
  type: 'object',
  required: Object.keys(HEADERS).filter((name) => !OPTIONAL.includes(name)),
  properties: HEADERS,
}

export const asyncApi = () => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Baoco transaction events',
    version: VERSION,
    description:
      'Every event of every transaction, as CloudEvents 1.0 in binary mode on a Kafka topic, at least once. ' +
      'docs/kafka.md says what consumers may rely on. Generated by `npm run docs`. Do not edit.',
    license: { name: 'Apache-2.0' },
  },
  defaultContentType: 'application/json',
  channels: {
    transactions: {
      address: TOPIC,
      description: 'The topic that KAFKA_TOPIC names.',
      messages: each((type) => ({ $ref: `#/components/messages/${type}` })),
      bindings: {
        kafka: {
          topic: TOPIC,
          partitions: PARTITIONS,
          topicConfiguration: { 'cleanup.policy': ['delete'], 'retention.ms': KEPT_MS },
        },
      },
    },
  },
  operations: {
    publish: {
      action: 'send',
      channel: { $ref: '#/channels/transactions' },
      summary: 'The relay publishes each event.',
    },
    deliver: {
      action: 'receive',
      channel: { $ref: '#/channels/transactions' },
      summary: 'Delivery reads the topic to make the first attempts.',
      bindings: {
        kafka: { groupId: text("Baoco's own consumer group", { const: groupIdOf({ topic: TOPIC }, GROUP) }) },
      },
    },
  },
  components: {
    messages: each(messageOf),
    schemas: { Headers: headersSchema, ...each(schemaOf) },
  },
})

export const asyncApiDocument = (): string => stringify(asyncApi(), { aliasDuplicateObjects: false, lineWidth: 120 })

if (process.argv[1]?.endsWith('generate-asyncapi.ts'))
  writeFileSync(new URL('asyncapi.yaml', import.meta.url), asyncApiDocument())
