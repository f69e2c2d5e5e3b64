/** Logging in (interface, section 4.1). */
import { z } from 'zod'
import { logIn } from '../../../workflows/accounts/access.ts'
import type { ApiContext } from '../context.ts'
import { body } from '../input.ts'
import type { JsonWebTokens } from '../json-web-tokens.ts'
import { whole } from '../openapi/answers.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'
import type { Limited } from '../rate-limits.ts'
import { Login } from '../requests.ts'

interface Steps {
  tokens: JsonWebTokens
  limited: Limited
}

const Token = z.strictObject({
  success: z.literal(true),
  token: z.string().meta({ description: 'A JWT, for 7 days.' }),
})

export const authRoutes = (operations: Operations, parts: ApiParts, { tokens, limited }: Steps): void => {
  const { post } = operations.of('Logging in')

  const login = async (_: ApiContext, pair: z.infer<typeof Login>) => {
    const account = await logIn(parts, pair)
    return { success: true as const, token: await tokens.sign(account) }
  }

  const refusals = refuses('UNAUTHORIZED', 'EMAIL_NOT_VERIFIED', 'ACCOUNT_LOCKED')
  post('/api/auth/login', 'Log in', limited('login'), body(Login), refusals, whole(Token), login)
}
