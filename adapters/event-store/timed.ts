// Tests: tests/unit/adapters/event-store/timed.test.ts
/**
 * Measures how long the calls of an event store take, and reports slow ones together, at most every ten seconds. A store that
 * answers nothing at all is the subject of `circuit-breaker.ts`.
 */
import { StoreUnavailable } from '../../domain/errors.ts'
import type { EventStore } from '../../domain/ports.ts'
import { awakeNow } from '../system/awake.ts'

/** Milliseconds. */
const SLOW_MS = 2_000
const REPORT_EVERY_MS = 10_000

export type StoreCall = 'append' | 'read' | 'read_all'

/** Slow calls since the last report. */
export interface SlowCalls {
  calls: number
  longest_ms: number
  /** The kind of the longest one. */
  call: StoreCall
  /** Streams that it read or appended to. */
  streams: number
}

export interface TimedOptions {
  /** Called with every call that was answered or failed. */
  onCall?: (call: StoreCall, ms: number) => void
  /** Calls that failed count only if the store answered others meanwhile. */
  onSlow?: (slow: SlowCalls) => void
  /** Milliseconds since any moment. Default: time in which this process ran. */
  elapsed?: () => number
}

export const timed = (
  store: EventStore,
  { onCall = () => {}, onSlow = () => {}, elapsed = awakeNow }: TimedOptions,
): EventStore => {
  let slow: SlowCalls | null = null
  let reportedAt = -Infinity
  let answers = 0
  const note = (call: StoreCall, ms: number, streams: number): void => {
    if (ms < SLOW_MS) return
    const longest = slow === null || ms > slow.longest_ms ? { longest_ms: Math.round(ms), call, streams } : slow
    slow = { ...longest, calls: (slow?.calls ?? 0) + 1 }
    if (elapsed() - reportedAt < REPORT_EVERY_MS) return
    reportedAt = elapsed()
    onSlow(slow)
    slow = null
  }
  const during = async <Result>(call: StoreCall, streams: number, ask: () => Promise<Result>): Promise<Result> => {
    const since = elapsed()
    const before = answers
    try {
      const result = await ask()
      answers++
      return result
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) answers++
      throw error
    } finally {
      const ms = elapsed() - since
      onCall(call, ms)
      // Otherwise the store is not slow, but away.
      if (answers > before) note(call, ms, streams)
    }
  }
  return {
    ...store,
    append: (units) =>
      during(
        'append',
        units.reduce((sum, { length }) => sum + length, 0),
        () => store.append(units),
      ),
    read: (slices) => during('read', slices.length, () => store.read(slices)),
    readAll: (...asked) => during('read_all', 0, () => store.readAll(...asked)),
  }
}
