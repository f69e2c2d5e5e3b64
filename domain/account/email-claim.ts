// Tests: tests/integration/http/registration.test.ts
/**
 * Ensures one account per email. A stream named by the address's hash records its owner. The installation's first account is
 * claimed in a separate stream, so that a start with another ADMIN_EMAIL does not create a second operator.
 */
import { z } from 'zod'
import { id } from '../fields.ts'
import { sha256 } from '../sha256.ts'
import { normalEmail } from './access.ts'

export const emailEvents = {
  /** The account may not exist yet. The next process that finds the claim completes it under this id. */
  EmailClaimed: z.object({ user_id: id }),
  /** The account was deleted, so the address may be claimed again. */
  EmailReleased: z.object({ user_id: id }),
}

export const firstAccountEvents = {
  FirstAccountClaimed: z.object({ user_id: id }),
}

type Claims = typeof emailEvents & typeof firstAccountEvents
export type ClaimEvent = { [Type in keyof Claims]: { type: Type; data: z.infer<Claims[Type]> } }[keyof Claims]

const EMAIL_PREFIX = 'email-'

/** The name of the stream contains a hash, not the address itself. */
export const emailStream = (email: string): string => `${EMAIL_PREFIX}${sha256(normalEmail(email), 'hex')}`

/** Whether the stream is one of an address. A release erases the events before it and does not close the stream. */
export const isEmailStream = (stream: string): boolean => stream.startsWith(EMAIL_PREFIX)

export const FIRST_ACCOUNT_STREAM = 'first-account'
