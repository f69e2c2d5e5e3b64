// Tests: tests/integration/http/registration.test.ts
/**
 * Creates accounts. First the email is claimed, in a stream of its own. Then the account is written under the id that
 * the claim names. If the store has no transactions over streams, an interrupted registration is finished by the next
 * one, under the same id.
 */
import {
  checkEmail,
  checkPassword,
  create,
  createFirst,
  normalEmail,
  register,
  rotatedReceiveUrl,
  type KeptSecrets,
  type Registration,
} from '../../domain/account/access.ts'
import { emailStream, FIRST_ACCOUNT_STREAM, type ClaimEvent } from '../../domain/account/email-claim.ts'
import { accountStream, type AccountEvent, type Plan } from '../../domain/account/events.ts'
import type { Language } from '../../domain/account/language.ts'
import { issue, type NewMailToken } from '../../domain/account/mail-tokens.ts'
import { conflict } from '../../domain/account/refusals.ts'
import { hashOfToken } from '../../domain/account/tokens.ts'
import { isFoldable } from '../../domain/parse-event.ts'
import { NO_STREAM, type EventStore, type StreamAppend } from '../../domain/ports.ts'
import { Accounts, type AccountParts } from './accounts.ts'
import { CONFLICT, untilNoConflict } from '../support/conflicts.ts'
import { ownCause, stamp } from '../support/stamp.ts'
import { nextId } from '../support/next-id.ts'
import { newPassword, newReceiveToken, newToken } from './secrets.ts'

export type RegistrationParts = Pick<AccountParts, 'store' | 'ids' | 'clock' | 'vault' | 'passwords'>

/** Shown once. Only hashes and sealed texts are kept. */
export interface FreshAccount {
  user_id: number
  email: string
  api_key: string
  receive_token: string
  /** null if the caller gave it. */
  password: string | null
}

/** Keeps the secrets of the first account until they have been shown, whenever the process ends. */
export interface UnshownSecrets {
  keep(account: FreshAccount): Promise<void>
  /** The secrets that starts kept, whether or not those starts wrote the account. */
  all(): Promise<FreshAccount[]>
  forget(): Promise<void>
}

/** More attempts than two starts at the same moment can need. */
const MOST_ATTEMPTS = 10

interface Claim {
  /** The user with this email; null if there is none. */
  user_id: number | null
  /** Revision of the stream's newest event; NO_STREAM if there is none. */
  revision: number
}

const claimOf = async (store: Pick<EventStore, 'read'>, stream: string): Promise<Claim> => {
  const [events = []] = await store.read([{ stream }])
  const newest = events.filter(isFoldable).at(-1)
  const claims = newest?.type === 'EmailClaimed' || newest?.type === 'FirstAccountClaimed'
  return { user_id: claims ? newest.data.user_id : null, revision: events.at(-1)?.revision ?? NO_STREAM }
}

/** `erased`: its deletion was killed just before it released the claim. */
const stateOf = async (store: EventStore, userId: number): Promise<'missing' | 'there' | 'erased'> => {
  const [[first] = []] = await store.read([{ stream: accountStream(userId), limit: 1 }])
  if (!first) return 'missing'
  return first.type === 'AccountDeleted' ? 'erased' : 'there'
}

interface Wanted extends Pick<Registration, 'email' | 'name' | 'ref' | 'language'> {
  /** A new one is made if none is given. */
  password?: string | undefined
  /** The hash of that password, if it was computed before. */
  password_hash?: string
  /** Streams of claims with their events, in the order in which they are written. */
  claims: readonly { stream: string; type: ClaimEvent['type'] }[]
  /** Called before the account is written, each time that is tried. */
  beforeWrite?: (account: FreshAccount) => Promise<void>
  account: (registration: Registration, secrets: KeptSecrets) => Promise<AccountEvent[]>
}

/** @returns null if everything exists already */
const claimAndWrite = async (
  { store, ids, clock, vault, passwords }: RegistrationParts,
  wanted: Wanted,
): Promise<FreshAccount | null> => {
  checkEmail(wanted.email)
  if (wanted.password !== undefined) checkPassword(wanted.password)
  const password = wanted.password ?? newPassword()
  let password_hash = wanted.password_hash
  const attempt = async (): Promise<FreshAccount | null | typeof CONFLICT> => {
    const claimed = await Promise.all(wanted.claims.map(({ stream }) => claimOf(store, stream)))
    const named = claimed.find(({ user_id }) => user_id !== null)?.user_id ?? null
    const state = named === null ? 'missing' : await stateOf(store, named)
    if (state === 'there') return null
    password_hash ??= await passwords.hash(password)
    const owned = state === 'erased' ? null : named
    const user_id = owned ?? (await nextId(ids))
    const key = newToken('api_key', user_id)
    const url = newReceiveToken(user_id, vault)
    const at = clock.now()
    const { email, name, ref, language } = wanted
    const registration = { user_id, email, name, ref, language, password_hash, at }
    const facts = await wanted.account(registration, { key_hash: key.hash, receive_url: url.kept })
    const occasion = { user_id, at, ...ownCause(`account-${user_id}`) }
    const unit: StreamAppend[] = [
      ...wanted.claims.flatMap(({ stream, type }, index) => {
        const { user_id: owner, revision } = claimed[index]!
        const events = stamp([{ type, data: { user_id } }], occasion)
        const isFree = owner === null || (state === 'erased' && owner === named)
        return isFree ? [{ stream, expectedRevision: revision, events }] : []
      }),
      { stream: accountStream(user_id), expectedRevision: NO_STREAM, events: stamp(facts, occasion) },
    ]
    const fresh: FreshAccount = {
      user_id,
      email: normalEmail(email),
      api_key: key.token,
      receive_token: url.token,
      password: wanted.password === undefined ? password : null,
    }
    await wanted.beforeWrite?.(fresh)
    const [result] = await store.append([unit])
    return result?.ok ? fresh : CONFLICT
  }
  const onExhausted = () => new Error('too many conflicts while registering an account')
  return untilNoConflict(attempt, { mostAttempts: MOST_ATTEMPTS, onExhausted })
}

export interface FirstAccount {
  email: string
  password?: string | undefined
  language?: Language | undefined
}

/**
 * Creates the account of the first start, once per installation: verified, operator, Pro, a system with prefix DH, a
 * personal URL and a key. Later starts find it, even with another email.
 * @returns its secrets until they have been shown; null afterwards
 */
export const registerFirstAccount = async (
  parts: RegistrationParts & { unshown: UnshownSecrets },
  given: FirstAccount,
): Promise<FreshAccount | null> => {
  const fresh = await claimAndWrite(parts, {
    ...given,
    name: null,
    claims: [
      { stream: FIRST_ACCOUNT_STREAM, type: 'FirstAccountClaimed' },
      { stream: emailStream(given.email), type: 'EmailClaimed' },
    ],
    beforeWrite: (account) => parts.unshown.keep(account),
    account: async (registration, secrets) =>
      createFirst(registration, { ...secrets, system_id: await nextId(parts.ids) }),
  })
  return fresh ?? notYetShown(parts)
}

/** An earlier start wrote the account and ended before it had shown the secrets. */
const notYetShown = async ({
  store,
  unshown,
}: Pick<RegistrationParts, 'store'> & { unshown: UnshownSecrets }): Promise<FreshAccount | null> => {
  const accounts = new Accounts(store)
  for (const kept of await unshown.all()) {
    const account = await accounts.find(kept.user_id)
    // Another start may have written the account with other secrets.
    if (account?.key_hash === hashOfToken(kept.api_key)) return kept
  }
  return null
}

/**
 * Creates an account for the operator at the command line.
 * @param show  shows the secrets before the account is written. If it rejects, nothing is written.
 * @throws {Refused} CONFLICT if the email has an account, VALIDATION_FAILED
 */
export const createAccount = async (
  parts: RegistrationParts,
  { plan, ...given }: FirstAccount & { plan: Plan },
  show?: (account: FreshAccount) => Promise<void>,
): Promise<FreshAccount> => {
  const fresh = await claimAndWrite(parts, {
    ...given,
    name: null,
    claims: [{ stream: emailStream(given.email), type: 'EmailClaimed' }],
    ...(show && { beforeWrite: show }),
    account: (registration, secrets) => Promise.resolve(create(registration, { ...secrets, plan })),
  })
  if (!fresh) throw conflict('An account with this email already exists.')
  return fresh
}

export type Registering = Pick<Registration, 'email' | 'name' | 'ref' | 'language'> & { password: string }

/**
 * Registers an account, and issues the link that verifies its email.
 * @param parts.newLink  makes the token of that link
 * @returns whether the account is new; otherwise the caller decides what to do
 * @throws {Refused} VALIDATION_FAILED · {StoreUnavailable}
 */
export const registerNew = async (
  parts: RegistrationParts & { newLink: (userId: number) => NewMailToken },
  given: Registering & { password_hash: string },
): Promise<boolean> => {
  const fresh = await claimAndWrite(parts, {
    ...given,
    claims: [{ stream: emailStream(given.email), type: 'EmailClaimed' }],
    account: (registration, { receive_url }) => {
      const { user_id, at } = registration
      const link = issue(user_id, 'verify_email', parts.newLink(user_id), at)
      return Promise.resolve([...register(registration), rotatedReceiveUrl(user_id, receive_url), link])
    },
  })
  return fresh !== null
}

/** The user with this email; null if there is none. */
export const accountOfEmail = async (store: EventStore, email: string): Promise<number | null> =>
  (await claimOf(store, emailStream(email))).user_id
