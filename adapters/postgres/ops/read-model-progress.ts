/**
 * How far read models are that another process projects, by the checkpoint it moves with every batch. All that wait in this
 * process share one look at it, and nobody looks while nobody waits: a few statements a second where commands are given, one
 * for each turn of deliveries, none at rest.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Checkpoint, ReadModels } from '../../../domain/ports.ts'
import type { Queryable } from '../../database/database.ts'

const LOOK_EVERY_MS = 15

const PASSED = 'SELECT passed FROM read_model.checkpoint WHERE projector = $1'

/** What cannot be asked has not passed: a database that is away is waited for like a projector that is behind. */
export const followReadModels = (
  database: Queryable,
  isAfter: (a: Checkpoint, b: Checkpoint) => boolean,
  projector: string,
): ReadModels => {
  let looking: Promise<Checkpoint | null> | null = null

  const look = async (): Promise<Checkpoint | null> => {
    try {
      const [row] = await database.query<{ passed: Checkpoint | null }>(PASSED, [projector], 'read_model_passed')
      return row?.passed ?? null
    } catch {
      return null
    }
  }
  /** Shared by all that wait; it has not begun yet when it is asked for, so it sees what was there then. */
  const nextLook = (): Promise<Checkpoint | null> =>
    (looking ??= pause(LOOK_EVERY_MS).then(() => {
      looking = null
      return look()
    }))

  return {
    passed: async (checkpoint, timeoutMs) => {
      const over = new AbortController()
      const isThere = (passed: Checkpoint | null) => passed !== null && !isAfter(checkpoint, passed)
      const watch = async (): Promise<boolean> => {
        for (let passed = await look(); !over.signal.aborted; passed = await nextLook())
          if (isThere(passed)) return true
        return false
      }
      // Also where the database says nothing at all.
      const late = pause(timeoutMs, false, { signal: over.signal }).catch(() => false)
      return Promise.race([watch(), late]).finally(() => over.abort())
    },
  }
}
