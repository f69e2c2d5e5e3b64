/** The passwords of the API under test. */
import { openPasswords } from '../../../adapters/secrets/passwords.ts'

export const OWNERS_PASSWORD = 'correct horse battery staple'

/** argon2 as in production. */
export const passwords = openPasswords()

/** Checks each password against each hash once. For tests that repeat the same login, and measure no time. */
export const verifyingOnce = (): typeof passwords => {
  const known = new Map<string, Promise<boolean>>()
  return {
    ...passwords,
    verify: (password, kept, ...caller) => {
      const pair = JSON.stringify([password, kept])
      const answer = known.get(pair) ?? passwords.verify(password, kept, ...caller)
      known.set(pair, answer)
      return answer
    },
  }
}

let ownersHash: Promise<string> | undefined

/** For accounts that tests begin with: the hash of their password is computed once in a process, not for each of hundreds of tests. */
export const hashedOnce: typeof passwords = {
  ...passwords,
  hash: (password) =>
    password === OWNERS_PASSWORD ? (ownersHash ??= passwords.hash(password)) : passwords.hash(password),
}
