/**
 * Who calls: a JWT, or the API key in one of three places (interface, section 5). The first credential present decides:
 * Authorization, then X-Api-Key, then the query; a bad one is refused even beside a good one.
 */
import type { Account } from '../../domain/account/account.ts'
import { isToken, userOfToken } from '../../domain/account/tokens.ts'
import { Refused } from '../../domain/errors.ts'
import type { Accounts } from '../../workflows/accounts/accounts.ts'
import type { ApiContext, ApiMiddleware } from './context.ts'
import { unauthorized } from './errors.ts'
import type { JsonWebTokens } from './json-web-tokens.ts'
import type { Part } from './openapi/operation.ts'

type Credential = { kind: 'jwt' | 'api_key'; token: string }

/** @throws {Refused} UNAUTHORIZED when there is none, or one of an unknown form */
const credentialOf = (context: ApiContext): Credential => {
  const { authorization, 'x-api-key': header } = context.headers
  if (authorization !== undefined) {
    const [, scheme, token] = /^(bearer|apikey) +(\S+)$/i.exec(authorization) ?? []
    if (scheme === undefined || token === undefined) throw unauthorized()
    return { kind: scheme.toLowerCase() === 'bearer' ? 'jwt' : 'api_key', token }
  }
  if (typeof header === 'string') return { kind: 'api_key', token: header }
  const { api_key: parameter } = context.query
  if (typeof parameter === 'string' && parameter !== '') return { kind: 'api_key', token: parameter }
  throw unauthorized()
}

/** Sets `state.account`. @throws {Refused} UNAUTHORIZED, ACCOUNT_LOCKED · {StoreUnavailable} */
export const signedIn = ({ accounts, tokens }: { accounts: Accounts; tokens: JsonWebTokens }): Part => {
  const holderOf = async ({ kind, token }: Credential): Promise<Account | null> => {
    if (kind === 'jwt') {
      const claims = await tokens.verify(token)
      const account = claims && (await accounts.find(claims.user_id))
      return account && account.token_version === claims.version ? account : null
    }
    const userId = userOfToken('api_key', token)
    const account = userId === null ? null : await accounts.find(userId)
    return account?.key_hash && isToken(token, account.key_hash) ? account : null
  }
  const step: ApiMiddleware = async (context, next) => {
    const account = await holderOf(credentialOf(context))
    if (!account) throw unauthorized()
    if (account.locked) throw new Refused('ACCOUNT_LOCKED', 'This account is locked.')
    context.state.account = account
    await next()
  }
  return { step, credentials: ['jwt', 'api_key'], refuses: ['UNAUTHORIZED', 'ACCOUNT_LOCKED'] }
}
