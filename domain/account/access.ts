// Tests: tests/integration/http/abuse.test.ts
/** Access to an account: registration, passwords, the API key, the personal URL, devices, the lock. */
import type { Account } from './state.ts'
import type { AccountEvent, Plan } from './events.ts'
import { Refused } from '../errors.ts'
import { USUAL_LANGUAGE, type InEach, type Language } from './language.ts'
import { languageSet } from './set-language.ts'
import { conflict, invalid } from './refusals.ts'

/** The form in which it is stored, claimed and compared. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

/**
 * Mail software removes angle brackets, invisible characters, quotes with their backslashes, and a dot at the end, and maps variants of a
 * letter or dot in a domain. Behind an @ it also removes comments and separators of addresses. (If they stand before it, mails are sent with
 * quotes around them.) If these spellings were allowed, one mailbox would have any number of addresses, each with limits and an account of its own.
 */
const ADDRESS =
  /^[^\s@<>"\\\p{Cc}\p{DI}]{1,64}@([^\s@<>"\\(),;\p{Cc}\p{DI}\u3002]{0,254}[^\s@<>"\\(),;.\p{Cc}\p{DI}\u3002])$/u

/** @throws {Refused} VALIDATION_FAILED */
export const checkEmail = (email: string): void => {
  const [, domain] = ADDRESS.exec(normalEmail(email)) ?? []
  if (domain === undefined || domain !== domain.normalize('NFKC'))
    throw invalid({ path: 'email', message: 'This is not a valid email address.' })
}

/** Characters of a password. */
export const PASSWORD_LENGTH = { least: 10, most: 200 }

/** Any characters. @throws {Refused} VALIDATION_FAILED */
export const checkPassword = (password: string): void => {
  const { length } = [...password]
  const { least, most } = PASSWORD_LENGTH
  if (length < least || length > most)
    throw invalid({ path: 'password', message: `The password must have ${least} to ${most} characters.` })
}

export interface Registration {
  user_id: number
  email: string
  name: string | null
  /** argon2id. */
  password_hash: string
  /** Code of the affiliate link that led to the registration. */
  ref?: string | undefined
  /** Undefined: the usual one. */
  language?: Language | undefined
  at: Date
}

export const register = ({ user_id, email, name, password_hash, ref, language, at }: Registration): AccountEvent[] => [
  {
    type: 'AccountRegistered',
    data: {
      user_id,
      email: normalEmail(email),
      name,
      operator: false,
      registered_at: at.toISOString(),
      ...(ref !== undefined && { ref }),
    },
  },
  ...(language === undefined ? [] : [languageSet(user_id, language)]),
  { type: 'PasswordSet', data: { user_id, password_hash, token_version: 1 } },
]

export interface KeptSecrets {
  key_hash: string
  receive_url: { token_hash: string; sealed_token: string }
}

/** Creates an account at the operator's command line. Its email counts as verified. */
export const create = (
  registration: Registration,
  { plan, key_hash, receive_url }: KeptSecrets & { plan: Plan },
): AccountEvent[] => {
  const { user_id } = registration
  return [
    ...register(registration),
    { type: 'EmailVerified', data: { user_id } },
    { type: 'PlanChanged', data: { user_id, plan, expires_at: null } },
    rotatedKey(user_id, key_hash),
    rotatedReceiveUrl(user_id, receive_url),
  ]
}

const SHOP_NAME: InEach = { vi: 'Cửa hàng của tôi', en: 'My shop' }

/** Creates the account of the first start: the operator's, with everything that a first payment requires. */
export const createFirst = (
  registration: Registration,
  { system_id, ...secrets }: KeptSecrets & { system_id: number },
): AccountEvent[] => {
  const { user_id, at } = registration
  return [
    ...create(registration, { plan: 'Pro', ...secrets }).map((event): AccountEvent =>
      event.type === 'AccountRegistered' ? { ...event, data: { ...event.data, operator: true } } : event,
    ),
    {
      type: 'SystemAdded',
      data: {
        user_id,
        system_id,
        name: SHOP_NAME[registration.language ?? USUAL_LANGUAGE],
        type: 'custom',
        payment_prefix: 'DH',
        is_active: 1,
        created_at: at.toISOString(),
      },
    },
  ]
}

/** The raised version ends every session and JWT. */
export const newlySetPassword = (
  { user_id, token_version }: Pick<Account, 'user_id' | 'token_version'>,
  password_hash: string,
): AccountEvent => ({ type: 'PasswordSet', data: { user_id, password_hash, token_version: token_version + 1 } })

export const rotatedKey = (user_id: number, key_hash: string): AccountEvent => ({
  type: 'ApiKeyRotated',
  data: { user_id, key_hash },
})

export const rotatedReceiveUrl = (user_id: number, kept: KeptSecrets['receive_url']): AccountEvent => ({
  type: 'ReceiveUrlRotated',
  data: { user_id, ...kept },
})

/** The personal URL of an account that registered before every account got one. An owner who has ended it decides about a new one. */
export const missingReceiveUrl = (
  { user_id, receive_url, had_receive_url }: Pick<Account, 'user_id' | 'receive_url' | 'had_receive_url'>,
  kept: KeptSecrets['receive_url'],
): AccountEvent[] => (receive_url === null && !had_receive_url ? [rotatedReceiveUrl(user_id, kept)] : [])

const WHY_LOCKED: Record<string, string> = {
  requests_per_hour: 'it made too many requests in one hour',
  polling: 'it asked for the same thing again and again',
  parallel_requests: 'it made too many requests at the same time',
}

/** The refusal that states why and since when the account is locked, and how to unlock it. */
export const accountLocked = ({ email, lock }: Pick<Account, 'email' | 'lock'>): Refused => {
  const { reason = 'unknown', since = null } = lock ?? {}
  const when = since === null ? '' : ` since ${since}`
  const why = Object.hasOwn(WHY_LOCKED, reason) ? `, because ${WHY_LOCKED[reason]}` : ''
  return new Refused(
    'ACCOUNT_LOCKED',
    `This account has been locked${when}${why}. Ask the operator to unlock it: baoco account unlock ${email}`,
    { reason, locked_since: since },
  )
}

/** Refuses the account's calls until the operator unlocks it. Its notifications are still accepted. */
export const lock = ({ user_id, locked }: Account, reason: string): AccountEvent[] =>
  locked ? [] : [{ type: 'AccountLocked', data: { user_id, reason } }]

/** Only the operator can unlock an account. Returns nothing if it is not locked. */
export const unlock = ({ user_id, locked }: Account): AccountEvent[] =>
  locked ? [{ type: 'AccountUnlocked', data: { user_id } }] : []

/** Permanent. @throws {Refused} CONFLICT for the operator's account, because nobody could then operate the installation */
export const deleteAccount = ({ user_id, operator }: Account): AccountEvent[] => {
  if (operator) throw conflict("The operator's account cannot be deleted.")
  return [{ type: 'AccountDeleted', data: { user_id } }]
}
