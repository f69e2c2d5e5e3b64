// Tests: tests/integration/openapi/authorisation.test.ts
/**
 * Login tokens: HS256, valid for 7 days. A new password raises the version in the `version` claim, which invalidates all earlier tokens.
 * Session tokens are a separate kind with an id. They are accepted only from the cookie, and login tokens only from the header.
 */
import { jwtVerify, SignJWT } from 'jose'
import { createSecretKey, randomUUID } from 'node:crypto'
import type { Account } from '../../../domain/account/account.ts'
import type { Clock } from '../../../domain/ports.ts'

export const LIFETIME_S = 7 * 24 * 3600
/** A token that was issued further in the future is void: a clock was ahead, and the token would be valid for longer by as much. */
const MOST_AHEAD_S = 24 * 3600

export type TokenUse = 'login' | 'session'

export interface Claims {
  user_id: number
  version: number
  expires_at: Date
  /** Id of a session token; null for a login token. */
  session_id: string | null
}

export interface JsonWebTokens {
  sign(account: Account, use: TokenUse): Promise<string>
  /** @returns null if the token is forged, altered, expired or of another kind */
  verify(token: string, use: TokenUse): Promise<Claims | null>
}

/** @param secret  at least 32 bytes of text; these bytes are the key */
export const jsonWebTokens = (secret: string, clock: Clock): JsonWebTokens => {
  const key = createSecretKey(Buffer.from(secret))
  return {
    sign: ({ user_id, token_version }, use) => {
      const issued = Math.floor(clock.now().getTime() / 1000)
      const token = new SignJWT({ version: token_version })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(String(user_id))
        .setIssuedAt(issued)
        .setExpirationTime(issued + LIFETIME_S)
      return (use === 'session' ? token.setJti(randomUUID()) : token).sign(key)
    },
    verify: async (token, use) => {
      try {
        const now = clock.now()
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          requiredClaims: ['exp', 'sub'],
          currentDate: now,
        })
        const { sub, version, exp, jti } = payload
        if (exp! > now.getTime() / 1000 + LIFETIME_S + MOST_AHEAD_S) return null
        if (typeof version !== 'number' || !sub || !/^[1-9]\d{0,14}$/.test(sub)) return null
        if ((jti !== undefined) !== (use === 'session')) return null
        return { user_id: Number(sub), version, expires_at: new Date(exp! * 1000), session_id: jti ?? null }
      } catch {
        return null
      }
    },
  }
}
