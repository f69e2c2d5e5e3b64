/** One pool to one Postgres database; the only place that knows the driver. */
import pg from 'pg'
import type { Queryable } from '../../projections/engine/queryable.ts'
import { awakeNow } from '../system/awake.ts'

export type { Queryable, Row } from '../../projections/engine/queryable.ts'

// Ids and counts are ints below 2^53; money stays text (numeric is never parsed); times come back as ISO 8601 UTC.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => {
  // `2026-01-05 02:30:00.123+00`, as nearly all are, needs no calendar.
  const isUtcToTheMillisecond = text.length === 26 && text[10] === ' ' && text.endsWith('+00')
  return isUtcToTheMillisecond ? `${text.slice(0, 10)}T${text.slice(11, 23)}Z` : new Date(text).toISOString()
})

/**
 * What a session begins with whose statements, prepared once, reach rows by key from a few arrays: a plan that was made while
 * the tables were small, and reads them whole, would stay for as long as the connection.
 */
export const BY_KEY = `SET plan_cache_mode = force_generic_plan; SET jit = off;
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`

export interface Database extends Queryable {
  /** All of it or nothing; the connection goes back to the pool. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>
  /**
   * A connection of its own, for LISTEN or a purpose of its own; the caller ends it.
   * @param options.pipeline  statements go out without waiting for the answers to those before them
   */
  connect(options?: { pipeline?: boolean }): Promise<pg.Client>
  close(): Promise<void>
}

/** The pool's words for a turn that did not come: every connection was busy, which says nothing of the server. */
const NO_TURN = 'timeout exceeded when trying to connect'
const LONGEST_WAIT_MS = 10_000

/** Waits for its turn, while this process runs; a statement whose turn did not come was never sent. */
const inTurn = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
  const since = awakeNow()
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const hadTurn = !(error instanceof Error && error.message === NO_TURN)
      if (hadTurn || awakeNow() - since >= LONGEST_WAIT_MS) throw error
    }
  }
}

const queryable = (client: pg.Pool | pg.PoolClient): Queryable => ({
  query: async <Result extends object>(text: string, values: readonly unknown[] = [], name?: string) => {
    const statement = name ? { text, values: [...values], name } : { text, values: [...values] }
    return (await inTurn(() => client.query(statement))).rows as Result[]
  },
})

/**
 * @param url  `postgres://…`
 * @param poolSize  most connections at a time
 * @param queryTimeoutMs  a query that takes longer fails and its connection is given up; 0: never
 * @param session  settings that every connection of the pool begins with
 */
export const openDatabase = (
  url: string,
  { poolSize = 10, applicationName = 'baoco', queryTimeoutMs = 0, session = '' } = {},
): Database => {
  const config: pg.ClientConfig = {
    connectionString: url,
    application_name: applicationName,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    ...(queryTimeoutMs > 0 && { query_timeout: queryTimeoutMs }),
  }
  const pool = new pg.Pool({
    ...config,
    max: poolSize,
    // For who comes after a rest: connecting, and planning anew, takes longer than what is asked.
    min: 1,
    ...(session && { onConnect: async (client) => void (await client.query(session)) }),
  })
  // A client whose server goes away while it is asked nothing, in the pool or in the middle of a transaction, would
  // otherwise end the process; the next query reports what is wrong.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    ...queryable(pool),
    transaction: async (work) => {
      const client = await inTurn(() => pool.connect())
      try {
        await client.query('BEGIN')
        const result = await work(queryable(client))
        await client.query('COMMIT')
        client.release()
        return result
      } catch (error) {
        await client.query('ROLLBACK').then(
          () => client.release(),
          (broken: Error) => client.release(broken),
        )
        throw error
      }
    },
    connect: async ({ pipeline = false } = {}) => {
      const client = new pg.Client({ ...config, pipeline })
      client.on('error', () => {})
      await client.connect()
      return client
    },
    close: () => pool.end(),
  }
}
