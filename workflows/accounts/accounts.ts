// Tests: tests/integration/http/registration.test.ts
/**
 * The accounts, folded from their events. Each account is read once; after that only new events are read. Commands are
 * decided on them.
 *
 * Concurrent requests of one account share a read. A request never joins a read that began before the request came:
 * that read may miss later writes, such as the rotation of the request's own key. It joins the next read.
 */
import { evolve, type Account } from '../../domain/account/account.ts'
import { accountEvents, accountStream, type AccountEvent } from '../../domain/account/events.ts'
import type { Checkpoint, Clock, EventStore, Ids, Passwords, Vault } from '../../domain/ports.ts'
import { AccountGone } from '../../domain/errors.ts'
import { BoundedMap } from '../support/bounded-map.ts'
import { execute } from '../support/execute.ts'
import { foldCache, foldSnapshots, type FoldCache, type Folded } from '../support/fold-cache.ts'
import type { Snapshots } from '../support/snapshots.ts'
import type { Occasion } from '../support/stamp.ts'

export type AccountCache = FoldCache<Account | null>

/** Most accounts kept in memory. */
const MOST_CACHED = 10_000

/** @param limit  most accounts kept in memory */
export const accountCache = (limit = MOST_CACHED, snapshots?: Snapshots): AccountCache =>
  foldCache<Account | null, keyof typeof accountEvents>(
    { stream: (userId) => accountStream(Number(userId)), events: accountEvents, initial: null, evolve },
    limit,
    foldSnapshots(snapshots, 'account'),
  )

interface Reads {
  running: Promise<unknown>
  next: Promise<Folded<Account | null>> | null
}

/** The ports that the commands on accounts need. Each takes a part of them. */
export interface AccountParts {
  store: EventStore
  accounts: Accounts
  ids: Ids
  clock: Clock
  vault: Vault
  passwords: Passwords
  /** Why a url cannot be called, as a continuation of "The URL …"; null if it can be called. */
  urlProblem: (url: string) => string | null
  /** The operator's own prefix, reserved for plan orders. */
  planPrefix: string
}

/** The occasion of a command from the account's owner. */
export type OwnersOccasion = Occasion & { user_id: number }

export interface Changed {
  account: Account
  /** The position of the change in the store; null if nothing changed. */
  checkpoint: Checkpoint | null
}

export class Accounts {
  readonly store: EventStore
  readonly #cache: AccountCache
  readonly #reads = new Map<number, Reads>()
  /** When the last read began that found the account as it is cached, by user (`performance.now()`). */
  readonly #confirmedAt = new BoundedMap<number, number>(MOST_CACHED)

  constructor(store: EventStore, cache: AccountCache = accountCache()) {
    this.store = store
    this.#cache = cache
  }

  /** The current account; null if there is none. @throws {StoreUnavailable} */
  async find(userId: number): Promise<Account | null> {
    return (await this.#load(userId)).state
  }

  /** The account as this process last read it, without a read; null if it has not been read. */
  seen(userId: number): Account | null {
    return this.#cache.get(String(userId)).state
  }

  /**
   * The account as the store last confirmed it, without a read.
   * @returns null if that was longer ago than `maxAgeMs` (milliseconds), or never
   */
  confirmed(userId: number, maxAgeMs: number): { account: Account; revision: number } | null {
    const at = this.#confirmedAt.get(userId)
    const { state, revision } = this.#cache.get(String(userId))
    if (at === undefined || state === null || performance.now() - at > maxAgeMs) return null
    return { account: state, revision }
  }

  /**
   * @param decide  receives the current account; returns the events or throws `Refused`
   * @throws {Refused} as decided · {AccountGone} · {StoreUnavailable}
   */
  async change(occasion: OwnersOccasion, decide: (account: Account) => readonly AccountEvent[]): Promise<Changed> {
    const key = String(occasion.user_id)
    const { state, checkpoint } = await execute(this.store, this.#cache, key, occasion, ({ state }) => {
      if (!state) throw new AccountGone()
      return decide(state)
    })
    return { account: state!, checkpoint }
  }

  #load(userId: number): Promise<Folded<Account | null>> {
    const reads = this.#reads.get(userId)
    if (!reads) return this.#read(userId, null)
    reads.next ??= reads.running.then(
      () => this.#read(userId, reads),
      (error: unknown) => {
        // Callers that waited for a read that failed do not wait for another one.
        this.#reads.delete(userId)
        throw error
      },
    )
    return reads.next
  }

  #read(userId: number, before: Reads | null): Promise<Folded<Account | null>> {
    const began = performance.now()
    const key = String(userId)
    const running = this.#cache.load(this.store, key).then((folded) => {
      if (folded.state !== null) this.#confirmedAt.set(userId, began)
      else {
        // Ids without an account are not kept: made-up tokens must not push real accounts out of the cache.
        this.#cache.forget(key)
        this.#confirmedAt.delete(userId)
      }
      return folded
    })
    const reads: Reads = before ?? { running, next: null }
    reads.running = running
    reads.next = null
    this.#reads.set(userId, reads)
    const done = () => {
      if (reads.running === running && reads.next === null) this.#reads.delete(userId)
    }
    running.then(done, done)
    return running
  }
}
