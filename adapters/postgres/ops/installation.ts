// Tests: tests/integration/roles/recognise.test.ts
/** The installation that a database has served, and the store that contained its events: `ops.installation`. */
import type { Queryable } from '../../database/database.ts'

export type StoreKind = 'postgres' | 'eventstoredb'

export interface Served {
  installation_id: string
  event_store: StoreKind
}

const SERVED = 'SELECT installation_id, event_store FROM ops.installation'

/** @returns null for a database that has not served any installation */
export const servedBy = async (database: Queryable): Promise<Served | null> =>
  (await database.query<Served>(SERVED))[0] ?? null

/** Records the installation if none is recorded. @returns the recorded one */
export const serve = async (database: Queryable, { installation_id, event_store }: Served): Promise<Served> => {
  await database.query(
    'INSERT INTO ops.installation (installation_id, event_store) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [installation_id, event_store],
  )
  return (await servedBy(database))!
}

/** Records that the events were moved to another store. From now on, a start with that store is correct. */
export const eventsMoved = async (database: Queryable, { installation_id, event_store }: Served): Promise<void> => {
  await database.query(
    `INSERT INTO ops.installation (installation_id, event_store) VALUES ($1, $2)
      ON CONFLICT (only_row) DO UPDATE SET installation_id = excluded.installation_id, event_store = excluded.event_store`,
    [installation_id, event_store],
  )
}

/** Records the public address of a process that serves the API. */
export const serveAt = async (database: Queryable, baseUrl: string): Promise<void> => {
  await database.query('UPDATE ops.installation SET base_url = $1 WHERE base_url IS DISTINCT FROM $1', [baseUrl])
}

/** The public address of the process that last served the API; null if none has recorded it. */
export const servedAddress = async (database: Queryable): Promise<string | null> => {
  const [row] = await database.query<{ base_url: string | null }>('SELECT base_url FROM ops.installation')
  return row?.base_url ?? null
}

/** The id of the vault key with which the process seals that started last; null if none has recorded it. */
export const sealingKey = async (database: Queryable): Promise<string | null> => {
  const [row] = await database.query<{ vault_key: string | null }>('SELECT vault_key FROM ops.installation')
  return row?.vault_key ?? null
}

/** Records the key of a process that starts. @returns false if another process has changed the record meanwhile */
export const recordSealingKey = async (
  database: Queryable,
  { before, now }: { before: string | null; now: string },
): Promise<boolean> => {
  const changed = await database.query(
    'UPDATE ops.installation SET vault_key = $2 WHERE vault_key IS NOT DISTINCT FROM $1 RETURNING 1',
    [before, now],
  )
  return changed.length > 0
}
