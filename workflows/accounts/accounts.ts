/**
 * The accounts, folded from their events: each is read once and then only read on, and commands are decided on them.
 *
 * Requests of one account at the same moment share a read. A request never joins a read that had begun before it came:
 * that one may miss what was written in between, such as the rotation of the very key it carries. It joins the next.
 */
import type { Account } from '../../domain/account/account.ts'
import { evolve } from '../../domain/account/account.ts'
import { accountEvents, accountStream, type AccountEvent } from '../../domain/account/events.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { Refused } from '../../domain/errors.ts'
import { execute } from '../support/execute.ts'
import { foldCache, type FoldCache, type Folded } from '../support/fold-cache.ts'
import type { Occasion } from '../support/stamp.ts'

export type AccountCache = FoldCache<Account | null>

/** @param limit  most accounts kept in memory */
export const accountCache = (limit = 10_000): AccountCache =>
  foldCache<Account | null, keyof typeof accountEvents>(
    { stream: (userId) => accountStream(Number(userId)), events: accountEvents, initial: null, evolve },
    limit,
  )

interface Reads {
  running: Promise<unknown>
  next: Promise<Folded<Account | null>> | null
}

/** The occasion of a command that an account's owner gives. */
export type OwnersOccasion = Occasion & { user_id: number }

export interface Changed {
  account: Account
  /** Where the change stands in the store; null when nothing changed. */
  checkpoint: Checkpoint | null
}

export class Accounts {
  readonly store: EventStore
  readonly #cache: AccountCache
  readonly #reads = new Map<number, Reads>()

  constructor(store: EventStore, cache: AccountCache = accountCache()) {
    this.store = store
    this.#cache = cache
  }

  /** The account as it is now; null where there is none. @throws {StoreUnavailable} */
  async find(userId: number): Promise<Account | null> {
    return (await this.#load(userId)).state
  }

  /** The account as this process read it last, without a read; null where it has not read it. */
  seen(userId: number): Account | null {
    return this.#cache.get(String(userId)).state
  }

  /**
   * @param decide  gets the account as it is now; returns what happens or throws `Refused`
   * @throws {Refused} as decided, NOT_FOUND without such an account · {StoreUnavailable}
   */
  async change(occasion: OwnersOccasion, decide: (account: Account) => readonly AccountEvent[]): Promise<Changed> {
    const key = String(occasion.user_id)
    const { state, checkpoint } = await execute(this.store, this.#cache, key, occasion, ({ state }) => {
      if (!state) throw new Refused('NOT_FOUND', 'The account does not exist.')
      return decide(state)
    })
    return { account: state!, checkpoint }
  }

  #load(userId: number): Promise<Folded<Account | null>> {
    const reads = this.#reads.get(userId)
    if (!reads) return this.#read(userId, null)
    reads.next ??= reads.running.then(
      () => this.#read(userId, reads),
      () => this.#read(userId, reads),
    )
    return reads.next
  }

  #read(userId: number, before: Reads | null): Promise<Folded<Account | null>> {
    const running = this.#cache.load(this.store, String(userId)).then((folded) => {
      // No account, no room: made-up tokens must not push real accounts out of the cache.
      if (folded.state === null) this.#cache.forget(String(userId))
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
