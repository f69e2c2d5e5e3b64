/** The lag of read models that this process does not project: from their checkpoint and the end of the store. */
import { decidedAt } from '../../domain/parse-event.ts'
import type { EventStore } from '../../domain/ports.ts'
import type { Definition } from './definition.ts'
import type { Queryable } from './queryable.ts'

interface Progress {
  passed: string | null
  /** When the last applied event was decided. */
  updated_at: string | null
}

export const progressOf = async (
  database: Queryable,
  { schema, projector }: Pick<Definition, 'schema' | 'projector'>,
): Promise<Progress> =>
  (
    await database.query<Progress>(`SELECT passed, updated_at FROM ${schema}.checkpoint WHERE projector = $1`, [
      projector,
    ])
  )[0] ?? { passed: null, updated_at: null }

/** @returns milliseconds since the last applied event, or since the first event if none was applied, while more events wait; 0 when up to date */
export const projectionLag = async (
  database: Queryable,
  store: Pick<EventStore, 'end' | 'isAfter' | 'readAll'>,
  definition: Pick<Definition, 'schema' | 'projector'>,
  now: Date,
): Promise<number> => {
  const [{ passed, updated_at }, end] = await Promise.all([progressOf(database, definition), store.end()])
  if (end === null || (passed !== null && !store.isAfter(end, passed))) return 0
  const since = updated_at ?? (await store.readAll(passed, 1)).map(decidedAt)[0] ?? null
  return since === null ? 0 : Math.max(0, now.getTime() - Date.parse(since))
}
