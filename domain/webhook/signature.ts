/** The headers that prove the caller to a shop (section 5 of the interface), and those of Standard Webhooks. */
import { createHmac } from 'node:crypto'

export interface Signing {
  /** The rule's 48 hexadecimal characters. */
  secret: string
  /** The secret before a rotation, while both sign. */
  previous?: string | null
  body: string
  /** The same for all attempts of one delivery, so that a receiver can recognise repeats. */
  webhookId: string
  /** Unix seconds. */
  timestamp: number
  /** From 1. */
  attempt: number
}

const hmac = (key: string | Buffer, text: string): ReturnType<typeof createHmac> =>
  createHmac('sha256', key).update(text, 'utf8')

/** The id of a delivery for its receiver. */
export const webhookIdOf = (transactionId: number, ruleId: number): string => `msg_${transactionId}_${ruleId}`

const standardSignature = (secret: string, text: string): string =>
  `v1,${hmac(Buffer.from(secret, 'base64'), text).digest('base64')}`

/**
 * The key of `X-Webhook-Signature` is the secret's characters as text. Standard Webhooks uses a base64 key, so its key is the same
 * 48 characters decoded from base64, and `new Webhook(secret_key)` verifies without conversion. Its header can contain several
 * signatures, the newest secret's first. `X-Webhook-Signature` contains only one. It uses the previous secret while there is one,
 * so that a shop that has not noticed the rotation still accepts calls.
 */
export const signedHeaders = ({
  secret,
  previous = null,
  body,
  webhookId,
  timestamp,
  attempt,
}: Signing): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': 'Baoco',
  'x-webhook-source': 'baoco',
  'x-webhook-signature': `sha256=${hmac(previous ?? secret, body).digest('hex')}`,
  'x-webhook-attempt': String(attempt),
  'webhook-id': webhookId,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': [secret, ...(previous === null ? [] : [previous])]
    .map((each) => standardSignature(each, `${webhookId}.${timestamp}.${body}`))
    .join(' '),
})
