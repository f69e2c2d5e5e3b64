/**
 * Measures what work costs an installation: database statements, bytes of log written for them, and CPU of Baoco and of Postgres.
 * Statements are the calls that `pg_stat_statements` counts, including BEGIN and COMMIT. The benchmark's own statements use a separate role
 * and are excluded. The costs of an idle installation are measured and subtracted.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { silent } from '../../adapters/telemetry/log-lines.ts'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { attachOrStart } from '../../adapters/postgres/embedded/embedded.ts'
import type { DataFolder } from '../../tests/harness/baoco-process.ts'
import { timesOfAll, timesOf } from './process-times.ts'

const ROLE = 'benchmark'

export interface Costs {
  seconds: number
  statements: number
  walBytes: number
  /** CPU seconds. */
  baoco: number
  postgres: number
}

export interface Meter {
  databaseUrl: string
  /** For the benchmark's own queries, which are not counted. */
  database: Database
  /** The costs of some work, minus the idle costs of the same length. */
  of(work: () => Promise<unknown>): Promise<Costs>
  /** Measures the idle costs that later measurements subtract. @param seconds  how long to measure */
  idle(seconds: number): Promise<Costs>
  /** Calls and total milliseconds (without planning) per statement since the last `of` or `idle` began, most frequent first. */
  byStatement(most: number): Promise<{ calls: number; ms: number; query: string }[]>
  close(): Promise<void>
}

/** Enables the statement counts in an installation's database. Call it before the first use of the database. */
export const countStatements = async (dataFolder: DataFolder): Promise<void> => {
  const { url, stop } = await attachOrStart({ dataDir: dataFolder.dataDir, log: silent })
  const database = openDatabase(url, { poolSize: 1 })
  await database.query('CREATE SCHEMA benchmark')
  await database.query('CREATE EXTENSION pg_stat_statements SCHEMA benchmark')
  await database.query(`CREATE ROLE ${ROLE} SUPERUSER LOGIN PASSWORD '${ROLE}'`)
  await database.query(`ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'`)
  await database.close()
  await stop()
}

const secondsOfServer = (postmaster: number): number => {
  const children = [...timesOfAll().values()].filter(({ parent }) => parent === postmaster)
  return children.reduce((sum, { own }) => sum + own, timesOf(postmaster)?.withEnded ?? Number.NaN)
}

const less = (a: Costs, b: Costs, share = 1): Costs => ({
  seconds: a.seconds,
  statements: a.statements - share * b.statements,
  walBytes: a.walBytes - share * b.walBytes,
  baoco: a.baoco - share * b.baoco,
  postgres: a.postgres - share * b.postgres,
})

const NOTHING: Costs = { seconds: 1, statements: 0, walBytes: 0, baoco: 0, postgres: 0 }

/** @param pids  the process ids of the installation */
export const openMeter = async (dataFolder: DataFolder, pids: readonly number[]): Promise<Meter> => {
  const url = new URL((await attachOrStart({ dataDir: dataFolder.dataDir, log: silent })).url)
  url.username = url.password = ROLE
  const database = openDatabase(url.href, { poolSize: 2 })
  const [backend] = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const postmaster = timesOf(backend!.pid)?.parent ?? 0
  let idle = NOTHING

  const now = async (): Promise<Costs> => {
    const [row] = await database.query<{ statements: number; wal: number }>(
      `SELECT coalesce(sum(calls), 0)::bigint AS statements,
         pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS wal
       FROM benchmark.pg_stat_statements WHERE userid <> (SELECT oid FROM pg_roles WHERE rolname = current_user)`,
    )
    return {
      seconds: performance.now() / 1000,
      statements: row!.statements,
      walBytes: row!.wal,
      baoco: pids.reduce((sum, pid) => sum + (timesOf(pid)?.own ?? Number.NaN), 0),
      postgres: secondsOfServer(postmaster),
    }
  }
  const during = async (work: () => Promise<unknown>): Promise<Costs> => {
    await database.query('SELECT benchmark.pg_stat_statements_reset()')
    const before = await now()
    await work()
    const after = await now()
    return { ...less(after, before), seconds: after.seconds - before.seconds }
  }

  return {
    databaseUrl: url.href,
    database,
    of: async (work) => {
      const costs = await during(work)
      return less(costs, idle, costs.seconds / idle.seconds)
    },
    idle: async (seconds) => (idle = await during(() => pause(seconds * 1000))),
    byStatement: (most) =>
      database.query(
        `SELECT sum(calls)::bigint AS calls, sum(total_exec_time) AS ms, left(regexp_replace(query, '\\s+', ' ', 'g'), 110) AS query
         FROM benchmark.pg_stat_statements WHERE userid <> (SELECT oid FROM pg_roles WHERE rolname = current_user)
         GROUP BY 3 ORDER BY 1 DESC LIMIT $1`,
        [most],
      ),
    close: () => database.close(),
  }
}
