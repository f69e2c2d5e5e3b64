// Tests: tests/integration/http/credentials.test.ts
/** New secrets. The text is shown once. The events keep its hash, or the sealed text. */
import { randomBytes } from 'node:crypto'
import { formToken, hashOfToken, type TokenKind } from '../../domain/account/tokens.ts'
import type { Vault } from '../../domain/ports.ts'

export interface NewToken {
  token: string
  hash: string
}

/** @returns a token with 43 random characters after its prefix and user, and the hash to keep */
export const newToken = (kind: TokenKind, userId: number): NewToken => {
  const token = formToken(kind, userId, randomBytes(32).toString('base64url'))
  return { token, hash: hashOfToken(token) }
}

/** 32 characters without look-alikes, because a pairing code may be typed. */
const CODE_LETTERS = 'abcdefghjkmnpqrstuvwxyz023456789'

/** @returns a code of 60 random bits, and the hash to keep */
export const newPairingCode = (userId: number): NewToken => {
  const random = [...randomBytes(12)].map((byte) => CODE_LETTERS[byte % CODE_LETTERS.length]).join('')
  const token = formToken('pairing', userId, random)
  return { token, hash: hashOfToken(token) }
}

/** A token that must stay readable, because it is part of a URL that is shown. So it is also kept sealed. */
export interface NewSealedToken {
  token: string
  kept: { token_hash: string; sealed_token: string }
}

const newSealedToken = (kind: TokenKind, userId: number, vault: Vault): NewSealedToken => {
  const { token, hash } = newToken(kind, userId)
  return { token, kept: { token_hash: hash, sealed_token: vault.seal(token) } }
}

export const newReceiveToken = (userId: number, vault: Vault): NewSealedToken =>
  newSealedToken('receive_url', userId, vault)

export const newInboxToken = (userId: number, vault: Vault): NewSealedToken => newSealedToken('inbox', userId, vault)

/** A rule's secret_key: 48 hexadecimal characters (interface, section 2.3). */
export const newRuleSecret = (): string => randomBytes(24).toString('hex')

/** A password that is printed once: 24 characters, without look-alikes. */
export const newPassword = (): string => {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
  // 248 is the largest multiple of 31 below 256: bytes above it would favour the first letters.
  const fair = [...randomBytes(64)].filter((byte) => byte < 248)
  return fair
    .slice(0, 24)
    .map((byte) => letters[byte % letters.length])
    .join('')
}
