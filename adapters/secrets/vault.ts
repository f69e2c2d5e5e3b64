/**
 * Seals texts that must be readable again (rule secrets, mailbox passwords, the personal URL) with AES-256-GCM. A sealed text
 * has the form `v1.<key id>.<nonce>.<ciphertext and tag>`, with the last two in base64url. Version and key id are
 * authenticated too. The key id tells which key opens the text, so that keys can be rotated: a new key seals, old keys still
 * open.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { NotOpened } from '../../domain/errors.ts'
import type { Vault } from '../../domain/ports.ts'

const VERSION = 'v1'
const NONCE_BYTES = 12
const TAG_BYTES = 16

const idOf = (key: Buffer): string =>
  createHash('sha256').update('baoco vault key\0').update(key).digest('hex').slice(0, 8)

/** The id of a key in hexadecimal, as sealed texts name it. It does not reveal the key. */
export const keyIdOf = (hex: string): string => idOf(Buffer.from(hex, 'hex'))

/** The id of the key with which a text is sealed; null if it is not a sealed text. */
export const keyIdIn = (sealed: string): string | null => /^v1\.([0-9a-f]{8})\./.exec(sealed)?.[1] ?? null

/** @param keys  64 hexadecimal characters each; the first seals, all of them open */
export const openVault = (keys: readonly string[]): Vault => {
  const byId = new Map(
    keys.map((hex) => {
      if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error('a vault key must have 64 hexadecimal characters')
      const key = Buffer.from(hex, 'hex')
      return [idOf(key), key] as const
    }),
  )
  const [sealing] = byId
  if (!sealing) throw new Error('a vault needs a key')
  const [sealingId, sealingKey] = sealing
  return {
    seal: (text) => {
      const head = `${VERSION}.${sealingId}`
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(Buffer.from(head))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${head}.${nonce.toString('base64url')}.${body.toString('base64url')}`
    },
    open: (sealed) => {
      const [version, id = '', nonce = '', body = '', ...more] = sealed.split('.')
      const bytes = Buffer.from(body, 'base64url')
      if (version !== VERSION || more.length > 0 || bytes.length < TAG_BYTES) throw new NotOpened('not a sealed text')
      const key = byId.get(id)
      if (!key) throw new NotOpened(`sealed under key ${id}, which is not in VAULT_KEY`)
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(Buffer.from(`${version}.${id}`))
          .setAuthTag(bytes.subarray(-TAG_BYTES))
        return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8')
      } catch {
        throw new NotOpened('the sealed text was altered')
      }
    },
  }
}
