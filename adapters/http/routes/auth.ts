/** Logging in (interface, section 4.1). */
import type Router from '@koa/router'
import { logIn } from '../../../workflows/accounts/access.ts'
import type { ApiState, Handler } from '../context.ts'
import { body } from '../input.ts'
import type { JsonWebTokens } from '../json-web-tokens.ts'
import type { ApiParts } from '../parts.ts'
import type { rateLimits } from '../rate-limits.ts'
import { Login } from '../requests.ts'
import type { z } from 'zod'

interface Steps {
  tokens: JsonWebTokens
  limited: ReturnType<typeof rateLimits>
}

export const authRoutes = (router: Router<ApiState>, parts: ApiParts, { tokens, limited }: Steps): void => {
  const login: Handler<z.infer<typeof Login>> = async (context, pair) => {
    const account = await logIn(parts, pair)
    context.body = { success: true, token: await tokens.sign(account) }
  }

  router.post('/api/auth/login', limited('login'), body(Login, login))
}
