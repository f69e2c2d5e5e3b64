/**
 * Ids from one counter for all processes, in blocks: a block is reserved by an event, so an id is never given twice, by
 * whatever process and after whatever crash, and an id is in its event before that is written. What a process has not used
 * of its block when it ends is never used.
 */
import { randomUUID } from 'node:crypto'
import { ID_STREAM, idEvents, type IdsReserved } from '../../domain/ids.ts'
import { NO_STREAM, type Clock, type EventStore, type Ids } from '../../domain/ports.ts'
import { stamp } from '../../workflows/support/stamp.ts'

const BLOCK = 1_000
/** With fewer ids left, the next block is fetched in advance, so that callers do not wait. */
const SPARE = 250

/**
 * @param skip  `ID_SKIP`: ids to leap over once, for a store restored from a backup older than ids that are out in the world
 * @returns ids rising within the process; waits for the store only when a block is used up before the next one is there
 */
export const openIds = ({ store, clock, skip = 0 }: { store: EventStore; clock: Clock; skip?: number }): Ids => {
  let next = 1
  let last = 0
  let leap = skip
  let turn: Promise<unknown> = Promise.resolve()
  /** The next block, on its way. */
  let coming: Promise<IdsReserved> | null = null

  /** Reserves a block that holds at least so many, after the newest one in the store. */
  const reserve = async (count: number): Promise<IdsReserved> => {
    for (;;) {
      const [[newest] = []] = await store.read([{ stream: ID_STREAM, backwards: true, limit: 1 }])
      const from = (newest ? idEvents.IdsReserved.parse(newest.data).to : 0) + leap + 1
      const block = { from, to: from + Math.max(BLOCK, count) - 1 }
      const request = randomUUID()
      const events = stamp([{ type: 'IdsReserved', data: block }], {
        user_id: null,
        at: clock.now(),
        correlation_id: request,
        causation_id: request,
      })
      const [result] = await store.append([
        [{ stream: ID_STREAM, expectedRevision: newest?.revision ?? NO_STREAM, events }],
      ])
      if (result?.ok) {
        leap = 0
        return block
      }
      // Another process was faster: its block is the newest now.
    }
  }

  const take = (count: number): number[] => {
    const ids = Array.from({ length: Math.min(count, last - next + 1) }, (_, index) => next + index)
    next += ids.length
    return ids
  }

  const fetchBeforehand = (): void => {
    if (coming) return
    coming = reserve(BLOCK)
    // The next caller tries again.
    coming.catch(() => (coming = null))
  }

  return {
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
