/** argon2id, at most two computed at a time: each takes 19 MB and a core for some 30 ms, and logins must not starve receive. */
import { hash, verify } from '@node-rs/argon2'
import type { Passwords } from '../domain/ports.ts'

const AT_A_TIME = 2

/**
 * Lets so many run at a time. Of those that wait, callers take turns, one of each caller's in the order they came: a flood
 * from one address delays another's login by one of its own at most.
 */
const turnstile = (room: number) => {
  const waiting = new Map<string, (() => void)[]>()
  let running = 0

  const next = (): (() => void) | undefined => {
    for (const [caller, theirs] of waiting) {
      const turn = theirs.shift()
      // To the end of the row, behind every other caller.
      waiting.delete(caller)
      if (theirs.length > 0) waiting.set(caller, theirs)
      return turn
    }
    return undefined
  }

  const enter = (caller: string): Promise<void> | undefined => {
    if (running < room) {
      running++
      return undefined
    }
    const theirs = waiting.get(caller) ?? []
    waiting.set(caller, theirs)
    return new Promise((resolve) => theirs.push(resolve))
  }

  return async <Result>(caller: string, work: () => Promise<Result>): Promise<Result> => {
    await enter(caller)
    try {
      return await work()
    } finally {
      const turn = next()
      if (turn) turn()
      else running--
    }
  }
}

export const openPasswords = (): Passwords => {
  const inTurn = turnstile(AT_A_TIME)
  // Compared with when there is no account, so that an unknown e-mail takes as long as a wrong password.
  let nobodys: Promise<string> | undefined
  const nobody = () => (nobodys ??= inTurn('', () => hash('no account has this password')))
  void nobody().catch(() => (nobodys = undefined))
  return {
    hash: (password, caller = '') => inTurn(caller, () => hash(password)),
    verify: async (password, kept, caller = '') => {
      const against = kept ?? (await nobody())
      const right = await inTurn(caller, () => verify(against, password))
      return right && kept !== null
    },
  }
}
