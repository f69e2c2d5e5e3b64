// Tests: tests/integration/http/demo.test.ts
/** A demo without an account: shows how the reader parses a text and how a call is signed. Nothing is stored. */
import { z } from 'zod'
import { normalPrefix, PAYMENT_PREFIX } from '../../../domain/account/systems.ts'
import { orderIdOf } from '../../../domain/reader/order-id.ts'
import { transactionDate } from '../../../domain/reader/printed-time.ts'
import { read } from '../../../domain/reader/reader.ts'
import { cutToBytes, TEXT_BYTES } from '../../../domain/arrival/sizes.ts'
import { signedHeaders } from '../../../domain/webhook/signature.ts'
import { body } from '../openapi/input.ts'
import type { ApiContext } from '../context.ts'
import { data } from '../openapi/answers.ts'
import type { Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'
import type { Limited } from '../middleware/rate-limits.ts'
import { decimal, moment } from '../../../domain/fields.ts'

const around = z.string().max(1_000).optional()

const Parse = z.strictObject({
  text: z.string().max(1_000_000),
  title: around,
  sender: around,
  package: around,
  from: around.meta({ examples: ['alerts@bank.example.com'] }),
  subject: around,
  prefixes: z
    .array(
      z.string().trim().regex(PAYMENT_PREFIX, 'A payment prefix is 2 to 10 letters or digits.').transform(normalPrefix),
    )
    .max(50)
    .optional(),
})

const line = z.string().nullable()

const Parsed = z.strictObject({
  transaction: z
    .strictObject({
      bank_code: z.string(),
      bank_name: z.string(),
      transaction_type: z.enum(['credit', 'debit']),
      amount: decimal,
      currency: z.string(),
      account_number: line,
      account_name: line,
      balance_after: decimal.nullable(),
      transaction_ref: line,
      transaction_date: moment,
      transaction_date_source: z.enum(['printed', 'printed_day', 'printed_without_year', 'arrival']),
      counterpart_account: line,
      counterpart_name: line,
      counterpart_bank: line,
      description: z.string(),
      content: line,
      order_id: line,
    })
    .nullable(),
  reason: z.string().nullable().meta({ description: 'Why the notification is not a transaction; null if it is one.' }),
})

const Sign = z.strictObject({ body: z.string().max(1_000_000), secret: z.string().min(1).max(1_000) })
const Signed = z.strictObject({ headers: z.record(z.string(), z.string()) })

/** Header names in the spelling of the interface. In a request their case does not matter. */
const WRITTEN: Readonly<Record<string, string>> = {
  'content-type': 'Content-Type',
  'user-agent': 'User-Agent',
  'x-webhook-source': 'X-Webhook-Source',
  'x-webhook-signature': 'X-Webhook-Signature',
  'x-webhook-attempt': 'X-Webhook-Attempt',
}

export const demoRoutes = (operations: Operations, { clock }: ApiParts, limited: Limited): void => {
  const { post } = operations.of('Demo')

  /** Parses the text without checking whether its sender is trusted. */
  const parse = (_: ApiContext, { prefixes = [], ...given }: z.infer<typeof Parse>): z.output<typeof Parsed> => {
    const incoming = { ...given, text: cutToBytes(given.text, TEXT_BYTES) }
    const now = clock.now()
    const { reading, reason } = read(incoming, now)
    if (!reading) return { transaction: null, reason }
    const { bank_code, bank_name, transaction_type, amount, currency, account_number, account_name, content } = reading
    const { balance_after, transaction_ref, counterpart_account, counterpart_name, counterpart_bank } = reading
    const order_id = orderIdOf(content, incoming.text, prefixes)?.order_id ?? null
    return {
      transaction: {
        bank_code, bank_name, transaction_type, amount, currency, account_number, account_name, balance_after,
        transaction_ref, ...transactionDate(reading, now), counterpart_account, counterpart_name, counterpart_bank,
        description: given.text, content, order_id,
      },
      reason: null,
    } // prettier-ignore
  }

  const sign = (_: ApiContext, { body, secret }: z.infer<typeof Sign>) => {
    const timestamp = Math.floor(clock.now().getTime() / 1000)
    const headers = signedHeaders({ secret, body, webhookId: `demo_${timestamp}`, timestamp, attempt: 1 })
    return {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [WRITTEN[name] ?? name, value])),
    }
  }

  post('/api/demo/parse', 'Parse a sample notification', limited('demo'), body(Parse), data(Parsed), parse)
  post('/api/demo/sign', 'Sign a sample body', limited('demo'), body(Sign), data(Signed), sign)
}
