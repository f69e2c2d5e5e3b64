/**
 * Limits how many bytes of request bodies this process holds at one time: 64 MB in all (decisions, "Sizes"). Bytes count from their arrival
 * until the request is answered. A request whose bytes do not fit is refused with 503, and its body is not kept.
 *
 * The space is divided, so that no caller can use all of it:
 *
 * | Share | Size | Contents |
 * |---|---|---|
 * | strangers | 8 MB | bodies of requests without a credential |
 * | short | 16 MB | the first 64 KB of every other body. Notifications are shorter, so long bodies cannot block them |
 * | long | 40 MB | what follows the first 64 KB |
 *
 * One account can use at most 12 MB of the last two shares. The connection of a long body that arrives too slowly is cut off.
 */
import type { Middleware } from 'koa'

const MB = 1024 * 1024

/** Bytes of one body that count as short. A body without a credential is never longer. */
export const SHORT = 64 * 1024

const ROOM = { strangers: 8 * MB, short: 16 * MB, long: 40 * MB } as const
type Share = keyof typeof ROOM

/** Enough for one body of the largest size and some short ones. */
const ROOM_OF_ACCOUNT = 12 * MB

/** A long body must deliver at least this many bytes in every interval. */
const SLOWEST_BYTES = 16 * 1024
const INTERVAL_MS = 10_000

/** The body bytes that one request holds. */
export class HeldBody {
  readonly #bodies: BodiesInFlight
  #account: number | null = null
  #size = 0
  #isHeld = true
  #isArriving = true
  /** Size at the last speed check. */
  #seen = 0
  #cut: () => void = () => {}

  constructor(bodies: BodiesInFlight) {
    this.#bodies = bodies
  }

  /** @param account  the account of the valid credential; null if there is none · @param cut  ends the request */
  begin(account: number | null, cut: () => void): void {
    this.#account = account
    this.#cut = cut
  }

  /** @returns whether the bytes fit; if not, the request's whole body is released */
  take(bytes: number): boolean {
    const fits = this.#isHeld && this.#bodies.move(this.#account, this.#size, this.#size + bytes)
    if (!fits) {
      this.release()
      return false
    }
    this.#size += bytes
    if (this.#isArriving && this.#size > SHORT) this.#bodies.watch(this)
    return true
  }

  release(): void {
    this.#bodies.unwatch(this)
    if (this.#size > 0) this.#bodies.move(this.#account, this.#size, 0)
    this.#size = 0
    this.#isHeld = false
  }

  /** Ends the speed checks, as the whole body has arrived. It may still grow when it is decompressed. */
  arrived(): void {
    this.#isArriving = false
    this.#bodies.unwatch(this)
  }

  /** Ends the request if too few bytes have arrived since the last check. */
  look(): void {
    const isSlow = this.#size - this.#seen < SLOWEST_BYTES
    this.#seen = this.#size
    if (isSlow) this.#cut()
  }
}

export class BodiesInFlight {
  readonly #held: Record<Share, number> = { strangers: 0, short: 0, long: 0 }
  readonly #ofAccounts = new Map<number, number>()
  readonly #arriving = new Set<HeldBody>()
  #looking: NodeJS.Timeout | undefined

  /** Total bytes held. */
  get size(): number {
    return this.#held.strangers + this.#held.short + this.#held.long
  }

  /** Records that a body grows or is released. @param account  null: no credential · @returns whether the new size fits */
  move(account: number | null, from: number, to: number): boolean {
    const held = this.#held
    // Held bytes always fit, so a release is never refused.
    if (account === null) {
      if (held.strangers + to - from > ROOM.strangers) return false
      held.strangers += to - from
      return true
    }
    const short = Math.min(to, SHORT) - Math.min(from, SHORT)
    const long = to - from - short
    const own = (this.#ofAccounts.get(account) ?? 0) + to - from
    if (own > ROOM_OF_ACCOUNT || held.short + short > ROOM.short || held.long + long > ROOM.long) return false
    held.short += short
    held.long += long
    if (own === 0) this.#ofAccounts.delete(account)
    else this.#ofAccounts.set(account, own)
    return true
  }

  watch(body: HeldBody): void {
    this.#arriving.add(body)
    this.#looking ??= setInterval(() => this.#arriving.forEach((each) => each.look()), INTERVAL_MS).unref()
  }

  unwatch(body: HeldBody): void {
    this.#arriving.delete(body)
    if (this.#arriving.size > 0) return
    clearInterval(this.#looking)
    this.#looking = undefined
  }
}

/** Sets `state.held` for every request and releases it when the request is answered. */
export const holdBodies =
  (bodies: BodiesInFlight): Middleware =>
  async (context, next) => {
    const held = new HeldBody(bodies)
    context.state.held = held
    try {
      await next()
    } finally {
      held.release()
    }
  }
