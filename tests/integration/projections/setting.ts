/** Opens a database with an event store and the tables of the read models. */
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openReadModelTables, type PostgresReadModelTables } from '../../../adapters/postgres/ops/read-models.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { isLeft } from '../../../projections/engine/remaining.ts'
import { main } from '../../../projections/main.ts'
import { openProjector, type Projector, type ProjectorOptions } from '../../../projections/engine/projector.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase } from '../../harness/postgres.ts'
import { appendAll, type Decided } from './history.ts'

export interface Running {
  projector: Projector
  /** Ends the projector and waits until it has ended. */
  stop(): Promise<void>
}

export interface Setting {
  url: string
  database: Database
  store: EventStore
  tables: PostgresReadModelTables
  /** The log lines: the name, then the fields. */
  logged: { what: string; fields: Record<string, unknown> }[]
  append(decided: readonly Decided[]): Promise<void>
  start(options?: Partial<ProjectorOptions>): Promise<Running>
  /** Runs a projector until everything in the store has been applied. */
  catchUp(options?: Partial<ProjectorOptions>): Promise<void>
  /** Every row of every table of a schema, in order. */
  rows(schema?: string): Promise<Record<string, unknown[]>>
  close(): Promise<void>
}

/** @param create  the database; by default it has no read models yet */
export const openSetting = async (create = freshDatabase): Promise<Setting> => {
  const { url, drop } = await create()
  const database = openDatabase(url)
  const store = await openPostgresEventStore({ url, parse: parseEvent })
  const tables = openReadModelTables(database)
  const revisions = new Map<string, number>()
  const logged: Setting['logged'] = []
  const line = (fields: object, what: string) => void logged.push({ what, fields: fields as Record<string, unknown> })
  const log = { info: line, warn: line, error: line }
  const running = new Set<Running>()

  const setting: Setting = {
    url,
    database,
    store,
    tables,
    logged,
    append: (decided) => appendAll(store, decided, revisions),
    start: async (options = {}) => {
      const projector = await openProjector({ store, tables, definition: main, log, ...options })
      const stopping = new AbortController()
      const run = projector.run(stopping.signal)
      const started: Running = {
        projector,
        stop: async () => {
          running.delete(started)
          stopping.abort()
          await run
        },
      }
      running.add(started)
      return started
    },
    catchUp: async (options) => {
      const { definition = main } = options ?? {}
      const { projector, stop } = await setting.start(options)
      const end = await store.end()
      if (end !== null && !(await projector.passed(end, 30_000)))
        throw new Error(`not caught up: ${JSON.stringify(projector.health())}`)
      await eventually(async () => !(await isLeft(tables, definition, definition.schema)))
      await stop()
    },
    rows: async (schema = 'read_model') => {
      const all: Record<string, unknown[]> = {}
      for (const { table } of main.projections)
        all[table.name] = await database.query(
          `SELECT * FROM ${schema}.${table.name} ORDER BY ${table.key.map((column) => `"${column}"`).join()}`,
        )
      return all
    },
    close: async () => {
      for (const each of running) await each.stop()
      await tables.close()
      await store.close()
      await database.close()
      await drop()
    },
  }
  return setting
}
