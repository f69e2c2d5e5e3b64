// Tests: tests/integration/openapi/guards.test.ts
/** The part of a route's declaration that decides which calls reach the handler. */
import type { Scope } from '../../../domain/account/api-keys.ts'
import type { ApiMiddleware } from '../context.ts'
import type { ErrorCode } from './errors.ts'

/** Ways to authenticate. `openapi/document.ts` defines how each is sent in a request. */
export type Credential = 'jwt' | 'api_key' | 'session' | 'device' | 'receive_key'

/** Documentation of an operation, and optionally a step that runs before the input is read. */
export interface Guard {
  step?: ApiMiddleware
  /** Any one of them opens the operation. */
  credentials?: readonly Credential[]
  /** Everybody except the operator receives 404. */
  operatorOnly?: true
  /** A scoped key needs one of these. An empty list accepts no scoped key. Default: `read` for GET and HEAD, else `write`. */
  scopes?: readonly Scope[]
  /** Responses to scoped keys include secrets. */
  showsSecrets?: true
  refuses?: readonly ErrorCode[]
}
