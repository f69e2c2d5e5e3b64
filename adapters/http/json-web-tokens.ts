/** Login tokens: HS256, 7 days; a version claim ends them all when the password is set anew. */
import { jwtVerify, SignJWT } from 'jose'
import { createSecretKey } from 'node:crypto'
import type { Account } from '../../domain/account/account.ts'
import type { Clock } from '../../domain/ports.ts'

const LIFETIME_S = 7 * 24 * 3600

export interface JsonWebTokens {
  sign(account: Account): Promise<string>
  /** Whose it is, and of which version; null for what is forged, altered, expired or of another kind. */
  verify(token: string): Promise<{ user_id: number; version: number } | null>
}

/** @param secret  at least 32 bytes of text; its bytes are the key */
export const jsonWebTokens = (secret: string, clock: Clock): JsonWebTokens => {
  const key = createSecretKey(Buffer.from(secret))
  return {
    sign: ({ user_id, token_version }) => {
      const issued = Math.floor(clock.now().getTime() / 1000)
      return new SignJWT({ version: token_version })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setSubject(String(user_id))
        .setIssuedAt(issued)
        .setExpirationTime(issued + LIFETIME_S)
        .sign(key)
    },
    verify: async (token) => {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          requiredClaims: ['exp', 'sub'],
          currentDate: clock.now(),
        })
        const { sub, version } = payload
        if (typeof version !== 'number' || !sub || !/^[1-9]\d{0,14}$/.test(sub)) return null
        return { user_id: Number(sub), version }
      } catch {
        return null
      }
    },
  }
}
