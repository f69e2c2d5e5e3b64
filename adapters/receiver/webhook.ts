// Tests: tests/integration/receiver/receiver.test.ts
/** Takes a webhook of Baoco: verifies its signature and its age, and marks the order as paid. */
import { failed, objectOf, type Answer } from './answers.ts'
import type { Shop } from './shop.ts'
import { isGenuine, isRecent } from './verify.ts'

/**
 * @param rawBody  exactly the bytes that were received: the signature covers them
 * @param signature  the header X-Webhook-Signature
 * @param event  the header X-Webhook-Event: `test` with a sample transaction, whose body is like that of a payment
 */
export const takeWebhook = (
  { shop, secret }: { shop: Shop; secret: string },
  rawBody: Buffer,
  { signature, event }: { signature: string | undefined; event: string | undefined },
): Answer => {
  if (signature === undefined) return failed(401, 'The signature is missing.')
  if (!isGenuine(rawBody, signature, secret)) return failed(401, 'The signature is not valid.')
  const body = objectOf(rawBody)
  if (!body) return failed(400, 'The body is not a JSON object.')
  const now = new Date()
  if (!isRecent(body.timestamp, now)) return failed(401, 'The call is too old.')
  const ok: Answer = { status: 200, body: { ok: true } }
  // This is not a payment for an order. A refusal would only cause retries.
  if (event === 'test' || body.event === 'test' || body.transaction_type === 'debit' || body.currency !== 'VND')
    return ok
  const { order_id, amount, transaction_id } = body
  const order = typeof order_id === 'string' ? shop.find(order_id) : null
  if (!order) return failed(404, 'There is no such order.')
  if (typeof amount !== 'string' || !/^\d+(\.\d+)?$/.test(amount))
    return failed(400, 'The amount is not a decimal number.')
  if (typeof transaction_id !== 'number' && typeof transaction_id !== 'string')
    return failed(400, 'The transaction has no id.')
  const { alreadyPaid } = shop.pay(order, { amount, transaction_id }, now)
  return alreadyPaid ? { status: 200, body: { ok: true, already_paid: true } } : ok
}
