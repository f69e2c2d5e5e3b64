// Tests: tests/integration/projections/projector.test.ts
/**
 * The progress of read models that another process projects, from the checkpoint that each batch moves. All waiting callers
 * in this process share one query, and there is no query while nobody waits. So there are a few statements a second while
 * commands arrive, one for each round of deliveries, and none when idle.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Checkpoint, ReadModels } from '../../../domain/ports.ts'
import type { Queryable } from '../../database/database.ts'

const LOOK_EVERY_MS = 15

const passedIn = (schema: string): string => `SELECT passed FROM ${schema}.checkpoint WHERE projector = $1`

/** If the database is unavailable, the result is "not passed": callers wait for it as for a projector that is behind. */
export const followReadModels = (
  database: Queryable,
  isAfter: (a: Checkpoint, b: Checkpoint) => boolean,
  projector: string,
  schema = 'read_model',
): ReadModels => {
  let looking: Promise<Checkpoint | null> | null = null

  const look = async (): Promise<Checkpoint | null> => {
    try {
      const [row] = await database.query<{ passed: Checkpoint | null }>(
        passedIn(schema),
        [projector],
        `${schema}_passed`,
      )
      return row?.passed ?? null
    } catch {
      return null
    }
  }
  /**
   * The next query, shared by all waiting callers. It starts only later, so it sees everything that was committed before this
   * call.
   */
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
      // Ends the wait even if the database does not answer at all.
      const late = pause(timeoutMs, false, { signal: over.signal }).catch(() => false)
      return Promise.race([watch(), late]).finally(() => over.abort())
    },
  }
}

/** Until a projector writes its next batch, nothing counts as passed: the positions that it has passed may be gone. */
export const forgetProgress = async (database: Queryable): Promise<void> => {
  for (const schema of ['read_model', 'search_model']) {
    const [found] = await database.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
      `${schema}.checkpoint`,
    ])
    if (found!.there) await database.query(`UPDATE ${schema}.checkpoint SET passed = NULL`)
  }
}
