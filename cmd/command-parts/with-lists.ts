// Tests: tests/integration/roles/lists-behind.test.ts
/** For commands that print from the read models. A process with the role `project` fills them, but it may be behind, or not run at all. */
import { isLeased } from '../../adapters/database/lease.ts'
import { followReadModels } from '../../adapters/postgres/ops/read-model-progress.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import { progressOf } from '../../projections/engine/lag.ts'
import { createSchema } from '../../projections/engine/schema.ts'
import { mainWith } from '../../projections/main.ts'
import type { EventStore } from '../../domain/ports.ts'
import type { Database } from '../../adapters/database/database.ts'
import type { Settings } from '../settings/settings.ts'

/** How long the command waits for the read models: milliseconds. */
const PATIENCE_MS = 5_000
/** If no process projects, another one may be about to take over: milliseconds. */
export const TAKEOVER_MS = 2_000

/**
 * Runs the work when the read models have everything that was stored before. If they do not have it in time, the work still runs.
 * The command then says on standard error what is missing, and exits with 1.
 */
export const withLists = async (
  { database, store, settings }: { database: Database; store: EventStore; settings: Settings },
  work: () => Promise<void>,
): Promise<void> => {
  const definition = mainWith(settings)
  const { projector, schema } = definition
  // Queries work even if no process has ever projected.
  await createSchema(openReadModelTables(database), definition)
  const end = await store.end()
  const progress = followReadModels(database, (a, b) => store.isAfter(a, b), projector, schema)
  const within = (await isLeased(database, `projector ${projector}`)) ? PATIENCE_MS : TAKEOVER_MS
  const isLevel = end === null || (await progress.passed(end, within))
  const { updated_at } = await progressOf(database, definition)
  await work()
  if (isLevel) return
  const missing = updated_at === null ? 'everything that was stored' : `what was stored after ${updated_at}`
  console.error(`baoco: the read models are behind, so ${missing} is missing. Start Baoco, or run baoco replay`)
  process.exitCode = 1
}
