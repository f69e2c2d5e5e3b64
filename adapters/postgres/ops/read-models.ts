/**
 * What projections need of Postgres beyond the pool: a connection of its own for the batches, on which a whole transaction
 * goes out at once and is answered at once.
 */
import type { Writable } from 'node:stream'
import type pg from 'pg'
import { isOutage } from '../../event-store/postgres/outage.ts'
import { BY_KEY, type Database, type Queryable } from '../../database/database.ts'

interface Statement {
  name: string
  text: string
  values: readonly unknown[]
}

/** See `projections/engine/tables.ts`, whose needs this meets. */
export interface PostgresReadModelTables {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
  commit(claim: Statement, statements: readonly Statement[]): Promise<boolean>
  transaction<Result>(work: (transaction: Queryable) => Promise<Result>): Promise<Result>
  isAway(error: unknown): boolean
  close(): Promise<void>
}

/** Batches need not survive a crash, so commits do not wait for the disk. */
const WRITING_SESSION = `SET synchronous_commit = off; ${BY_KEY}`

/** What a claim that touched no row ends its transaction with: the statements after it are on their way already. */
const NOTHING_CLAIMED = '22012'
const claiming = (text: string): string =>
  `WITH claimed AS (${text} RETURNING 1) SELECT 1 / count(*)::integer FROM claimed`

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Waking the server for every message costs more than most of the messages themselves. */
const inOnePacket = <Answer>(client: pg.Client, send: () => Answer): Answer => {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection
  stream.cork()
  try {
    return send()
  } finally {
    stream.uncork()
  }
}

/** @param database  not closed with it */
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
      // The first is the reason; the others only say that the transaction had failed by then.
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
