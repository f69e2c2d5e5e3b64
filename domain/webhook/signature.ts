/** The headers that prove to a shop who called (section 5 of the interface), and Standard Webhooks' beside them. */
import { createHmac } from 'node:crypto'

export interface Signing {
  /** The rule's 48 hexadecimal characters. */
  secret: string
  /** The secret before a rotation, while both sign. */
  previous?: string | null
  body: string
  /** The same over all attempts of one delivery, so that a receiver can tell repeats. */
  webhookId: string
  /** Unix seconds. */
  timestamp: number
  /** From 1. */
  attempt: number
}

const hmac = (key: string | Buffer, text: string): ReturnType<typeof createHmac> =>
  createHmac('sha256', key).update(text, 'utf8')

/** One delivery's name towards its receiver. */
export const webhookIdOf = (transactionId: number, ruleId: number): string => `msg_${transactionId}_${ruleId}`

const standardSignature = (secret: string, text: string): string =>
  `v1,${hmac(Buffer.from(secret, 'base64'), text).digest('base64')}`

/**
 * `X-Webhook-Signature` is keyed with the secret's characters as text; Standard Webhooks takes a key in base64, so the
 * same 48 characters decoded from base64 are its key, and `new Webhook(secret_key)` verifies as it is. That header can hold
 * several signatures, the newest secret's first. `X-Webhook-Signature` holds one, so it stays with the previous secret while there
 * is one: a shop that has not heard of the rotation goes on.
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
