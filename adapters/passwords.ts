/** argon2id, at most two computed at a time: each takes 19 MB and a core for some 30 ms, and logins must not starve receive. */
import { hash, verify } from '@node-rs/argon2'
import type { Passwords } from '../domain/ports.ts'

const AT_A_TIME = 2

/** Lets so many run at a time; the others wait their turn, first come, first served. */
const turnstile = (room: number) => {
  const waiting: (() => void)[] = []
  let running = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= room) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

export const openPasswords = (): Passwords => {
  const inTurn = turnstile(AT_A_TIME)
  // Compared with when there is no account, so that an unknown e-mail takes as long as a wrong password.
  let nobodys: Promise<string> | undefined
  const nobody = () => (nobodys ??= inTurn(() => hash('no account has this password')))
  void nobody().catch(() => (nobodys = undefined))
  return {
    hash: (password) => inTurn(() => hash(password)),
    verify: async (password, kept) => {
      const against = kept ?? (await nobody())
      const right = await inTurn(() => verify(against, password))
      return right && kept !== null
    },
  }
}
