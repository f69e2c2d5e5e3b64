/** What the handlers get: Koa's context, and in its state whom the request belongs to. */
import type { RouterContext, RouterMiddleware } from '@koa/router'
import { randomUUID } from 'node:crypto'
import type { Account } from '../../domain/account/account.ts'
import type { Scope, ScopedKey } from '../../domain/account/api-keys.ts'
import type { ShownToken } from '../../domain/arrival/arrival.ts'
import { Refused } from '../../domain/errors.ts'
import type { Clock } from '../../domain/ports.ts'
import type { HeldBody } from './middleware/bodies-in-flight.ts'
import type { OwnersOccasion } from '../../workflows/accounts/accounts.ts'

export type SignedInBy = 'jwt' | 'api_key' | 'session'

export interface ApiState {
  /** What is held of the request's body. */
  held: HeldBody
  /** Set by `signedIn`; on public routes it is not there and not asked for. */
  account: Account
  signed_in_by: SignedInBy
  /** The token that a call of `/api/receive/*` shows, once it was looked for; null: none. */
  shown?: ShownToken | null
  /** The scoped key that the account's own was not. */
  scoped_key?: ScopedKey
  /** Of which a scoped key needs one; set before `signedIn`. */
  scopes?: readonly Scope[]
}

export type ApiContext = RouterContext<ApiState>
export type ApiMiddleware = RouterMiddleware<ApiState>

/** What a command of this request's owner is recorded with. */
export const occasionOf = (context: ApiContext, clock: Clock): OwnersOccasion => {
  const request = randomUUID()
  return {
    user_id: context.state.account.user_id,
    at: clock.now(),
    correlation_id: request,
    causation_id: request,
  }
}

/** The id in the path. @throws {Refused} NOT_FOUND for what is no id: nothing is there */
export const idOf = (context: ApiContext): number => {
  const text = context.params.id ?? ''
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Refused('NOT_FOUND', 'No resource has this id.')
  return Number(text)
}
