// Tests: tests/integration/http/abuse.test.ts
/** Limits how many requests an account has open in this process: those under way, and those whose answers were not read yet. */
import type { ApiContext } from '../context.ts'
import { spend } from './rate-limits.ts'

/** Milliseconds until a refused caller should try again. */
const TRY_AGAIN_MS = 30_000

/**
 * @param why  the first sentences of the refusal, without the last full stop
 * @returns a function that counts a request until its connection has taken the answer
 */
export const mostOpen = (most: number, why: string): ((context: ApiContext) => void) => {
  const open = new Map<number, number>()
  /** @throws {Refused} RATE_LIMITED */
  return (context) => {
    const { user_id } = context.state.account
    const calls = (open.get(user_id) ?? 0) + 1
    if (calls > most) spend(context, { requests: most }, { calls, endsInMs: TRY_AGAIN_MS }, why)
    // The caller may have left while its credential was checked. Its connection does not close again.
    if (context.res.closed) return
    open.set(user_id, calls)
    context.res.once('close', () => {
      const left = open.get(user_id)! - 1
      if (left === 0) open.delete(user_id)
      else open.set(user_id, left)
    })
  }
}
