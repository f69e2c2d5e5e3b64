// Tests: tests/integration/http/registration.test.ts
/** Events about access to an account: mail links, sessions, scoped keys. Part of the stream `account-<user>`. */
import { z } from 'zod'
import { id, moment } from '../fields.ts'

// --- mail links ------------------------------------------------------------------------------------------------------

const mailPurpose = z.enum(['verify_email', 'reset_password'])
export type MailPurpose = z.infer<typeof mailPurpose>

export const mailTokenEvents = {
  MailTokenIssued: z.object({
    user_id: id,
    purpose: mailPurpose,
    /** SHA-256, hexadecimal. */
    token_hash: z.string(),
    nonce: z.string(),
    issued_at: moment,
    expires_at: moment,
    /** The address was registered again, and the mail says so. */
    registered_again: z.literal(true).optional(),
  }),
  /** An unconfirmed address was registered again. The password and name of the newest registration count. */
  RegistrationReplaced: z.object({
    user_id: id,
    name: z.string().nullable(),
    /** argon2id. */
    password_hash: z.string(),
    token_version: z.int(),
    /** The code of the affiliate link that led to the registration, as it was given. */
    ref: z.string().optional(),
    at: moment,
  }),
  /** The email of an existing account was registered again. The owner gets a mail. The caller gets the usual response. */
  RegistrationRepeated: z.object({ user_id: id, at: moment }),
}

export type MailTokenIssued = z.infer<typeof mailTokenEvents.MailTokenIssued>

// --- sessions --------------------------------------------------------------------------------------------------------

export const sessionEvents = {
  SessionEnded: z.object({
    user_id: id,
    session_id: z.string(),
    ended_at: moment,
    /** When it would have expired. It need not be remembered after that. */
    expires_at: moment,
  }),
}

export type SessionEnded = z.infer<typeof sessionEvents.SessionEnded>

// --- scoped keys -----------------------------------------------------------------------------------------------------

/**
 * - `read`: every GET, without secrets.
 * - `write`: `read`, and every write except keys, password and account deletion.
 * - `connect`: the call of a shop's plugin, and `GET /api/account`.
 * - `receive`: submits notifications as a phone does.
 */
export const scope = z.enum(['read', 'write', 'connect', 'receive'])
export type Scope = z.infer<typeof scope>

export const apiKeyEvents = {
  ScopedKeyAdded: z.object({
    user_id: id,
    api_key_id: id,
    name: z.string(),
    scopes: z.array(scope),
    /** SHA-256, hexadecimal. */
    key_hash: z.string(),
    expires_at: moment.nullable(),
    created_at: moment,
  }),
  ScopedKeyRemoved: z.object({ user_id: id, api_key_id: id }),
}

export type ScopedKey = Omit<z.infer<typeof apiKeyEvents.ScopedKeyAdded>, 'user_id'>
