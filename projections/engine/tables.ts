// Tests: tests/integration/projections/projector.test.ts
/**
 * The port of the runner and of replay to the database that holds the read models.
 * `adapters/postgres/ops/read-models.ts` implements it.
 */
import type { SqlStatement } from './sql.ts'

export interface Statements {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>
}

export interface ReadModelTables extends Statements {
  /**
   * Runs all statements in order in one transaction, sent without waiting for each. A crash may lose the newest of
   * these transactions, each as a whole: their events are read again.
   * @param claim  runs first; if it touches no row, nothing happens
   * @returns whether the claim touched a row
   */
  commit(claim: SqlStatement, statements: readonly SqlStatement[]): Promise<boolean>
  /** Runs all statements in order in one transaction that is rolled back. @throws if the database refuses one of them */
  attempt(statements: readonly SqlStatement[]): Promise<void>
  /** All or nothing, and durable. */
  transaction<Result>(work: (transaction: Statements) => Promise<Result>): Promise<Result>
  /** Whether the error means that the database did not answer, rather than that it refused. */
  isAway(error: unknown): boolean
  /** Whether the database refused the data of a statement, so that the same data is refused again. */
  isRefusal(error: unknown): boolean
}
