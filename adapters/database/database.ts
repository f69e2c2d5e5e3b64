// Tests: tests/integration/adapters/database.test.ts
/** One pool to one Postgres database. Only this file uses the driver. */
import pg from 'pg'
import type { Queryable } from '../../projections/engine/queryable.ts'
import { awakeNow } from '../system/awake.ts'
import { forDriver } from './driver-url.ts'
import { fairShares, type SharedDatabase, type Shares } from './fair-shares.ts'
import { sessionBeginner } from './session.ts'
import { LOOK_EVERY_MS, watchConnections } from './silent-connections.ts'
import { withStrictSslMode } from './ssl-mode.ts'

export type { Queryable } from '../../projections/engine/queryable.ts'

// Ids and counts are integers below 2^53. Money stays text (numeric is never parsed). Times are returned as ISO 8601 UTC.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => {
  // A fast path for text such as `2026-01-05 02:30:00.123+00`, which is nearly every value: no date parsing.
  const isUtcToTheMillisecond = text.length === 26 && text[10] === ' ' && text.endsWith('+00')
  return isUtcToTheMillisecond ? `${text.slice(0, 10)}T${text.slice(11, 23)}Z` : new Date(text).toISOString()
})

export interface Database extends Queryable {
  /** The same pool. A query that takes longer than this (milliseconds) fails, and its connection is given up. */
  within(milliseconds: number): Queryable
  /** The same for a part of the pool. Queries wait as long for their turn. */
  sharedWithin(milliseconds: number, shares: Shares): SharedDatabase
  /** Commits all of the work or none of it, then returns the connection to the pool. */
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>
  /**
   * A separate connection, for LISTEN or another special purpose. The caller ends it.
   * @param options.pipeline  statements are sent without waiting for the answers to earlier ones
   */
  connect(options?: { pipeline?: boolean }): Promise<pg.Client>
  close(): Promise<void>
}

/** Milliseconds after which the system asks an idle connection for a sign of life. Its default is two hours. */
const SIGN_OF_LIFE_MS = 10_000

/** The pool's error message when every connection was busy for too long. It does not mean that the server is down. */
const NO_TURN = 'timeout exceeded when trying to connect'
const LONGEST_WAIT_MS = 10_000

/**
 * Waits for a free connection, counting only time while this process runs. Retrying is safe, because a statement that got no
 * connection was never sent.
 */
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

/** The server has become a standby, which refuses every write. A new connection may lead to the primary. */
const isReadOnly = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '25006'

const unchecked = async (_connection: Queryable): Promise<void> => {}

const queryable = (client: pg.Pool | pg.ClientBase, timeoutMs = 0): Queryable => ({
  query: async <Result extends object>(text: string, values: readonly unknown[] = [], name?: string) => {
    const statement = {
      text,
      values: [...values],
      ...(name && { name }),
      ...(timeoutMs > 0 && { query_timeout: timeoutMs }),
    }
    return (await inTurn(() => client.query(statement))).rows as Result[]
  },
})

/**
 * @param url  `postgres://…`
 * @param poolSize  the largest number of connections at a time
 * @param kept  the number of connections that stay open without work
 * @param queryTimeoutMs  a query that takes longer fails and its connection is given up; 0 means no limit
 * @param session  settings for every new connection of the pool, in addition to those with which every session begins
 * @param checked  runs on every new connection before it is used; the connection is given up if it fails
 * @param lookEveryMs  how often connections that wait for an answer are watched. Only tests change it.
 */
export const openDatabase = (
  url: string,
  {
    poolSize = 10,
    kept = 1,
    applicationName = 'baoco',
    queryTimeoutMs = 0,
    session = '',
    checked = unchecked,
    lookEveryMs = LOOK_EVERY_MS,
  } = {},
): Database => {
  const config: pg.ClientConfig = {
    connectionString: withStrictSslMode(forDriver(url)),
    application_name: applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: SIGN_OF_LIFE_MS,
    connectionTimeoutMillis: 5_000,
    ...(queryTimeoutMs > 0 && { query_timeout: queryTimeoutMs }),
  }
  const open = async (more: { pipeline?: boolean } = {}): Promise<pg.Client> => {
    const client = new pg.Client({ ...config, ...more })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const beginSession = sessionBeginner(open)
  const watch = watchConnections(open, lookEveryMs)
  const begin = async (client: pg.ClientBase): Promise<void> => watch(client, await beginSession(client))
  const pool = new pg.Pool({
    ...config,
    max: poolSize,
    // Callers after an idle period need one: connecting and planning again takes longer than the query itself.
    min: kept,
    onConnect: async (client) => {
      await begin(client)
      if (session) await client.query(session)
      await checked(queryable(client))
    },
  })
  // An idle client whose server goes away, in the pool or in the middle of a transaction, would otherwise end the process.
  // The next query reports the error.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    ...queryable(pool),
    within: (milliseconds) => queryable(pool, milliseconds),
    sharedWithin: (milliseconds, shares) =>
      fairShares(queryable(pool, milliseconds), shares, milliseconds, () => new Error(NO_TURN)),
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
          () => client.release(isReadOnly(error)),
          (broken: Error) => client.release(broken),
        )
        throw error
      }
    },
    connect: async ({ pipeline = false } = {}) => {
      const client = await open({ pipeline })
      const prepare = async (): Promise<void> => {
        await begin(client)
        await checked(queryable(client))
      }
      await prepare().catch(async (error: unknown) => {
        await client.end().catch(() => {})
        throw error
      })
      return client
    },
    close: () => pool.end(),
  }
}
