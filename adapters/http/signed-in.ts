/**
 * Who calls: a JWT, the API key in one of three places (interface, section 5), or the dashboard's cookie. The first credential
 * present decides: Authorization, then X-Api-Key, then the query, then the cookie; a bad one is refused even beside a good one.
 */
import type { Account } from '../../domain/account/account.ts'
import { isToken, userOfToken } from '../../domain/account/tokens.ts'
import { Refused } from '../../domain/errors.ts'
import type { Accounts } from '../../workflows/accounts/accounts.ts'
import type { ApiContext, ApiMiddleware, SignedInBy } from './context.ts'
import { unauthorized } from './errors.ts'
import type { JsonWebTokens } from './json-web-tokens.ts'
import type { Part } from './openapi/operation.ts'
import { queryOf } from './query-string.ts'
import { refuseForeignOrigin, sessionOf } from './session-cookie.ts'

interface Credential {
  kind: SignedInBy
  token: string
}

/** @throws {Refused} UNAUTHORIZED when there is none, or one of an unknown form */
const credentialOf = (context: ApiContext, settings: SignedInParts['settings']): Credential => {
  const { authorization, 'x-api-key': header } = context.headers
  if (authorization !== undefined) {
    const [, scheme, token] = /^(bearer|apikey) +(\S+)$/i.exec(authorization) ?? []
    if (scheme === undefined || token === undefined) throw unauthorized()
    return { kind: scheme.toLowerCase() === 'bearer' ? 'jwt' : 'api_key', token }
  }
  if (typeof header === 'string') return { kind: 'api_key', token: header }
  const { api_key: parameter } = queryOf(context)
  if (Array.isArray(parameter)) throw unauthorized()
  if (parameter) return { kind: 'api_key', token: parameter }
  const session = sessionOf(context, settings)
  if (session !== undefined) return { kind: 'session', token: session }
  throw unauthorized()
}

interface SignedInParts {
  accounts: Accounts
  tokens: JsonWebTokens
  settings: { baseUrl: string }
  /** What else stands before every call of somebody who is known. */
  guard: ApiMiddleware
}

/**
 * Sets `state.account` and `state.signed_in_by`.
 * @throws {Refused} UNAUTHORIZED, ACCOUNT_LOCKED, FORBIDDEN_ORIGIN · {StoreUnavailable}
 */
export const signedIn = ({ accounts, tokens, settings, guard }: SignedInParts): Part => {
  const holderOf = async ({ kind, token }: Credential): Promise<Account | null> => {
    if (kind === 'api_key') {
      const userId = userOfToken('api_key', token)
      const account = userId === null ? null : await accounts.find(userId)
      return account?.key_hash && isToken(token, account.key_hash) ? account : null
    }
    const claims = await tokens.verify(token, kind === 'jwt' ? 'login' : 'session')
    const account = claims && (await accounts.find(claims.user_id))
    if (!account || account.token_version !== claims.version) return null
    return claims.session_id !== null && account.ended_sessions.has(claims.session_id) ? null : account
  }
  const step: ApiMiddleware = async (context, next) => {
    const credential = credentialOf(context, settings)
    const account = await holderOf(credential)
    if (!account) throw unauthorized()
    if (credential.kind === 'session') refuseForeignOrigin(context, settings)
    if (account.locked) throw new Refused('ACCOUNT_LOCKED', 'This account is locked.')
    context.state.account = account
    context.state.signed_in_by = credential.kind
    await guard(context, next)
  }
  return {
    step,
    credentials: ['jwt', 'api_key', 'session'],
    refuses: ['UNAUTHORIZED', 'ACCOUNT_LOCKED', 'FORBIDDEN_ORIGIN', 'RATE_LIMITED'],
  }
}
