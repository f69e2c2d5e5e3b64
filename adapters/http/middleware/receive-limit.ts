// Tests: tests/attack/limits-of-strangers.test.ts
/**
 * The rate limit of the receive path (interface, section 8; decisions, "Rate limits"). Calls count per address. A token that is known to be
 * good has its own budget at each address. A stranger behind the same address cannot use up that budget, because a stranger's calls count
 * only to the address.
 *
 * A token becomes known when capture accepts it, which needs no lookup. If the address's budget is used up and the token is not known,
 * such as after a restart, the token is looked up. Each window allows as many lookups as the budget has calls.
 */
import type { ShownToken } from '../../../domain/arrival/arrival.ts'
import { BoundedMap } from '../../../workflows/support/bounded-map.ts'
import { callerIn } from './caller.ts'
import type { ApiContext } from '../context.ts'
import type { Guard } from './guard.ts'
import { spend, type CounterFor, type RateLimit, type RateLimits } from './rate-limits.ts'

/** Most tokens that are remembered as good: about 10 MB. The least recently used ones are dropped. */
const MOST_KNOWN = 50_000

interface ReceiveLimitParts {
  limits: 'off' | RateLimits
  counterFor: CounterFor
  /** Whether a token opens an account. */
  isGood(shown: ShownToken): Promise<boolean>
}

export interface ReceiveLimit {
  /** @param shownIn  returns the call's credential; null if it has none of a valid form */
  by(shownIn: (context: ApiContext) => ShownToken | null): Guard
  /** Records whether capture accepted the call's token. */
  judged(context: ApiContext, isGood: boolean): void
}

const REFUSES: Guard = { refuses: ['RATE_LIMITED'] }

export const receiveLimit = ({ limits, counterFor, isGood }: ReceiveLimitParts): ReceiveLimit => {
  if (limits === 'off') return { by: () => REFUSES, judged: () => {} }
  const limit: RateLimit = limits.receive
  const ofAddress = counterFor('receive', limit)
  const ofToken = counterFor('receive_token', limit)
  const lookUps = counterFor('receive_look_up', limit)
  /** The hashes of their tokens. */
  const known = new BoundedMap<string, true>(MOST_KNOWN)
  /** The budget to which each call with a token was counted. */
  const calls = new WeakMap<ApiContext, { address: string; hash: string; countedTo: 'address' | 'token' }>()

  const learn = (hash: string): void => void known.set(hash, true)

  const countForToken = async (context: ApiContext, address: string, hash: string): Promise<void> => {
    learn(hash)
    calls.set(context, { address, hash, countedTo: 'token' })
    const used = ofToken(`${address} ${hash}`)
    spend(context, limit, used instanceof Promise ? await used : used)
  }

  return {
    by: (shownIn) => ({
      ...REFUSES,
      step: async (context, next) => {
        const address = callerIn(context)
        const shown = shownIn(context)
        const hash = shown && shown.token_hash
        if (hash !== null && known.has(hash)) {
          await countForToken(context, address, hash)
          return next()
        }
        const counted = ofAddress(address)
        const used = counted instanceof Promise ? await counted : counted
        if (shown && hash !== null && used.calls > limit.requests) {
          const lookedUp = await lookUps(address)
          if (lookedUp.calls <= limit.requests && (await isGood(shown).catch(() => false))) {
            await countForToken(context, address, hash)
            return next()
          }
        }
        spend(context, limit, used)
        if (hash !== null) calls.set(context, { address, hash, countedTo: 'address' })
        await next()
      },
    }),

    judged: (context, isGood) => {
      const call = calls.get(context)
      if (!call) return
      const { address, hash, countedTo } = call
      // The token is no longer good, so its calls count to the address again.
      if (!isGood) known.delete(hash)
      else if (countedTo === 'address') {
        learn(hash)
        void ofAddress.undo(address)
        void ofToken(`${address} ${hash}`)
      }
    },
  }
}
