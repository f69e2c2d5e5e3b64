/** Events as the store returns them, for tests of the read models. */
import type { StoredEvent } from '../../../domain/parse-event.ts'
import { main } from '../../../projections/main.ts'
import { statementsOf, type Operation, type Statement, type Table } from '../../../projections/engine/definition.ts'

export const AT = '2026-03-01T10:00:00.000Z'
export const MINUTE_LATER = '2026-03-01T10:01:00.000Z'
export const FIFTEEN_MINUTES_LATER = '2026-03-01T10:15:00.000Z'

export const event = (
  type: string,
  data: object,
  { stream = 'transaction-7', revision = 3, at = AT } = {},
): StoredEvent =>
  ({
    id: '00000000-0000-4000-8000-000000000001',
    stream,
    revision,
    checkpoint: '12',
    type,
    data,
    metadata: { user_id: 1, at, correlation_id: 'c', causation_id: 'c', version: 1 },
  }) as StoredEvent

/** A statement in short form: its kind, its table or operation, and its values. */
export const inShort = (statement: Statement): unknown[] => {
  const name = ({ name }: Table | Operation) => name
  switch (statement.kind) {
    case 'insert':
      return ['insert', name(statement.table), statement.row]
    case 'update':
      return ['update', name(statement.table), statement.key, statement.set]
    case 'remove':
      return ['remove', name(statement.table), statement.key]
    case 'perform':
      return ['perform', name(statement.operation), statement.rows]
  }
}

/** The statements of an event for all read models, in short form. */
export const done = (recorded: StoredEvent): unknown[][] => statementsOf(main, recorded).map(inShort)
