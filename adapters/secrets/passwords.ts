/**
 * argon2id, at most two computed at a time: each takes 19 MB and a core for some 30 ms, and logins must not starve receive.
 *
 * Work that waits takes turns by the caller's address, so that a flood from one address delays another's login by one turn at
 * most. Logins from an address where that account has logged in before go first, so that a flood from many addresses does not
 * delay them either. What waits is bounded; beyond that a call is refused at once, with the time after which to try again.
 */
import { hash, verify } from '@node-rs/argon2'
import { Overloaded } from '../../domain/errors.ts'
import type { Passwords } from '../../domain/ports.ts'

const AT_A_TIME = 2
/** Callers that wait. Each has one turn before anybody has a second: at 30 ms each, two at a time, a first turn comes within 2 s. */
const MOST_CALLERS = 120
/** Calls of one caller that wait. */
const MOST_OF_A_CALLER = 200
const RETRY_AFTER_S = 5

/** Callers that wait, in turn; one of each caller's in the order they came. */
class Row {
  readonly #waiting = new Map<string, (() => void)[]>()

  /** @throws {Overloaded} */
  join(caller: string): Promise<void> {
    const theirs = this.#waiting.get(caller) ?? []
    const isFull = theirs.length === 0 && this.#waiting.size >= MOST_CALLERS
    if (isFull || theirs.length >= MOST_OF_A_CALLER) throw new Overloaded('Too many logins are waiting.', RETRY_AFTER_S)
    this.#waiting.set(caller, theirs)
    return new Promise((resolve) => theirs.push(resolve))
  }

  next(): (() => void) | undefined {
    for (const [caller, theirs] of this.#waiting) {
      const turn = theirs.shift()
      // To the end of the row, behind every other caller.
      this.#waiting.delete(caller)
      if (theirs.length > 0) this.#waiting.set(caller, theirs)
      return turn
    }
    return undefined
  }
}

/** Lets `room` pieces of work run at a time. */
export const turnstile = (room: number) => {
  const known = new Row()
  const others = new Row()
  let running = 0

  const enter = (caller: string, isKnown: boolean): Promise<void> | undefined => {
    if (running < room) {
      running++
      return undefined
    }
    return (isKnown ? known : others).join(caller)
  }

  return async <Result>(caller: string, isKnown: boolean, work: () => Promise<Result>): Promise<Result> => {
    await enter(caller, isKnown)
    try {
      return await work()
    } finally {
      const turn = known.next() ?? others.next()
      if (turn) turn()
      else running--
    }
  }
}

export const openPasswords = (): Passwords => {
  const inTurn = turnstile(AT_A_TIME)
  // Compared with when there is no account, so that an unknown e-mail takes as long as a wrong password.
  let nobodys: Promise<string> | undefined
  const nobody = () => (nobodys ??= inTurn('', true, () => hash('no account has this password')))
  void nobody().catch(() => (nobodys = undefined))
  return {
    hash: (password, caller = '') => inTurn(caller, false, () => hash(password)),
    verify: async (password, kept, caller = '', isKnown = false) => {
      const against = kept ?? (await nobody())
      const right = await inTurn(caller, isKnown, () => verify(against, password))
      return right && kept !== null
    },
  }
}
