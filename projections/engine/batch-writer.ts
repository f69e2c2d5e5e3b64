// Tests: tests/integration/projections/projector.test.ts
/**
 * Turns the events of a batch into statements, and finds the event because of which they are refused: a handler fails at it, or the database
 * does not accept its data.
 */
import type { KnownEvent } from '../../domain/catalogue.ts'
import type { StoredEvent } from '../../domain/parse-event.ts'
import { statementsOf, type Definition } from './definition.ts'
import { Fold, type Change } from './fold.ts'
import { parkingStatements, refusedBecause, type Cause, type Plan } from './parking.ts'
import { SqlWriter, type SqlStatement } from './sql.ts'
import type { ReadModelTables } from './tables.ts'

/** A failure of one of our own handlers, whatever its error looks like. Waiting does not make it go away. */
class HandlerFailed extends Error {
  override name = 'HandlerFailed'
  constructor(cause: unknown) {
    super((cause as Error).message, { cause })
  }
}

interface Written {
  statements: SqlStatement[]
  /** Whether the batch may leave work behind (`remaining.ts`). */
  leavesWork: boolean
}

const leavesWork = (change: Change): boolean => change.kind === 'perform' && change.operation.leavesWork === true

export const openBatchWriter = (tables: ReadModelTables, definition: Definition, schema: string) => {
  const writer = new SqlWriter(schema)

  /** @throws {HandlerFailed} */
  const statementsFor = (events: readonly StoredEvent[], parking: Plan['changes'] = new Map()): Written => {
    try {
      const fold = new Fold()
      for (const event of events) fold.add(event.stream, statementsOf(definition, event))
      fold.add('', parkingStatements(parking))
      const changes = fold.changes()
      return { statements: changes.map((change) => writer.write(change)), leavesWork: changes.some(leavesWork) }
    } catch (error) {
      throw new HandlerFailed(error)
    }
  }

  /** Whether an error means that the same events will be refused again. */
  const isRefusal = (error: unknown): boolean => error instanceof HandlerFailed || tables.isRefusal(error)

  /** Tries the events without keeping anything. @returns null if the database accepts them */
  const refusalOf = async (events: readonly KnownEvent[]): Promise<unknown> => {
    try {
      await tables.attempt(statementsFor(events).statements)
      return null
    } catch (error) {
      if (isRefusal(error)) return error
      throw error
    }
  }

  /** The first event that makes the database refuse the events up to it. There are several if they waited for a decision. */
  const firstRefused = async (events: readonly KnownEvent[]): Promise<{ event: KnownEvent; cause: Cause }> => {
    let good = 0
    let bad = events.length
    let error = await refusalOf(events)
    while (bad - good > 1) {
      const middle = (good + bad) >> 1
      const refusal = await refusalOf(events.slice(0, middle))
      if (refusal === null) good = middle
      else [bad, error] = [middle, refusal]
    }
    return { event: events[bad - 1]!, cause: refusedBecause(reasonOf(error)) }
  }

  return { statementsFor, isRefusal, firstRefused }
}

/** Without the server's message, which may quote personal data. */
const reasonOf = (error: unknown): string => {
  if (error instanceof HandlerFailed) return 'no projection can apply it'
  const { code } = error as { code?: string }
  return `the database refuses its data (SQLSTATE ${code ?? 'unknown'})`
}
