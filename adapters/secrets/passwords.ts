/**
 * argon2id, with at most two computations at a time. Each takes 19 MB and one core for about 30 ms, and logins must not
 * starve receiving.
 *
 * Waiting work takes turns by the caller's address, so that a flood from one address delays another's login by at most one
 * turn. Logins from an address at which the account has logged in before go first, so that a flood from many addresses does
 * not delay them either. The wait queue is limited. Beyond the limit, a call is refused at once with the time after which to
 * retry.
 */
import { hash, verify } from '@node-rs/argon2'
import { Overloaded } from '../../domain/errors.ts'
import type { Passwords } from '../../domain/ports.ts'

const AT_A_TIME = 2
/**
 * Waiting callers. Each has one turn before any has a second. At 30 ms each, two at a time, a first turn comes within 2 s.
 */
const MOST_CALLERS = 120
/** Waiting calls of one caller. */
const MOST_OF_A_CALLER = 200
const RETRY_AFTER_S = 5

/** The wait queue: callers take turns, and the calls of one caller keep their order. */
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
      // Moves the caller to the end of the queue, behind all others.
      this.#waiting.delete(caller)
      if (theirs.length > 0) this.#waiting.set(caller, theirs)
      return turn
    }
    return undefined
  }
}

/** Lets `room` computations run at a time. */
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

/**
 * Used for the comparison if there is no account, so that an unknown email takes as long as a wrong password. It has the parameters of
 * `hash`.
 */
export const NOBODYS =
  '$argon2id$v=19$m=19456,t=2,p=1$ROX5uUgVxbRnYgPUNQW8Eg$/ZvmTyYkMp44rYB8NTEk2Y7JWhMolRMT44rMqWjcXHI'

export const openPasswords = (): Passwords => {
  const inTurn = turnstile(AT_A_TIME)
  return {
    hash: (password, caller = '') => inTurn(caller, false, () => hash(password)),
    verify: async (password, kept, caller = '', isKnown = false) => {
      const right = await inTurn(caller, isKnown, () => verify(kept ?? NOBODYS, password))
      return right && kept !== null
    },
  }
}
