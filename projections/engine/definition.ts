/**
 * What a read model is made of: a table, and a sentence an event. Handlers are pure functions from one event to
 * statements as data; the runner makes few set-based statements of many of them (`fold.ts`, `sql.ts`).
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
export type Values = Readonly<Record<string, Value | undefined>>

export interface Table {
  name: string
  columns: Readonly<Record<string, ColumnType>>
  /** Columns that name a row. */
  key: readonly string[]
  /** What stands after `ON <table>`: columns, and for a partial index its condition. */
  indexes: readonly string[]
  /** Column that tells when a row has expired: then it is not there for anybody; null in it: never. */
  expiresAt?: string
  /** In parts, each with indexes of its own: all rows with the same value of the column, which is of the key, lie in one. */
  parts?: { by: string; number: number }
}

/** @param indexes  as in `(user_id, created_at DESC)`, with `WHERE …` for a partial one */
export const table = (
  name: string,
  columns: Readonly<Record<string, ColumnType>>,
  { key, indexes = [], ...more }: Pick<Table, 'key' | 'expiresAt' | 'parts'> & { indexes?: readonly string[] },
): Table => ({ name, columns, key, indexes, ...more })

// --- statements ----------------------------------------------------------------------------------------------------

/** A number that only rises: what stands in the row stays where it is higher. */
export interface AtLeast {
  atLeast: number
}
export const atLeast = (number: number): AtLeast => ({ atLeast: number })

export type Changes = Readonly<Record<string, Value | AtLeast>>

/**
 * A set-based change that is more than a row by its key. `sql` reads its values from the relation `v`, one row per value
 * row, and names tables by the schema it is given.
 */
export interface Operation {
  name: string
  values: Readonly<Record<string, ColumnType>>
  sql: (schema: string) => string
  /** True where it touches rows of other streams than its event's: then everything before it is done first. */
  acrossStreams: boolean
  /**
   * True where it needs the batch's events of all streams in their order, and comes to the same after everything else of the
   * batch as in between: then it is done last, and nothing waits for it.
   */
  last?: true
}

export type Statement =
  | { kind: 'insert'; table: Table; row: Values }
  | { kind: 'update'; table: Table; key: Values; set: Changes }
  | { kind: 'remove'; table: Table; key: Values }
  | { kind: 'perform'; operation: Operation; rows: readonly Values[] }

/** A new row; one that is there already is a fault that stops the projector. */
export const insert = (table: Table, row: Values): Statement => ({ kind: 'insert', table, row })
/** Changes a row where it is; without one nothing happens. */
export const update = (table: Table, key: Values, set: Changes): Statement => ({ kind: 'update', table, key, set })
export const remove = (table: Table, key: Values): Statement => ({ kind: 'remove', table, key })
export const perform = (operation: Operation, rows: readonly Values[]): Statement => ({
  kind: 'perform',
  operation,
  rows,
})

/** Removes all rows that a transaction has in a table of which it is not the whole key. */
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

/** One sentence for each event that changes the table; all others pass it by. */
export type Handlers = HandlersOf<Statements>

export interface Projection {
  table: Table
  /** Goes up with every change of what the handlers do: read models of another number are rebuilt. */
  version: number
  operations: readonly Operation[]
  handlers: Handlers
  /** Statements that make the functions of `triggers`, which name the schema: they are made again where it is renamed. */
  functions?: (schema: string) => string
  /** Statements that make what keeps the table by itself, once all tables and functions are there: `count-of.ts`. */
  triggers?: (schema: string) => string
}

/** Nothing of a deleted account stays in any table that says whose a row is; no read model has to think of it. */
export const projection = (
  table: Table,
  { version, operations = [] }: { version: number; operations?: readonly Operation[] },
  handlers: Handlers,
): Projection => {
  if (!('user_id' in table.columns)) return { table, version, operations, handlers }
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
  /** Where its tables are, its checkpoint among them. */
  schema: string
  /** Of Postgres, that its tables need; whoever owns a database may add them. */
  extensions?: readonly string[]
  projections: readonly Projection[]
  /** Streams whose events they are built from. */
  prefixes: readonly string[]
  /** Milliseconds from one batch to the next while nobody waits: many small batches cost more than few large ones. */
  restMs: number
  /** How long a batch gathers while receiving has more to do than it can: milliseconds by which they may be late then. */
  gatheringMs: number
  /** By how much they may be late while delivering has more to do than it can, and nobody waits for them: milliseconds. */
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

/**
 * All that one event does to the read models, in order.
 * @throws {UnreadableEvent}
 */
export const statementsOf = (definition: Definition, event: StoredEvent): readonly Statement[] =>
  isReadable(event) ? handlersFor(definition, event.type).flatMap((handlers) => handle(handlers, event) ?? []) : []
