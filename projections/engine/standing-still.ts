// Tests: tests/integration/parked/commands.test.ts
/** Whether read models do not move although events wait: they have stopped, or no process projects them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import type { Definition } from './definition.ts'
import { progressOf } from './lag.ts'
import type { Queryable } from './queryable.ts'

const LOOK_EVERY_MS = 200
const PAGE = 100

const hasWaiting = async (
  store: Pick<EventStore, 'readAll'>,
  { prefixes }: Pick<Definition, 'prefixes'>,
  passed: Checkpoint | null,
): Promise<boolean> => {
  for (let after = passed; ;) {
    const events = await store.readAll(after, PAGE)
    if (events.some(({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix)))) return true
    if (events.length < PAGE) return false
    after = events.at(-1)!.checkpoint
  }
}

/** How long a running projector may pause, and a little more: milliseconds. */
export const longestPause = ({ gatheringMs, mostLateMs }: Definition): number =>
  Math.max(gatheringMs, mostLateMs) + 5_000

/**
 * Returns as soon as the read models move or are up to date.
 * @param within  how long they may pause although events wait: milliseconds
 */
export const areStandingStill = async (
  database: Queryable,
  store: Pick<EventStore, 'readAll'>,
  definition: Definition,
  within: number,
): Promise<boolean> => {
  const started = performance.now()
  const { passed } = await progressOf(database, definition)
  if (!(await hasWaiting(store, definition, passed))) return false
  while (performance.now() - started < within) {
    await pause(LOOK_EVERY_MS)
    if ((await progressOf(database, definition)).passed !== passed) return false
  }
  return true
}
