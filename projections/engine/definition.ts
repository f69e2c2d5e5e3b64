// Tests: tests/unit/projections/engine/sql.test.ts
/**
 * The parts of a read model: a table, and one handler per event type. A handler is a pure function from one event to
 * statements as data. The runner merges many statements into few set-based ones (`fold.ts`, `sql.ts`).
 */
import { handle, type EventType, type Handlers as HandlersOf, type KnownEvent } from '../../domain/catalogue.ts'
import { isReadable, type StoredEvent } from '../../domain/parse-event.ts'

// --- tables --------------------------------------------------------------------------------------------------------

export type ColumnType =
  | 'bigint'
  | 'bigint[]'
  | 'integer'
  | 'smallint'
  | 'smallint[]'
  | 'numeric(20,2)'
  | 'boolean'
  | 'text'
  | 'text[]'
  | 'date'
  | 'timestamptz'

export type Value = string | number | boolean | null | readonly string[] | readonly number[]
/** A new row. A batch writes later changes into it. */
export type Row = Record<string, Value | undefined>
export type Values = Readonly<Row>

export interface Table {
  name: string
  columns: Readonly<Record<string, ColumnType>>
  /** Columns that identify a row. */
  key: readonly string[]
  /** The text after `ON <table>`: the columns, and the condition of a partial index. */
  indexes: readonly string[]
  /** Indexes that were added without a new version. A migration has added them to tables that existed. */
  addedIndexes?: readonly string[]
  /** The column that says when a row expires. An expired row is no longer shown to anybody. null: it never expires. */
  expiresAt?: string
  /** Settings that a column is computed with, by column. Rows keep the values that the setting had when they were written. */
  bySetting?: Readonly<Record<string, string>>
  /**
   * Splits the table into partitions, each with its own indexes. All rows with the same value of the column `by`, which
   * belongs to the key, lie in one partition.
   */
  parts?: { by: string; number: number }
}

/** @param indexes  for example `(user_id, created_at DESC)`, with `WHERE …` for a partial index */
export const table = (
  name: string,
  columns: Readonly<Record<string, ColumnType>>,
  {
    key,
    indexes = [],
    ...more
  }: Pick<Table, 'key' | 'expiresAt' | 'bySetting' | 'parts' | 'addedIndexes'> & { indexes?: readonly string[] },
): Table => ({ name, columns, key, indexes, ...more })

// --- statements ----------------------------------------------------------------------------------------------------

/** A number that only rises: a higher value in the row is kept. */
export interface AtLeast {
  atLeast: number
}
export const atLeast = (number: number): AtLeast => ({ atLeast: number })

export type Changes = Readonly<Record<string, Value | AtLeast>>

/**
 * A set-based change that is more than one row by its key. `sql` reads its values from the relation `v`, which has one
 * row per value row, and prefixes tables with the schema that it receives.
 */
export interface Operation {
  name: string
  values: Readonly<Record<string, ColumnType>>
  sql: (schema: string) => string
  /** True if it touches rows of streams other than its event's stream. Then everything before it is done first. */
  acrossStreams: boolean
  /**
   * True if it needs the events of all streams in the batch in order, and gives the same result after the rest of the
   * batch as in between. Then it is done last, and nothing waits for it.
   */
  last?: true
  /** True if it leaves work behind in the table `Definition.remaining`. */
  leavesWork?: true
}

/** Work that a batch leaves behind: `remaining.ts`. */
export interface Remaining {
  /** Its rows list the work that is left. */
  table: Table
  /** A statement that does a part of it and keeps the table. */
  part: (schema: string) => string
}

export type Statement =
  | { kind: 'insert'; table: Table; row: Row }
  | { kind: 'update'; table: Table; key: Values; set: Changes }
  | { kind: 'remove'; table: Table; key: Values }
  | { kind: 'perform'; operation: Operation; rows: readonly Values[] }

/** Adds a row. If the row already exists, that is an error, and the event's stream is parked. */
export const insert = (table: Table, row: Row): Statement => ({ kind: 'insert', table, row })
/** Changes a row if it exists. Otherwise nothing happens. */
export const update = (table: Table, key: Values, set: Changes): Statement => ({ kind: 'update', table, key, set })
export const remove = (table: Table, key: Values): Statement => ({ kind: 'remove', table, key })
export const perform = (operation: Operation, rows: readonly Values[]): Statement => ({
  kind: 'perform',
  operation,
  rows,
})

/** Removes all rows of a transaction from a table whose key is more than the transaction. */
export const removeOfTransaction = (of: Table): Operation => ({
  name: `remove_${of.name}_of_transaction`,
  values: { transaction_id: 'bigint' },
  sql: (schema) => `DELETE FROM ${schema}.${of.name} t USING v WHERE t.transaction_id = v.transaction_id`,
  acrossStreams: false,
})

/** Removes all rows of a user. */
const removeOfUser = (of: Table): Operation => ({
  name: `remove_${of.name}_of_user`,
  values: { user_id: 'bigint' },
  sql: (schema) => `DELETE FROM ${schema}.${of.name} t USING v WHERE t.user_id = v.user_id`,
  acrossStreams: true,
})

// --- projections ---------------------------------------------------------------------------------------------------

type Statements = Statement | readonly Statement[]

/** One handler for each event type that changes the table. All other events are ignored. */
export type Handlers = HandlersOf<Statements>

export interface Projection {
  table: Table
  /** Must be raised with every change of what the handlers do. Read models with another number are rebuilt. */
  version: number
  operations: readonly Operation[]
  handlers: Handlers
  /**
   * Statements that create the functions of `triggers`. The functions name the schema, so they are created again when
   * it is renamed.
   */
  functions?: (schema: string) => string
  /** Statements that create the triggers which maintain the table, after all tables and functions exist: `counter.ts`. */
  triggers?: (schema: string) => string
}

/**
 * Removes the rows of a deleted account from every table with a `user_id`. So read models need not handle that themselves.
 * @param options.goesWithStreams  the rows are removed by the closing events of their streams, which follow the end of the account. There may
 *   be so many that one statement for all of them would hold up other accounts for seconds.
 */
export const projection = (
  table: Table,
  options: { version: number; operations?: readonly Operation[]; goesWithStreams?: boolean },
  handlers: Handlers,
): Projection => {
  const { version, operations = [], goesWithStreams = false } = options
  if (goesWithStreams || !('user_id' in table.columns)) return { table, version, operations, handlers }
  const removeAll = removeOfUser(table)
  const AccountDeleted = (event: KnownEvent<'AccountDeleted'>) => [
    ...[handlers.AccountDeleted?.(event) ?? []].flat(),
    perform(removeAll, [{ user_id: event.data.user_id }]),
  ]
  return { table, version, operations: [...operations, removeAll], handlers: { ...handlers, AccountDeleted } }
}

/** Read models that share one subscription and one checkpoint. */
export interface Definition {
  projector: string
  /** Rises with every change of the tables or of what the handlers do: `projections/generations.ts`. */
  generation: number
  /** How long the store keeps events of a stream, seconds; null: permanently. */
  keptFor: (stream: string) => number | null
  /** Holds its tables and its checkpoint. */
  schema: string
  /** Postgres extensions that its tables need. The owner of a database may add them. */
  extensions?: readonly string[]
  projections: readonly Projection[]
  remaining?: Remaining
  /** Streams whose events they are built from. */
  prefixes: readonly string[]
  /** Milliseconds between batches while no caller waits: many small batches cost more than few large ones. */
  restMs: number
  /** Whether an event may be held back for a moment, so that it shares a batch with later ones. */
  canWait: (event: StoredEvent) => boolean
  /**
   * How long it is held back at most, milliseconds. In a small batch longer, because that costs nearly as much as a large one. A large one
   * waits too, so that a capture and its result are written at once.
   */
  heldBackMs: { few: number; many: number }
  /** How long a batch is collected while receiving is overloaded. The read models may be late by that many milliseconds. */
  gatheringMs: number
  /** By how many milliseconds they may be late while delivering is overloaded and no caller waits for them. */
  mostLateMs: number
}

/** By definition and type of event: found once, as most events concern few of the tables. */
const handlersOf = new WeakMap<Definition, Map<EventType, readonly Handlers[]>>()

const handlersFor = (definition: Definition, type: EventType): readonly Handlers[] => {
  let byType = handlersOf.get(definition)
  if (!byType) handlersOf.set(definition, (byType = new Map()))
  let found = byType.get(type)
  if (!found) {
    found = definition.projections.map(({ handlers }) => handlers).filter((handlers) => handlers[type])
    byType.set(type, found)
  }
  return found
}

/** Everything that one event does to the read models, in order. */
export const statementsOf = (definition: Definition, event: StoredEvent): readonly Statement[] =>
  isReadable(event) ? handlersFor(definition, event.type).flatMap((handlers) => handle(handlers, event) ?? []) : []
