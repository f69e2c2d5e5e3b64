// Tests: tests/attack/logins.test.ts
/**
 * The addresses from which accounts have logged in, in `ops.login_place`. An entry is a keyed hash of email and address, so
 * the lookup is the same whether the email has an account or not.
 */
import { createHmac } from 'node:crypto'
import { normalEmail } from '../../../domain/account/access.ts'
import type { Queryable } from '../../database/database.ts'

/** The most addresses per account. The oldest are deleted. */
const MOST = 50

export interface LoginAddresses {
  /** @param address  as `callerIn` returns it */
  knows(email: string, address: string): Promise<boolean>
  remember(userId: number, email: string, address: string): Promise<void>
}

/** @param secret  the installation's secret; with a different one, every address is unknown */
export const openLoginAddresses = (database: Queryable, secret: string): LoginAddresses => {
  // The signing input of a JWT contains no colon, so the two uses of the same secret stay separate.
  const placeOf = (email: string, address: string): string =>
    createHmac('sha256', secret)
      .update(`login:${normalEmail(email)}:${address}`)
      .digest('base64url')
  return {
    knows: async (email, address) => {
      const rows = await database.query(
        'SELECT 1 FROM ops.login_place WHERE place = $1',
        [placeOf(email, address)],
        'login-place',
      )
      return rows.length > 0
    },
    remember: async (userId, email, address) => {
      await database.query(
        `INSERT INTO ops.login_place (place, user_id, at) VALUES ($1, $2, now())
         ON CONFLICT (place) DO UPDATE SET user_id = excluded.user_id, at = excluded.at`,
        [placeOf(email, address), userId],
      )
      await database.query(
        `DELETE FROM ops.login_place WHERE place IN
           (SELECT place FROM ops.login_place WHERE user_id = $1 ORDER BY at DESC OFFSET ${MOST})`,
        [userId],
      )
    },
  }
}
