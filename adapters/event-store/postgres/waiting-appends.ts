// Tests: tests/contract/event-store/postgres.test.ts
/** Appends that wait for their results, each until its deadline. */
import type { UnitResult } from '../../../domain/ports.ts'
import type { EncodedCall } from '../encoding.ts'

/** The largest group. */
const MOST_CALLS = 2_048
const MOST_BYTES = 8 * 1_048_576
/** The most bytes that may wait for an unavailable server. Beyond that, further appends are refused at once. */
const MOST_WAITING_BYTES = 64 * 1_048_576

export interface WaitingAppend {
  call: EncodedCall
  deadline: number
  /** Already answered because its deadline passed. A later result is ignored. */
  done: boolean
  resolve: (results: UnitResult[]) => void
  reject: (error: Error) => void
}

export const settle = (one: WaitingAppend, answer: () => void): void => {
  if (one.done) return
  one.done = true
  answer()
}

/** Rejects those whose deadline has passed. @returns whether there were any */
export const rejectLate = (waiting: readonly WaitingAppend[], now: number, reason: () => Error): boolean => {
  // Deadlines rise along the list, so checking the first one is usually enough.
  if (waiting.length === 0 || waiting[0]!.deadline > now) return false
  for (const one of waiting) if (one.deadline <= now) settle(one, () => one.reject(reason()))
  return true
}

/** Those that are not sent yet. */
export class WaitingAppends {
  #queue: WaitingAppend[] = []
  #bytes = 0

  get isFull(): boolean {
    return this.#bytes > MOST_WAITING_BYTES
  }

  push(one: WaitingAppend): void {
    this.#queue.push(one)
    this.#bytes += one.call.bytes
  }

  /** Removes the next group; null if nothing waits. */
  take(): WaitingAppend[] | null {
    if (this.#queue.length === 0) return null
    let bytes = 0
    let count = 0
    for (const { call } of this.#queue) {
      if (count === MOST_CALLS || (count > 0 && bytes + call.bytes > MOST_BYTES)) break
      bytes += call.bytes
      count++
    }
    this.#bytes -= bytes
    return this.#queue.splice(0, count)
  }

  giveUpLate(now: number, reason: () => Error): void {
    if (!rejectLate(this.#queue, now, reason)) return
    this.#queue = this.#queue.filter(({ done }) => !done)
    this.#bytes = this.#queue.reduce((sum, { call }) => sum + call.bytes, 0)
  }
}
