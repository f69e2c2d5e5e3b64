// Tests: tests/integration/delivery/delivery.test.ts
/**
 * Deliveries that are due in the queue: retries, manual retries, first attempts that the log did not make, and
 * deliveries that dead workers left behind.
 */
import { WakeSignal } from './wake-signal.ts'
import { LANES, type Due, type RoomByLane } from './queue.ts'

/** Poll interval while nothing is due: milliseconds. */
const LOOK_EVERY = 1_000

export interface DueRowsOptions {
  room: () => RoomByLane
  /** Whether a user has all of their share of a lane's room, or a limited rule has calls that wait. */
  isAnyFull: () => boolean
  claimDue: (room: RoomByLane) => Promise<Due>
  takeOver: (limit: number) => Promise<Due>
  handOver: (due: Due) => Promise<void>
  onError: (error: unknown) => void
}

const sum = (room: RoomByLane): number => LANES.reduce((total, lane) => total + room[lane], 0)

export const openDueRows = ({ onError, room, isAnyFull, claimDue, takeOver, handOver }: DueRowsOptions) => {
  const waking = new WakeSignal()
  let takeOverWanted = false
  let nextAt = Infinity
  let lacksRoom = false
  let hasMore = false

  /** Something is due now. */
  const wake = (): void => {
    waking.wake()
  }

  /** There may be room again. */
  const roomAgain = (): void => {
    if (lacksRoom) waking.wake()
  }

  /** Something is due in this many milliseconds. */
  const wakeIn = (milliseconds: number): void => {
    const at = performance.now() + milliseconds
    if (at >= nextAt) return
    nextAt = at
    // It may be sooner than the current wait.
    if (milliseconds < LOOK_EVERY) waking.wake()
  }

  /** Some claims may no longer have a worker. The next poll takes them over. */
  const takeOverSoon = (): void => {
    takeOverWanted = true
  }

  const run = async (signal: AbortSignal): Promise<void> => {
    signal.addEventListener('abort', () => waking.wake(), { once: true })
    while (!signal.aborted) {
      const found = await look().catch((error: unknown) => {
        onError(error)
        return 0
      })
      if (signal.aborted) return
      if (found === 0 && !hasMore) await waking.wait(Math.min(LOOK_EVERY, Math.max(0, nextAt - performance.now())))
    }
  }

  /** @returns how many rows it found */
  const look = async (): Promise<number> => {
    if (nextAt <= performance.now()) nextAt = Infinity
    lacksRoom = isAnyFull() || LANES.some((lane) => room()[lane] === 0)
    hasMore = false
    let found = 0
    if (takeOverWanted && sum(room()) > 0) {
      // It may be wanted again during the search.
      takeOverWanted = false
      const left = await takeOver(sum(room()))
      takeOverWanted ||= left.hasMore ?? false
      found += left.claimed.length + left.orphans.length
      await handOver(left)
    }
    if (sum(room()) > 0) {
      const due = await claimDue(room())
      hasMore = due.hasMore ?? false
      found += due.claimed.length + due.orphans.length
      await handOver(due)
    }
    return found
  }

  return { wake, roomAgain, wakeIn, takeOverSoon, run }
}

export type DueRows = ReturnType<typeof openDueRows>
