// Tests: tests/integration/projections/projector.test.ts
/**
 * Applies events to the tables of one schema. Each batch and its checkpoint are written in one transaction. If the database refuses the
 * data of a batch, the batch is applied in halves, down to the event that it refuses. That event parks its stream (`parking.ts`).
 */
import { decidedAt, type StoredEvent } from '../../domain/parse-event.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
import { PARKED_STREAM } from '../../domain/parked/events.ts'
import type { Resolutions } from '../../domain/parked/resolutions.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { readResolutions } from '../../workflows/parked/store-with-skips.ts'
import { lastPositionIn, storePositionOf, type StorePosition } from '../../workflows/support/store-position.ts'
import { moveOn, stay } from './checkpoint.ts'
import { statementsOf, type Definition, type Statement } from './definition.ts'
import { Fold } from './fold.ts'
import type { ParkedStream } from './parked-table.ts'
import { parkingStatements, nameOf, planOf, refusedBecause, type Cause, type Plan } from './parking.ts'
import { isLeft as isWorkLeft, partOf } from './remaining.ts'
import type { ReadModelTables } from './tables.ts'
import { SqlWriter, versionOf, type SqlStatement } from './sql.ts'

/** Another process has moved the checkpoint. */
export class Overtaken extends Error {
  override name = 'Overtaken'
  constructor() {
    super('another process has moved the checkpoint of these read models')
  }
}

/** A failure of one of our own handlers, whatever its error looks like. Waiting does not make it go away. */
class HandlerFailed extends Error {
  override name = 'HandlerFailed'
  constructor(cause: unknown) {
    super((cause as Error).message, { cause })
  }
}

export interface ApplierOptions {
  store: Pick<EventStore, 'read' | 'isAfter'>
  tables: ReadModelTables
  definition: Definition
  schema: string
  /** The last event applied. */
  anchor: StorePosition | null
  /** A stream was parked, at this event. */
  onParked?: (parked: ParkedStream) => void
}

export const openApplier = (options: ApplierOptions) => {
  const allRefused = new Map<string, Cause>()
  let known: Promise<{ parked: Map<string, ParkedStream>; resolutions: Resolutions }> | null = null
  /** Whether work is left; null if that is not known. */
  let mayBeLeft: boolean | null = null
  const { store, tables, definition, schema, onParked } = options
  const { projector } = definition
  const version = versionOf(definition)
  const writer = new SqlWriter(schema)
  /** The last event applied. */
  let anchor = options.anchor

  /**
   * Applies a batch. Events of parked streams wait.
   * @param passed  how far the store has been read, this batch included
   * @throws {Overtaken} · {StoreUnavailable} · any error of the database that the data of one event does not explain
   */
  const apply = async (events: readonly StoredEvent[], passed: Checkpoint): Promise<void> => {
    const isDecision = ({ stream }: StoredEvent): boolean => stream === PARKED_STREAM
    const decision = events.findIndex((event, index) => index > 0 && isDecision(event))
    if (decision > 0) return applyFrom(decision, events, passed)
    // Events that waited for a decision are older than events whose work may be left.
    if (events[0] && isDecision(events[0])) await finish()
    const last = lastPositionIn(events)
    const to = last ? storePositionOf(last) : anchor
    const { parked, resolutions } = await readParking()
    const plan = await planOf(events, { store, projector, parked, resolutions, refused: allRefused })
    try {
      const claim = claimStatement(to, passed, events)
      if (!(await tables.commit(claim, handled(plan)))) throw new Overtaken()
    } catch (error) {
      if (!isRefusal(error) || plan.events.length === 0) throw error
      if (events.length > 1) return applyFrom(events.length >> 1, events, passed)
      const refused = await firstRefused(plan.events)
      allRefused.set(nameOf(refused.event), refusedBecause(reasonOf(refused.error)))
      return apply(events, passed)
    }
    anchor = to
    for (const [stream, row] of plan.changes) {
      if (row) parked.set(stream, row)
      else parked.delete(stream)
      if (row) onParked?.(row)
    }
  }

  /** Whether batches have left work behind. */
  const isLeft = async (): Promise<boolean> => (mayBeLeft ??= await isWorkLeft(tables, definition, schema))

  /** Does a part of it. @throws {Overtaken} · as `apply` */
  const part = async (): Promise<void> => {
    const claim = stay(schema, { projector, version }, anchor)
    if (!(await tables.commit(claim, [partOf(definition, schema)]))) throw new Overtaken()
    mayBeLeft = null
  }

  /** Does all of it. @throws {Overtaken} · as `apply` */
  const finish = async (): Promise<void> => {
    while (await isLeft()) await part()
  }

  /** The statements that events result in. */
  const statements = (events: readonly StoredEvent[], changes: Plan['changes'] = new Map()): SqlStatement[] => {
    const fold = new Fold()
    for (const event of events) fold.add(event.stream, statementsOf(definition, event))
    const parking: Statement[] = parkingStatements(changes)
    fold.add('', parking)
    const folded = fold.changes()
    if (folded.some((change) => change.kind === 'perform' && change.operation.leavesWork)) mayBeLeft = null
    return folded.map((change) => writer.write(change))
  }

  /** Applies the events before an index, and then those from there on. */
  const applyFrom = async (index: number, events: readonly StoredEvent[], passed: Checkpoint): Promise<void> => {
    const before = events.slice(0, index)
    await apply(before, before.at(-1)!.checkpoint)
    return apply(events.slice(index), passed)
  }

  /** The first event that makes the database refuse the events up to it. There are several if they waited for a decision. */
  const firstRefused = async (events: readonly KnownEvent[]): Promise<{ event: KnownEvent; error: unknown }> => {
    let good = 0
    let bad = events.length
    let error = await refusalOf(events)
    while (bad - good > 1) {
      const middle = (good + bad) >> 1
      const refusal = await refusalOf(events.slice(0, middle))
      if (refusal === null) good = middle
      else [bad, error] = [middle, refusal]
    }
    return { event: events[bad - 1]!, error }
  }

  /** Tries the events without keeping anything. @returns null if the database accepts them */
  const refusalOf = async (events: readonly KnownEvent[]): Promise<unknown> => {
    try {
      await tables.attempt(handled({ events, changes: new Map() }))
      return null
    } catch (error) {
      if (isRefusal(error)) return error
      throw error
    }
  }

  const handled = ({ events, changes }: Plan): SqlStatement[] => {
    try {
      return statements(events, changes)
    } catch (error) {
      throw new HandlerFailed(error)
    }
  }

  const isRefusal = (error: unknown): boolean => error instanceof HandlerFailed || tables.isRefusal(error)

  const claimStatement = (
    to: StorePosition | null,
    passed: Checkpoint,
    events: readonly StoredEvent[],
  ): SqlStatement => {
    const at = events.reduce<string | null>((newest, event) => decidedAt(event) ?? newest, null)
    return moveOn(schema, { projector, version }, anchor, to, { passed, at })
  }

  /** The parked streams, and the operator's decisions, as they are when this applier starts. An applier is not used again after a failure. */
  const readParking = () => (known ??= load())

  const load = async () => {
    const [rows, resolutions] = await Promise.all([
      tables.query<ParkedStream>(`SELECT * FROM ${schema}.parked`),
      readResolutions(store),
    ])
    return { parked: new Map(rows.map((row) => [row.stream, row])), resolutions }
  }

  return { anchor: () => anchor, apply, isLeft, part, finish, statements }
}

export type Applier = ReturnType<typeof openApplier>

/** Without the server's message, which may quote personal data. */
const reasonOf = (error: unknown): string => {
  if (error instanceof HandlerFailed) return 'no projection can apply it'
  const { code } = error as { code?: string }
  return `the database refuses its data (SQLSTATE ${code ?? 'unknown'})`
}
