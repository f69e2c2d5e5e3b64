// Tests: tests/integration/scheduled/expire-daily.test.ts
/**
 * The removal of expired events in a store that removes all of them at once, which slows it down: once a day. On a machine that is off at that
 * time, it begins in the second hour after a start, when what waited for the start is done.
 */
import type { Clock, EventStore } from '../../domain/ports.ts'
import { DAY_MS, HOUR_MS } from '../../domain/time.ts'
import { type ScheduledJob, removing } from './scheduled-work.ts'

/** When the last removal began. */
export interface RemovalMemory {
  /** null if that is unknown */
  lastBegun(): Promise<Date | null>
  begins(at: Date): Promise<void>
}

export interface DailyRemovalParts {
  store: Pick<EventStore, 'expire'>
  memory: RemovalMemory
  clock: Clock
}

/** A daily removal that did not begin for this long was missed. One that failed was not: nodes that are up would be scavenged again and again. */
const MISSED_MS = 2 * DAY_MS
const EVERY_HOUR = '52 * * * *'
/** Longer since the last look: the process was started or suspended in between. */
const LOOKS_APART_MS = 2 * HOUR_MS

/** @param at  the schedule */
export const expireDaily = ({ store, memory, clock }: DailyRemovalParts, at: string): ScheduledJob[] => {
  let lookedAt = -Infinity
  const expire = async (): Promise<number> => {
    await memory.begins(clock.now())
    return store.expire()
  }
  const expireIfMissed = async (): Promise<number> => {
    const now = clock.now().getTime()
    const hasStarted = now - lookedAt > LOOKS_APART_MS
    lookedAt = now
    const since_ms = now - ((await memory.lastBegun())?.getTime() ?? Infinity)
    // Unknown, or from a clock that was ahead: it counts from now on.
    if (since_ms < 0) await memory.begins(new Date(now))
    return hasStarted || since_ms < MISSED_MS ? 0 : expire()
  }
  return [
    removing('expire_events', at, expire, 'removed'),
    removing('expire_missed_events', EVERY_HOUR, expireIfMissed, 'removed'),
  ]
}
