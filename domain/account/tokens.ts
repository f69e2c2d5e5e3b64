/**
 * Keys and tokens name their account, so that it is found without a read model: `<prefix><user>.<random>`.
 * The events keep only their SHA-256; the text is shown once.
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
} as const
export type TokenKind = keyof typeof TOKEN_PREFIX

/** @param random  at least 32 base64url characters of randomness; of a pairing code 12 characters, 60 bits */
export const formToken = (kind: TokenKind, userId: number, random: string): string =>
  `${TOKEN_PREFIX[kind]}${userId}.${random}`

/** The account a token claims to belong to; null where it is not of that kind's form. */
export const userOfToken = (kind: TokenKind, token: string): number | null => {
  if (!token.startsWith(TOKEN_PREFIX[kind])) return null
  const [, user] = /^([1-9]\d{0,14})\.[\w-]{12,200}$/.exec(token.slice(TOKEN_PREFIX[kind].length)) ?? []
  return user === undefined ? null : Number(user)
}

/** SHA-256, lower-case hexadecimal. */
export const hashOfToken = (token: string): string => sha256(token, 'hex')

const HASH_LENGTH = 64
// Written anew by every comparison: a buffer for each would cost more than the comparison.
const GIVEN = Buffer.alloc(HASH_LENGTH)
const KEPT = Buffer.alloc(HASH_LENGTH)

/** Whether two hashes are equal; in constant time. */
export const isHash = (one: string, other: string): boolean => {
  if (one.length !== HASH_LENGTH || other.length !== HASH_LENGTH) return false
  GIVEN.write(one, 'latin1')
  KEPT.write(other, 'latin1')
  return timingSafeEqual(GIVEN, KEPT)
}

/** Whether a token is the one whose hash was kept; in constant time. */
export const isToken = (token: string, hash: string): boolean => isHash(hashOfToken(token), hash)
