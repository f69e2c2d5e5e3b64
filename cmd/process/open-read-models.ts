// Tests: tests/integration/roles/search-standby.test.ts
/**
 * Reports the position of the read models, so that callers can wait until they have passed a checkpoint. The position comes from the
 * projector if it runs in this process, else from the checkpoint that another process writes.
 */
import type { Database } from '../../adapters/database/database.ts'
import { followReadModels } from '../../adapters/postgres/ops/read-model-progress.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import type { Checkpoint, EventStore, ReadModelsHere } from '../../domain/ports.ts'
import { projectors } from '../../projections/all.ts'
import type { MainSettings } from '../../projections/main.ts'
import type { Projector } from '../../projections/engine/projector.ts'
import type { ProjectorState } from '../../projections/engine/status.ts'
import { createSchema } from '../../projections/engine/schema.ts'

/** The projector that responses and deliveries wait for. */
const AWAITED = 'main'

export interface ReadModelsOfProcess extends ReadModelsHere {
  /** Uses the projector of this process as the source while it is active. */
  projectedBy(name: string, projector: Projector): void
  /** Why a projector of this process has stopped or waits; null if all are running. */
  failure(): string | null
  /** Whether a projector of this process has stopped after a failure that is no outage. */
  isStopped(): boolean
}

/** Creates missing tables, so that queries work immediately. */
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
  let toShow: Checkpoint | null = null
  const passed = (checkpoint: Checkpoint, timeoutMs: number): Promise<boolean> => {
    const awaited = here.get(AWAITED)
    return (awaited?.isRunning() ? awaited : elsewhere).passed(checkpoint, timeoutMs)
  }
  return {
    projectedBy: (name, projector) => void here.set(name, projector),
    failure: () => inState('away', 'stopped')?.reason ?? null,
    isStopped: () => inState('stopped') !== undefined,
    passed,
    mustShow: (checkpoint) => {
      if (toShow === null || isAfter(checkpoint, toShow)) toShow = checkpoint
    },
    shown: async (timeoutMs) => {
      const upTo = toShow
      if (upTo === null) return
      // The known position is forgotten, so that later reads compare nothing.
      if ((await passed(upTo, timeoutMs)) && toShow === upTo) toShow = null
    },
  }
}
