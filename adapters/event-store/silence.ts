// Tests: tests/unit/adapters/event-store/circuit-breaker.test.ts
import { awakeNow } from '../system/awake.ts'

/** The time for which calls have waited for the event store and none of them was answered. */
export class Silence {
  /** Calls without an answer. */
  #pending = 0
  #since: number | null = null

  /** False until a call is sent, and after an answer if no other call waits. */
  get isOn(): boolean {
    return this.#since !== null
  }

  /** Milliseconds in which this process ran. */
  get ms(): number {
    return this.#since === null ? 0 : awakeNow() - this.#since
  }

  /** A call is sent. */
  began(): void {
    this.#pending++
    this.#since ??= awakeNow()
  }

  /** A call was answered or has failed. */
  ended(): void {
    this.#pending--
  }

  /** The store answered. The next silence begins at once if other calls wait. */
  broken(): void {
    this.#since = this.#pending > 0 ? awakeNow() : null
  }
}
