// Tests: tests/integration/parked/commands.test.ts
/** Whether read models have stopped, or wait for a process that projects them, although events wait. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import type { Definition } from './definition.ts'
import { progressOf } from './lag.ts'
import type { Queryable } from './queryable.ts'

/** Read models that do not move for this long although events wait stand still: milliseconds. A busy projector pauses for less. */
const STANDING_STILL_MS = 20_000
const LOOK_EVERY_MS = 200
const PAGE = 1_000

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

/** Returns as soon as the read models move or are up to date. */
export const areStandingStill = async (
  database: Queryable,
  store: Pick<EventStore, 'readAll'>,
  definition: Definition,
  within = STANDING_STILL_MS,
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
