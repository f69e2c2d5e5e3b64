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
  /** Whether a user has all of their share of a lane's room. */
  hasFullUsers: () => boolean
  claimDue: (room: RoomByLane) => Promise<Due>
  takeOver: (limit: number) => Promise<Due>
  handOver: (due: Due) => Promise<void>
  onError: (error: unknown) => void
}

const sum = (room: RoomByLane): number => LANES.reduce((total, lane) => total + room[lane], 0)

export class DueRows {
  readonly #options: DueRowsOptions
  readonly #signal = new WakeSignal()
  #takeOverWanted = false
  #nextAt = Infinity
  #lacksRoom = false
  #hasMore = false

  constructor(options: DueRowsOptions) {
    this.#options = options
  }

  /** Something is due now. */
  wake(): void {
    this.#signal.wake()
  }

  /** There may be room again. */
  roomAgain(): void {
    if (this.#lacksRoom) this.#signal.wake()
  }

  /** Something is due in this many milliseconds. */
  wakeIn(milliseconds: number): void {
    const at = performance.now() + milliseconds
    if (at >= this.#nextAt) return
    this.#nextAt = at
    // It may be sooner than the current wait.
    if (milliseconds < LOOK_EVERY) this.#signal.wake()
  }

  /** Some claims may no longer have a worker. The next poll takes them over. */
  takeOverSoon(): void {
    this.#takeOverWanted = true
  }

  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#signal.wake(), { once: true })
    while (!signal.aborted) {
      const found = await this.#look().catch((error: unknown) => {
        this.#options.onError(error)
        return 0
      })
      if (signal.aborted) return
      if (found === 0 && !this.#hasMore)
        await this.#signal.wait(Math.min(LOOK_EVERY, Math.max(0, this.#nextAt - performance.now())))
    }
  }

  /** @returns how many rows it found */
  async #look(): Promise<number> {
    if (this.#nextAt <= performance.now()) this.#nextAt = Infinity
    const { room, hasFullUsers, claimDue, takeOver, handOver } = this.#options
    this.#lacksRoom = hasFullUsers() || LANES.some((lane) => room()[lane] === 0)
    this.#hasMore = false
    let found = 0
    if (this.#takeOverWanted && sum(room()) > 0) {
      // It may be wanted again during the search.
      this.#takeOverWanted = false
      const left = await takeOver(sum(room()))
      this.#takeOverWanted ||= left.hasMore ?? false
      found += left.claimed.length + left.orphans.length
      await handOver(left)
    }
    if (sum(room()) > 0) {
      const due = await claimDue(room())
      this.#hasMore = due.hasMore ?? false
      found += due.claimed.length + due.orphans.length
      await handOver(due)
    }
    return found
  }
}
