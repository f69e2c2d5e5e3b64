/**
 * One account an e-mail: a stream named by the address's hash holds whose it is. The installation's first account is
 * claimed in a stream of its own, so that a start with another ADMIN_EMAIL does not make a second operator.
 */
import { z } from 'zod'
import { sha256 } from '../sha256.ts'
import { normalEmail } from './access.ts'

export const emailEvents = {
  /** The account may not exist yet. The next process that finds the claim completes it under this id. */
  EmailClaimed: z.object({ user_id: z.int().positive() }),
  /** Of a deleted account: the address may be claimed anew. */
  EmailReleased: z.object({ user_id: z.int().positive() }),
}

export const firstAccountEvents = {
  FirstAccountClaimed: z.object({ user_id: z.int().positive() }),
}

type Claims = typeof emailEvents & typeof firstAccountEvents
export type ClaimEvent = { [Type in keyof Claims]: { type: Type; data: z.infer<Claims[Type]> } }[keyof Claims]

/** The address itself is in no stream's name. */
export const emailStream = (email: string): string => `email-${sha256(normalEmail(email), 'hex')}`

export const FIRST_ACCOUNT_STREAM = 'first-account'
