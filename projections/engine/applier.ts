// Tests: tests/integration/projections/projector.test.ts
/**
 * Applies events to the tables of one schema. Each batch and its checkpoint are written in one transaction. If the database refuses the
 * data of a batch, the batch is applied in halves, down to the event that it refuses. That event parks its stream (`parking.ts`).
 */
import { decidedAt, type StoredEvent } from '../../domain/parse-event.ts'
import { PARKED_STREAM } from '../../domain/parked/events.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { lastPositionIn, storePositionOf, type StorePosition } from '../../workflows/support/store-position.ts'
import { openBatchWriter } from './batch-writer.ts'
import { moveOn, stay } from './checkpoint.ts'
import type { Definition } from './definition.ts'
import type { ParkedStream } from './parked-table.ts'
import { nameOf, planOf, readParking, type Cause, type StoredParking } from './parking.ts'
import { isLeft as isWorkLeft, partOf } from './remaining.ts'
import type { ReadModelTables } from './tables.ts'
import { versionOf } from './sql.ts'

/** Another process has moved the checkpoint. */
export class Overtaken extends Error {
  override name = 'Overtaken'
  constructor() {
    super('another process has moved the checkpoint of these read models')
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
  const { store, tables, definition, schema, onParked } = options
  const { projector } = definition
  const owner = { projector, version: versionOf(definition) }
  const { statementsFor, isRefusal, firstRefused } = openBatchWriter(tables, definition, schema)
  const refused = new Map<string, Cause>()
  /** The parked streams and the operator's decisions: read once, then kept current here. An applier is not used again after a failure. */
  let parking: Promise<StoredParking> | null = null
  /** Whether work is left; null if that is not known. */
  let mayBeLeft: boolean | null = null
  /** The last event applied. */
  let anchor = options.anchor

  /**
   * Applies a batch. Events of parked streams wait.
   * @param passed  how far the store has been read, this batch included
   * @throws {Overtaken} · {StoreUnavailable} · any error of the database that the data of one event does not explain
   */
  const apply = async (events: readonly StoredEvent[], passed: Checkpoint): Promise<void> => {
    const decision = events.findIndex((event, index) => index > 0 && isDecision(event))
    if (decision > 0) return applyFrom(decision, events, passed)
    // Events that waited for a decision are older than events whose work may be left.
    if (events[0] && isDecision(events[0])) await finish()
    const last = lastPositionIn(events)
    const to = last ? storePositionOf(last) : anchor
    const { parked, resolutions } = await (parking ??= readParking(store, tables, schema))
    const plan = await planOf(events, { store, projector, parked, resolutions, refused })
    try {
      const { statements, leavesWork } = statementsFor(plan.events, plan.changes)
      if (leavesWork) mayBeLeft = null
      const claim = moveOn(schema, owner, anchor, to, { passed, at: newestDecisionIn(events) })
      if (!(await tables.commit(claim, statements))) throw new Overtaken()
    } catch (error) {
      if (!isRefusal(error) || plan.events.length === 0) throw error
      if (events.length > 1) return applyFrom(events.length >> 1, events, passed)
      const { event, cause } = await firstRefused(plan.events)
      refused.set(nameOf(event), cause)
      return apply(events, passed)
    }
    anchor = to
    for (const [stream, row] of plan.changes) {
      if (row) parked.set(stream, row)
      else parked.delete(stream)
      if (row) onParked?.(row)
    }
  }

  /** Applies the events before an index, and then those from there on. */
  const applyFrom = async (index: number, events: readonly StoredEvent[], passed: Checkpoint): Promise<void> => {
    const before = events.slice(0, index)
    await apply(before, before.at(-1)!.checkpoint)
    return apply(events.slice(index), passed)
  }

  /** Whether batches have left work behind. */
  const isLeft = async (): Promise<boolean> => (mayBeLeft ??= await isWorkLeft(tables, definition, schema))

  /** Does a part of it. @throws {Overtaken} · as `apply` */
  const part = async (): Promise<void> => {
    const claim = stay(schema, owner, anchor)
    if (!(await tables.commit(claim, [partOf(definition, schema)]))) throw new Overtaken()
    mayBeLeft = null
  }

  /** Does all of it. @throws {Overtaken} · as `apply` */
  const finish = async (): Promise<void> => {
    while (await isLeft()) await part()
  }

  return { anchor: () => anchor, apply, isLeft, part, finish }
}

export type Applier = ReturnType<typeof openApplier>

/** A decision of the operator about a parked stream. */
const isDecision = ({ stream }: StoredEvent): boolean => stream === PARKED_STREAM

const newestDecisionIn = (events: readonly StoredEvent[]): string | null =>
  events.reduce<string | null>((newest, event) => decidedAt(event) ?? newest, null)
