/** The passwords of the API under test. */
import { openPasswords } from '../../../adapters/secrets/passwords.ts'

export const OWNERS_PASSWORD = 'correct horse battery staple'

/** argon2 as in production. */
export const passwords = openPasswords()
let ownersHash: Promise<string> | undefined

/** For accounts that tests begin with: the hash of their password is computed once in a process, not for each of hundreds of tests. */
export const hashedOnce: typeof passwords = {
  ...passwords,
  hash: (password) =>
    password === OWNERS_PASSWORD ? (ownersHash ??= passwords.hash(password)) : passwords.hash(password),
}
