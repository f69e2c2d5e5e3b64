// Tests: tests/integration/postgres/usage.test.ts
/** The columns of some rows, as the arrays that `unnest` takes. */
export const columnsOf = <Row, Name extends keyof Row>(rows: readonly Row[], ...names: Name[]): Row[Name][][] =>
  names.map((name) => rows.map((row) => row[name]))
