// Tests: tests/integration/http/credentials.test.ts
/**
 * Authenticates the caller by a JWT, an API key in one of three positions (interface, section 5), or the dashboard's cookie. The first
 * credential present decides, in this order: Authorization, X-Api-Key, the query, the cookie. A bad one is refused even if a good one
 * follows.
 */
import { accountLocked } from '../../../domain/account/access.ts'
import type { Account } from '../../../domain/account/account.ts'
import { allows, scopedKeyOf, scopeMissing, type ScopedKey } from '../../../domain/account/api-keys.ts'
import { hashOfToken, isHash, userOfToken } from '../../../domain/account/tokens.ts'
import type { Clock, ReadModelsHere } from '../../../domain/ports.ts'
import type { Accounts } from '../../../workflows/accounts/accounts.ts'
import type { SharedDatabase } from '../../database/fair-shares.ts'
import type { ApiKeyUses } from '../../postgres/ops/api-key-uses.ts'
import type { ApiContext, ApiMiddleware, SignedInBy } from '../context.ts'
import { currentAccount } from './current-account.ts'
import { unauthorized } from './errors.ts'
import type { JsonWebTokens } from './json-web-tokens.ts'
import type { Guard } from './guard.ts'
import { queryOf } from './query-string.ts'
import { refuseForeignOrigin, sessionOf } from './session-cookie.ts'

/** A shop that was called finds the transaction, unless the read models are later than this: milliseconds. */
const SHOWN_WITHIN_MS = 300

interface Credential {
  kind: SignedInBy
  token: string
}

const ADVICE = 'Send an API key as X-Api-Key, or the token of a login as Authorization: Bearer.'

/** @throws {Refused} UNAUTHORIZED if there is no credential, its form is unknown, or it is an API key in place of another one */
const credentialOf = (context: ApiContext, settings: SignedInParts['settings']): Credential => {
  const { authorization, 'x-api-key': header } = context.headers
  if (authorization !== undefined) {
    const [, scheme, token] = /^(bearer|apikey) +(\S+)$/i.exec(authorization) ?? []
    if (scheme === undefined || token === undefined) throw unauthorized(ADVICE)
    if (scheme.toLowerCase() !== 'bearer') return { kind: 'api_key', token }
    if (userOfToken('api_key', token) !== null) throw unauthorized(ADVICE)
    return { kind: 'jwt', token }
  }
  if (typeof header === 'string') return { kind: 'api_key', token: header }
  const { api_key: parameter } = queryOf(context)
  if (Array.isArray(parameter)) throw unauthorized(ADVICE)
  if (parameter) return { kind: 'api_key', token: parameter }
  const session = sessionOf(context, settings)
  if (session !== undefined) return { kind: 'session', token: session }
  throw unauthorized(ADVICE)
}

/** The account that a credential belongs to. */
interface Holder {
  account: Account
  scoped_key?: ScopedKey
  expires_at?: Date | undefined
}

/** @returns the account if the credential opens it @throws {StoreUnavailable} if it does not, and the account may be out of date */
type Open = (userId: number, opens: (account: Account) => Holder | null) => Promise<Holder | null>

interface SignedInParts {
  accounts: Accounts
  database: SharedDatabase
  tokens: JsonWebTokens
  settings: { baseUrl: string }
  clock: Clock
  keyUses: Pick<ApiKeyUses, 'note'>
  readModels: Pick<ReadModelsHere, 'shown'>
  /** Runs before every call of a signed-in user. */
  guard: ApiMiddleware
}

/**
 * Sets `state.account`, `state.signed_in_by`, `state.admitAgain` and `state.scoped_key`.
 * @throws {Refused} UNAUTHORIZED, ACCOUNT_LOCKED, SCOPE_MISSING, FORBIDDEN_ORIGIN · {StoreUnavailable}
 */
export const signedIn = (parts: SignedInParts): Guard => {
  const { tokens, settings, clock, keyUses, readModels, guard } = parts
  const holderOfKey = async (token: string, open: Open): Promise<Holder | null> => {
    const userId = userOfToken('api_key', token)
    if (userId === null) return null
    const hash = hashOfToken(token)
    return open(userId, (account) => {
      if (account.key_hash && isHash(hash, account.key_hash)) return { account }
      const scoped_key = scopedKeyOf(account, hash, clock.now())
      if (!scoped_key) return null
      const { expires_at } = scoped_key
      return { account, scoped_key, expires_at: expires_at === null ? undefined : new Date(expires_at) }
    })
  }
  const holderOf = async ({ kind, token }: Credential, open: Open): Promise<Holder | null> => {
    if (kind === 'api_key') return holderOfKey(token, open)
    const claims = await tokens.verify(token, kind === 'jwt' ? 'login' : 'session')
    if (!claims) return null
    const { user_id, version, session_id, expires_at } = claims
    return open(user_id, (account) => {
      const isEnded = session_id !== null && account.ended_sessions.has(session_id)
      return account.token_version === version && !isEnded ? { account, expires_at } : null
    })
  }
  /** @throws {Refused} UNAUTHORIZED, ACCOUNT_LOCKED · {StoreUnavailable} */
  const admitted = async (credential: Credential, method: string): Promise<Holder> => {
    const holder = await holderOf(credential, async (userId, opens) => {
      const { account, away } = await currentAccount(parts, method, userId)
      const opened = account && opens(account)
      if (!opened && away) throw away
      return opened
    })
    if (!holder) throw unauthorized('Check the API key, or log in again.')
    if (holder.account.locked) throw accountLocked(holder.account)
    return holder
  }
  const step: ApiMiddleware = async (context, next) => {
    const credential = credentialOf(context, settings)
    const { account, scoped_key, expires_at } = await admitted(credential, context.method)
    if (credential.kind === 'session') refuseForeignOrigin(context, settings)
    context.state.account = account
    context.state.admitAgain = async () => {
      context.state.account = (await admitted(credential, context.method)).account
    }
    context.state.signed_in_by = credential.kind
    context.state.expires_at = expires_at
    if (scoped_key) {
      context.state.scoped_key = scoped_key
      keyUses.note(account.user_id, scoped_key.api_key_id, clock.now())
    }
    // Checked after the guard, so that calls without the needed scope count as well.
    await guard(context, async () => {
      const { scopes = [] } = context.state
      if (scoped_key && !allows(scoped_key, scopes)) throw scopeMissing(scopes)
      if (context.method === 'GET') await readModels.shown(SHOWN_WITHIN_MS)
      await next()
    })
  }
  return {
    step,
    credentials: ['jwt', 'api_key', 'session'],
    refuses: ['UNAUTHORIZED', 'ACCOUNT_LOCKED', 'SCOPE_MISSING', 'FORBIDDEN_ORIGIN', 'RATE_LIMITED'],
  }
}
