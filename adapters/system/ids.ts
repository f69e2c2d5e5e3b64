// Tests: tests/integration/adapters/ids.test.ts
/**
 * Ids from one counter for all processes, in blocks. A block is reserved by an event, so no id is ever issued twice, by any
 * process and after any crash, and an event can contain its id before it is written. Ids of a block that a process has not
 * used when it ends are never used.
 *
 * After the store went back in time, ids continue far above the known ones, because other processes may have used ids that this one
 * does not know.
 */
import { ID_STREAM, idEvents, type IdsReserved } from '../../domain/ids.ts'
import { isFoldable } from '../../domain/parse-event.ts'
import { NO_STREAM, type Clock, type EventStore, type Ids } from '../../domain/ports.ts'
import { ownCause, stamp } from '../../workflows/support/stamp.ts'

const BLOCK = 1_000
/** If fewer ids are left, the next block is fetched in advance, so that callers do not wait. */
const SPARE = 250

/** Enough to find a block after events that the operator has skipped. */
const NEWEST = 10

/** Ids above the highest known one that are left out after the store went back. */
const LEAP = 1_000_000

export interface OpenIds extends Ids {
  /** The highest id that is known to be reserved; 0 if none is. */
  highest(): number
  /** Whether this process was the first to leave out ids after a loss. */
  hasLeapt(): boolean
}

/** @returns the highest id that the store knows to be reserved; 0 if none is */
export const highestReserved = async (store: Pick<EventStore, 'read'>): Promise<number> =>
  reservedBy((await newestReservations(store)).find(isFoldable))

const newestReservations = async (store: Pick<EventStore, 'read'>) => {
  const [newest = []] = await store.read([{ stream: ID_STREAM, backwards: true, limit: NEWEST }])
  return newest
}

const reservedBy = (event: { data: unknown } | undefined): number =>
  event ? idEvents.IdsReserved.parse(event.data).to : 0

/**
 * @param above  the highest id that is known to have been used; 0 if none is known
 * @param isAfterLoss  the store went back in time. Another process may already have left out ids for this.
 * @param skip  `ID_SKIP`: ids to skip once, for a store restored from a backup that is older than ids already in use
 * @returns ids that rise within the process; waits for the store only if a block is used up before the next one has arrived
 */
export const openIds = ({
  store,
  clock,
  skip = 0,
  above = 0,
  isAfterLoss = false,
}: {
  store: EventStore
  clock: Clock
  skip?: number
  above?: number
  isAfterLoss?: boolean
}): OpenIds => {
  /** The highest id that is known to be reserved. */
  let highest = above
  let hasLeapt = false
  let leftToSkip = skip
  let mayRepeat = isAfterLoss
  let next = 1
  let last = 0
  let turn: Promise<unknown> = Promise.resolve()
  /** The next block, while it is being fetched. */
  let coming: Promise<IdsReserved> | null = null

  const take = (count: number): number[] => {
    const ids = Array.from({ length: Math.min(count, last - next + 1) }, (_, index) => next + index)
    next += ids.length
    return ids
  }

  /** Reserves a block of at least `count` ids, after the newest block in the store. */
  const reserve = async (count: number): Promise<IdsReserved> => {
    for (;;) {
      const newest = await newestReservations(store)
      const reserved = reservedBy(newest.find(isFoldable))
      const isLeapt = reserved < highest || (mayRepeat && (above === 0 || reserved < above + LEAP / 2))
      const from = Math.max(reserved, highest) + (isLeapt ? LEAP : 0) + leftToSkip + 1
      const block = { from, to: from + Math.max(BLOCK, count) - 1 }
      const facts = [{ type: 'IdsReserved', data: block }]
      const events = stamp(facts, { user_id: null, at: clock.now(), ...ownCause() })
      const [result] = await store.append([
        [{ stream: ID_STREAM, expectedRevision: newest[0]?.revision ?? NO_STREAM, events }],
      ])
      // Else another process was faster, so its block is now the newest.
      if (!result?.ok) continue
      leftToSkip = 0
      mayRepeat = false
      hasLeapt ||= isLeapt
      highest = block.to
      return block
    }
  }

  const fetchBeforehand = (): void => {
    if (coming) return
    coming = reserve(BLOCK)
    // The next caller retries.
    coming.catch(() => (coming = null))
  }

  return {
    highest: () => highest,
    hasLeapt: () => hasLeapt,
    next: async (count) => {
      if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`not a number of ids: ${count}`)
      const mine = turn.then(async () => {
        const ids = take(count)
        while (ids.length < count) {
          const block = await (coming ?? reserve(count - ids.length))
          coming = null
          next = block.from
          last = block.to
          ids.push(...take(count - ids.length))
        }
        if (next <= last && last - next < SPARE) fetchBeforehand()
        return ids
      })
      turn = mine.catch(() => {})
      return await mine
    },
  }
}
