// Tests: tests/integration/http/protocol.test.ts
/** The argument of handlers: Koa's context, with the authenticated account in its state. */
import type { RouterContext, RouterMiddleware } from '@koa/router'
import { randomUUID } from 'node:crypto'
import type { Account } from '../../domain/account/account.ts'
import type { Scope, ScopedKey } from '../../domain/account/api-keys.ts'
import type { ShownToken } from '../../domain/arrival/arrival.ts'
import { Refused } from '../../domain/errors.ts'
import type { Clock } from '../../domain/ports.ts'
import { correlationOf, traceIn } from '../../domain/trace.ts'
import type { HeldBody } from './middleware/bodies-in-flight.ts'
import type { OwnersOccasion } from '../../workflows/accounts/accounts.ts'

export type SignedInBy = 'jwt' | 'api_key' | 'session'

export interface ApiState {
  /** The bytes of the request's body that are in memory. */
  held: HeldBody
  /** Set by `signedIn`. Public routes do not have it and must not read it. */
  account: Account
  signed_in_by: SignedInBy
  /** Checks the credential again and renews `account`, for what begins later than the request. @throws {Refused} UNAUTHORIZED, ACCOUNT_LOCKED */
  admitAgain: () => Promise<void>
  /** When the credential expires. Undefined if it does not. */
  expires_at?: Date | undefined
  /** The token of a call to `/api/receive/*`; null if it has none; undefined until it was searched for. */
  shown?: ShownToken | null
  /** How long the check of that token waited for the event store, milliseconds. */
  waited_ms?: number
  /** The scoped key, if the caller used one and not the account's own key. */
  scoped_key?: ScopedKey
  /** A scoped key needs one of these scopes. Set before `signedIn` runs. */
  scopes?: readonly Scope[]
}

export type ApiContext = RouterContext<ApiState>
export type ApiMiddleware = RouterMiddleware<ApiState>

/** The id of the trace that the request continues, or of a new one. */
export const correlationIn = (context: ApiContext): string => {
  const { traceparent } = context.req.headers
  const trace = typeof traceparent === 'string' ? traceIn(traceparent) : null
  return trace ? correlationOf(trace) : randomUUID()
}

/** The metadata with which a command of this request is recorded. */
export const occasionOf = (context: ApiContext, clock: Clock): OwnersOccasion => {
  return {
    user_id: context.state.account.user_id,
    at: clock.now(),
    correlation_id: correlationIn(context),
    causation_id: randomUUID(),
  }
}

/** The id in the path. @throws {Refused} NOT_FOUND if the path segment is not an id */
export const idOf = (context: ApiContext): number => {
  const text = context.params.id ?? ''
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new Refused('NOT_FOUND', 'No resource has this id. An id is a positive whole number.')
  return Number(text)
}
