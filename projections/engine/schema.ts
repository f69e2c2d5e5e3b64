// Tests: tests/integration/projections/replay.test.ts
/** Creates and drops whole schemas of read models. */
import { checkpointDdl } from './checkpoint.ts'
import type { Definition } from './definition.ts'
import type { ReadModelTables, Statements } from './tables.ts'
import { ddl, functionsDdl, versionOf } from './sql.ts'

/** The schema in which a replay builds. */
export const nextSchema = ({ schema }: Definition): string => `${schema}_next`
/** The schema that was live, until it is dropped. */
export const oldSchema = ({ schema }: Definition): string => `${schema}_old`

/** A lock of the transaction: only one process creates the schema at a time. */
const ONE_AT_A_TIME = `SELECT pg_advisory_xact_lock(hashtext('baoco read models'))`

/** An administrator may have put an extension into a schema of its own. Its names have no schema in the definitions. */
const FIND_ITS_NAMES = `
  SELECT set_config('search_path', current_setting('search_path') || ', ' || quote_ident(n.nspname), true)
  FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = $1`

/**
 * Readers hold their tables only for moments. A drop that waited longer than this for them would make other readers
 * wait.
 */
const DROP_WAIT = '300ms'
const DROP_TRIES = 200
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

/**
 * Creates empty tables and a checkpoint before the first event. Nothing happens if the schema exists.
 * @param schema  the definition's own, or another one to build in
 */
export const createSchema = async (
  tables: ReadModelTables,
  definition: Definition,
  schema = definition.schema,
): Promise<void> => {
  await tables.transaction(async (transaction) => {
    await transaction.query(ONE_AT_A_TIME)
    const [found] = await transaction.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
    if (found) return
    for (const extension of definition.extensions ?? []) {
      await transaction.query(`CREATE EXTENSION IF NOT EXISTS ${extension}`)
      await transaction.query(FIND_ITS_NAMES, [extension])
    }
    await transaction.query(`CREATE SCHEMA ${schema}; ${ddl(schema, definition)}; ${checkpointDdl(schema)}`)
    await transaction.query(`INSERT INTO ${schema}.checkpoint (projector, version) VALUES ($1, $2)`, [
      definition.projector,
      versionOf(definition),
    ])
  })
}

export const isThere = async (database: Statements, schema: string): Promise<boolean> =>
  (await database.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])).length > 0

/** SQL that renames a schema, and its functions, which contain the schema's name. It must run in a transaction. */
export const renaming = (definition: Definition, schema: string, to: string): string =>
  `ALTER SCHEMA ${schema} RENAME TO ${to}; ${functionsDdl(to, definition)}`

/** Waits for readers of its tables only in short turns, so that no other reader waits long for the drop. */
export const dropSchema = async (tables: ReadModelTables, schema: string): Promise<void> => {
  for (let tries = 1; ; tries++) {
    try {
      return await tables.transaction(async (transaction) => {
        await transaction.query(`SET LOCAL lock_timeout = '${DROP_WAIT}'`)
        await transaction.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      })
    } catch (error) {
      const { code } = error as { code?: string }
      if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || tries === DROP_TRIES) throw error
    }
  }
}
