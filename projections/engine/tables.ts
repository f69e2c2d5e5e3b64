/** What the runner and replay ask of the database that holds the read models; `adapters/postgres/ops/read-models.ts` gives it. */
import type { SqlStatement } from './sql.ts'

export interface Statements {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

export interface ReadModelTables extends Statements {
  /**
   * All statements in order in one transaction, sent without waiting for each. A crash may lose the newest of these
   * transactions, each as a whole: their events are read again.
   * @param claim  runs first; where it touches no row nothing happens
   * @returns whether the claim touched a row
   */
  commit(claim: SqlStatement, statements: readonly SqlStatement[]): Promise<boolean>
  /** All of it or nothing, and durable. */
  transaction<Result>(work: (transaction: Statements) => Promise<Result>): Promise<Result>
  /** Whether an error says that the database did not answer, rather than that it refused. */
  isAway(error: unknown): boolean
}

/** One wide line per thing that happened. */
export interface Lines {
  info(fields: object, what: string): void
  warn(fields: object, what: string): void
  error(fields: object, what: string): void
}
