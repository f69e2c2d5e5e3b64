/**
 * How far the read models are, for who waits until they have passed a place: told by the projector where it runs in this
 * process, and else by its checkpoint, which another process moves.
 */
import type { Database } from '../../adapters/database/database.ts'
import { followReadModels } from '../../adapters/postgres/ops/read-model-progress.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import type { EventStore, ReadModels } from '../../domain/ports.ts'
import { projectors } from '../../projections/all.ts'
import type { MainSettings } from '../../projections/main.ts'
import type { Projector, ProjectorState } from '../../projections/engine/projector.ts'
import { createSchema } from '../../projections/engine/schema.ts'

/** What an answer or a delivery waits for. */
const AWAITED = 'main'

export interface ReadModelsOfProcess extends ReadModels {
  /** Uses the projector of this process as the source while it is active. */
  projectedBy(name: string, projector: Projector): void
  /** Why a projector of this process does not go on; null where all do. */
  trouble(): string | null
  /** They will not come further: a projector of this process met an event that cannot be applied. */
  isStopped(): boolean
}

/** Makes the tables where there are none, so that they can be asked at once. */
export const openReadModels = async (
  database: Database,
  isAfter: EventStore['isAfter'],
  settings: MainSettings,
): Promise<ReadModelsOfProcess> => {
  const tables = openReadModelTables(database)
  for (const definition of projectors(settings)) await createSchema(tables, definition)
  const elsewhere = followReadModels(database, isAfter, AWAITED)
  const here = new Map<string, Projector>()
  const inState = (...states: ProjectorState[]) =>
    [...here.values()].map((each) => each.health()).find(({ state }) => states.includes(state))
  return {
    projectedBy: (name, projector) => void here.set(name, projector),
    trouble: () => inState('away', 'stopped')?.reason ?? null,
    isStopped: () => inState('stopped') !== undefined,
    passed: (checkpoint, timeoutMs) => {
      const awaited = here.get(AWAITED)
      return (awaited?.isRunning() ? awaited : elsewhere).passed(checkpoint, timeoutMs)
    },
  }
}
