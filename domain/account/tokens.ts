// Tests: tests/integration/http/credentials.test.ts
/**
 * Keys and tokens contain the id of their account, so that it is found without a read model: `<prefix><user>.<random>`.
 * The events store only their SHA-256. The text is shown once.
 */
import { timingSafeEqual } from 'node:crypto'
import { sha256 } from '../sha256.ts'

const TOKEN_PREFIX = {
  api_key: 'bck_',
  receive_url: 'bcu_',
  device: 'bcd_',
  pairing: 'bcp_',
  verify_email: 'bcv_',
  reset_password: 'bcr_',
  referral: 'bca_',
  counter: 'bcc_',
  inbox: 'bci_',
  confirm_bank_account: 'bcb_',
  sign_in: 'bcs_',
} as const
export type TokenKind = keyof typeof TOKEN_PREFIX

/** @param random  at least 32 random base64url characters. For a pairing code 12 characters, 60 bits. */
export const formToken = (kind: TokenKind, userId: number, random: string): string =>
  `${TOKEN_PREFIX[kind]}${userId}.${random}`

/** The account that a token claims to belong to. Null if the token does not have the form of that kind. */
export const userOfToken = (kind: TokenKind, token: string): number | null => {
  if (!token.startsWith(TOKEN_PREFIX[kind])) return null
  const [, user] = /^([1-9]\d{0,14})\.[\w-]{12,200}$/.exec(token.slice(TOKEN_PREFIX[kind].length)) ?? []
  return user === undefined ? null : Number(user)
}

/** The text with `…` in place of every token of this kind, for those who may not use them. Their prefix stays. */
export const withoutTokens = (kind: TokenKind, text: string): string =>
  text.replace(new RegExp(`${TOKEN_PREFIX[kind]}\\d+\\.[\\w-]+`, 'g'), `${TOKEN_PREFIX[kind]}…`)

/** SHA-256, lower-case hexadecimal. */
export const hashOfToken = (token: string): string => sha256(token, 'hex')

const HASH_LENGTH = 64
// Every comparison overwrites these buffers, because new buffers would cost more than the comparison.
const GIVEN = Buffer.alloc(HASH_LENGTH)
const KEPT = Buffer.alloc(HASH_LENGTH)

/** Whether two hashes are equal. Constant-time. */
export const isHash = (one: string, other: string): boolean => {
  if (one.length !== HASH_LENGTH || other.length !== HASH_LENGTH) return false
  GIVEN.write(one, 'latin1')
  KEPT.write(other, 'latin1')
  return timingSafeEqual(GIVEN, KEPT)
}

/** Whether a token has the stored hash. Constant-time. */
export const isToken = (token: string, hash: string): boolean => isHash(hashOfToken(token), hash)
