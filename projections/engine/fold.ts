/**
 * Merges many statements into few. The changes of a batch to one row are merged in memory: an insert and its later
 * updates become one insert. So a table needs one statement for all its inserts, one for its removals, and one for each
 * set of columns that is updated.
 *
 * Order matters only within a stream: events of different streams never touch the same rows. So statements are sorted
 * into layers. An operation runs after the rows of its layer. The next statements of its stream go into the layer
 * below; other streams do not wait for it. An operation across streams closes the layers for all streams. Operations
 * are rare, so a batch is nearly always one layer, and the number of its statements does not grow with its events. An
 * operation that must be done last lies below all layers.
 */
import type { AtLeast, Changes, Operation, Row, Statement, Table, Value, Values } from './definition.ts'

/** The combined change of a batch to one row. */
type Pending =
  | { kind: 'insert'; row: Row; /** the row was removed first */ instead: boolean }
  | { kind: 'update'; key: Values; set: Record<string, Value | AtLeast> }
  | { kind: 'remove'; key: Values }
  /** Inserted and removed again. */
  | { kind: 'nothing' }

interface Layer {
  tables: Map<Table, Map<string, Pending>>
  operations: Map<Operation, Values[]>
}

/** One set-based change, ready to be written as SQL. */
export type Change =
  | { kind: 'remove'; table: Table; rows: readonly Values[] }
  | { kind: 'insert'; table: Table; rows: readonly Values[] }
  /** `rows` hold keys and new values. `columns` are the columns that change; `rising` are those of them that only rise. */
  | { kind: 'update'; table: Table; columns: readonly string[]; rising: readonly string[]; rows: readonly Values[] }
  | { kind: 'perform'; operation: Operation; rows: readonly Values[] }

const isAtLeast = (value: Value | AtLeast | undefined): value is AtLeast =>
  typeof value === 'object' && value !== null && 'atLeast' in value

/** The value that a change makes of a known value. */
const applied = (before: Value | undefined, change: Value | AtLeast): Value =>
  isAtLeast(change) ? Math.max(Number(before ?? 0), change.atLeast) : change

/** One change with the same effect as two changes in order. */
const merged = (before: Value | AtLeast | undefined, change: Value | AtLeast): Value | AtLeast => {
  if (before === undefined || !isAtLeast(change)) return change
  if (isAtLeast(before)) return { atLeast: Math.max(before.atLeast, change.atLeast) }
  return applied(before, change)
}

export class Fold {
  readonly #layers: Layer[] = []
  readonly #last = new Map<Operation, Values[]>()
  /** The layer for a stream's next statement, if it is not the uppermost open layer. */
  readonly #layerOf = new Map<string, number>()
  /** Layers above this one are closed for all streams. */
  #uppermost = 0

  /** @param stream  the stream of the event that the statements come from */
  add(stream: string, statements: readonly Statement[]): void {
    for (const statement of statements) {
      if (statement.kind === 'perform') this.#perform(stream, statement.operation, statement.rows)
      else this.#change(this.#layer(this.#depth(stream)), statement)
    }
  }

  /** All added statements, in an order that keeps the order within each row. */
  changes(): Change[] {
    const performed = (operations: Layer['operations']) =>
      [...operations].map(([operation, rows]): Change => ({ kind: 'perform', operation, rows }))
    return [
      ...this.#layers.flatMap(({ tables, operations }) => [
        ...[...tables].flatMap(([table, rows]) => changesOf(table, rows.values())),
        ...performed(operations),
      ]),
      ...performed(this.#last),
    ]
  }

  #depth(stream: string): number {
    return Math.max(this.#uppermost, this.#layerOf.get(stream) ?? 0)
  }

  #layer(depth: number): Layer {
    while (this.#layers.length <= depth) this.#layers.push({ tables: new Map(), operations: new Map() })
    return this.#layers[depth]!
  }

  #perform(stream: string, operation: Operation, rows: readonly Values[]): void {
    if (rows.length === 0) return
    if (operation.last) return addTo(this.#last, operation, rows)
    const depth = operation.acrossStreams ? this.#belowAll(operation) : this.#depth(stream)
    addTo(this.#layer(depth).operations, operation, rows)
    if (operation.acrossStreams) this.#uppermost = depth + 1
    else this.#layerOf.set(stream, depth + 1)
  }

  /**
   * The layer below everything. If no other operation came after the last one of the same kind, its own layer is used
   * again.
   */
  #belowAll(operation: Operation): number {
    const lowest = Math.max(0, this.#layers.length - 1)
    const there = [...(this.#layers[lowest]?.operations.keys() ?? [])]
    return there.includes(operation) && there.at(-1) !== operation ? lowest + 1 : lowest
  }

  #change({ tables }: Layer, statement: Exclude<Statement, { kind: 'perform' }>): void {
    const { table } = statement
    let rows = tables.get(table)
    if (!rows) tables.set(table, (rows = new Map()))
    const values = statement.kind === 'insert' ? statement.row : statement.key
    const name =
      table.key.length === 1 ? String(values[table.key[0]!]) : table.key.map((column) => values[column]).join()
    rows.set(name, next(rows.get(name), statement, name))
  }
}

const addTo = (operations: Layer['operations'], operation: Operation, rows: readonly Values[]): void => {
  const there = operations.get(operation)
  if (there) there.push(...rows)
  else operations.set(operation, [...rows])
}

const next = (
  pending: Pending | undefined,
  statement: Exclude<Statement, { kind: 'perform' }>,
  name: string,
): Pending => {
  switch (statement.kind) {
    case 'insert':
      if (pending?.kind === 'insert' || pending?.kind === 'update')
        throw new Error(`${statement.table.name} ${name} is inserted, but already exists`)
      return { kind: 'insert', row: statement.row, instead: pending?.kind === 'remove' }
    case 'update':
      if (pending?.kind === 'remove' || pending?.kind === 'nothing') return pending
      if (pending?.kind === 'insert') {
        const { row } = pending
        for (const [column, change] of Object.entries(statement.set)) row[column] = applied(row[column], change)
        return pending
      }
      return { kind: 'update', key: statement.key, set: together(pending?.set, statement.set) }
    case 'remove':
      if (pending?.kind === 'insert' && !pending.instead) return { kind: 'nothing' }
      return { kind: 'remove', key: statement.key }
  }
}

const together = (before: Changes | undefined, set: Changes): Record<string, Value | AtLeast> => {
  const both: Record<string, Value | AtLeast> = { ...before }
  for (const [column, change] of Object.entries(set)) both[column] = merged(both[column], change)
  return both
}

const changesOf = (table: Table, rows: Iterable<Pending>): Change[] => {
  const removed: Values[] = []
  const inserted: Values[] = []
  const updated = new Map<string, { columns: string[]; rising: string[]; rows: Values[] }>()
  for (const pending of rows) {
    if (pending.kind === 'insert') {
      inserted.push(pending.row)
      if (pending.instead) removed.push(pending.row)
    } else if (pending.kind === 'remove') removed.push(pending.key)
    else if (pending.kind === 'update') {
      const columns = Object.keys(pending.set).sort()
      const rising = columns.filter((column) => isAtLeast(pending.set[column]))
      const shape = `${columns.join()}|${rising.join()}`
      let alike = updated.get(shape)
      if (!alike) updated.set(shape, (alike = { columns, rising, rows: [] }))
      const row: Row = { ...pending.key }
      for (const column of columns) {
        const change = pending.set[column]!
        row[column] = isAtLeast(change) ? change.atLeast : change
      }
      alike.rows.push(row)
    }
  }
  return [
    ...(removed.length > 0 ? [{ kind: 'remove', table, rows: removed } as const] : []),
    ...(inserted.length > 0 ? [{ kind: 'insert', table, rows: inserted } as const] : []),
    ...[...updated.values()].map((alike) => ({ kind: 'update', table, ...alike }) as const),
  ]
}
