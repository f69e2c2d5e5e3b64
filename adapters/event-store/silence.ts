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

  /** How long it has lasted: milliseconds in which this process ran; 0 if there is none. */
  get ms(): number {
    return this.#since === null ? 0 : awakeNow() - this.#since
  }

  /** A call is sent. */
  callBegan(): void {
    this.#pending++
    this.#since ??= awakeNow()
  }

  /** A call was answered or has failed. */
  callEnded(): void {
    this.#pending--
  }

  /** The store answered. The next silence begins at once if other calls wait. */
  answered(): void {
    this.#since = this.#pending > 0 ? awakeNow() : null
  }
}
