// Tests: tests/integration/projections/replay.test.ts
/**
 * The Postgres features that projections need beyond the pool: a separate connection for the batches, on which a whole
 * transaction is sent at once and answered at once.
 */
import type { Writable } from 'node:stream'
import type pg from 'pg'
import { isOutage } from '../../event-store/postgres/outage.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { BY_KEY } from '../../database/session.ts'

interface Statement {
  name: string
  text: string
  values: readonly unknown[]
}

/** Implements the tables that `projections/engine/tables.ts` requires. */
export interface PostgresReadModelTables {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
  commit(claim: Statement, statements: readonly Statement[]): Promise<boolean>
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>
  attempt(statements: readonly Statement[]): Promise<void>
  isAway(error: unknown): boolean
  isRefusal(error: unknown): boolean
  close(): Promise<void>
}

/** Batches can be repeated after a crash, so commits do not wait for the disk. */
const WRITING_SESSION = `SET synchronous_commit = off; ${BY_KEY}`

/** The error that ends the transaction if the claim changed no row. The following statements are already sent by then. */
const NOTHING_CLAIMED = '22012'
const claiming = (text: string): string =>
  `WITH claimed AS (${text} RETURNING 1) SELECT 1 / count(*)::integer FROM claimed`

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Classes of SQLSTATE that concern the data: data exceptions (22), constraints (23), values too large for an index (54). */
const REFUSALS = new Set(['22', '23', '54'])

/** Sends all messages in one packet. Waking the server for each message costs more than processing most of them. */
const inOnePacket = <Answer>(client: pg.Client, send: () => Answer): Answer => {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

/** @param database  stays open when the tables are closed */
export const openReadModelTables = (database: Database): PostgresReadModelTables => {
  let writing: Promise<pg.Client> | null = null

  const connect = async (): Promise<pg.Client> => {
    const client = await database.connect({ pipeline: true })
    await client.query(WRITING_SESSION)
    return client
  }
  const giveUp = (connection: Promise<pg.Client>): void => {
    if (writing === connection) writing = null
    connection.then((client) => client.end()).catch(() => {})
  }

  return {
    query: (text, values) => database.query(text, values),
    transaction: (work) => database.transaction(work),
    isAway: isOutage,
    isRefusal: (error) => REFUSALS.has(String(codeOf(error)).slice(0, 2)),

    attempt: async (statements) => {
      const client = await database.connect()
      try {
        await client.query('BEGIN')
        for (const { text, values } of statements) await client.query(text, [...values])
      } finally {
        await client.end()
      }
    },

    commit: async (claim, statements) => {
      const connection = (writing ??= connect())
      let client: pg.Client
      try {
        client = await connection
      } catch (error) {
        giveUp(connection)
        throw error
      }
      const answers = inOnePacket(client, () => [
        client.query('BEGIN'),
        client.query({ ...claim, text: claiming(claim.text), values: [...claim.values] }),
        ...statements.map((statement) => client.query({ ...statement, values: [...statement.values] })),
        client.query('COMMIT'),
      ])
      const outcomes = await Promise.allSettled(answers)
      // The first error is the cause. The others only report that the transaction had already failed.
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      if (!failed) return true
      if (codeOf(failed.reason) === NOTHING_CLAIMED && outcomes.indexOf(failed) === 1) return false
      giveUp(connection)
      throw failed.reason
    },

    close: async () => {
      const connection = writing
      writing = null
      await connection?.then((client) => client.end()).catch(() => {})
    },
  }
}
