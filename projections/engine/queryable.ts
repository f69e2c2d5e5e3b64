// Tests: tests/integration/projections/projector.test.ts
/** The port through which the queries of read models reach the database. */

export type Row = Record<string, unknown>

/** Executes statements: a pool, or one transaction on it. */
export interface Queryable {
  /** @param name  prepares the statement once per connection, for hot paths */
  query<Result extends object = Row>(text: string, values?: readonly unknown[], name?: string): Promise<Result[]>
}
