// Tests: tests/integration/http/session.test.ts
/**
 * Links to the dashboard that sign in once, within an hour: `ops.sign_in_link`. The first start prints one beside the password. The token is
 * in the link's fragment, so no server and no proxy logs it, and only its hash is stored.
 */
import { randomBytes } from 'node:crypto'
import { formToken, hashOfToken } from '../../../domain/account/tokens.ts'
import type { Queryable } from '../../database/database.ts'

interface Signer {
  user_id: number
  token_version: number
}

const LASTS = "interval '1 hour'"

/** @returns the token */
export const makeSignInLink = async (database: Queryable, { user_id, token_version }: Signer): Promise<string> => {
  const token = formToken('sign_in', user_id, randomBytes(32).toString('base64url'))
  await database.query('DELETE FROM ops.sign_in_link WHERE expires_at < now()')
  await database.query(
    `INSERT INTO ops.sign_in_link (token_hash, user_id, token_version, expires_at) VALUES ($1, $2, $3, now() + ${LASTS})`,
    [hashOfToken(token), user_id, token_version],
  )
  return token
}

/** Ends the link. @returns the user that it signs in; null if it was used, has expired, or is unknown */
export const takeSignInLink = async (database: Queryable, token: string): Promise<Signer | null> => {
  const [row] = await database.query<Signer & { is_valid: boolean }>(
    `DELETE FROM ops.sign_in_link WHERE token_hash = $1
     RETURNING user_id, token_version, expires_at > now() AND expires_at <= now() + ${LASTS} AS is_valid`,
    [hashOfToken(token)],
  )
  return row?.is_valid ? { user_id: row.user_id, token_version: row.token_version } : null
}
