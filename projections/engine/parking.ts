// Tests: tests/integration/projections/parking.test.ts
/**
 * Decides which events of a batch are applied. An event that cannot be read, or that the database refuses because of its data, parks its
 * stream: it and all later events of that stream wait, and the events of all other streams are applied.
 *
 * The operator's decision (`domain/parked/events.ts`) takes effect at its own position in the log. There the events that waited are read
 * from the stream, up to that position, and applied in their order. So the rows depend only on the events before a position, and a rebuild
 * gives the same. A rebuild may know decisions that the live read models had not reached at an event. So it parks every event about which a
 * later decision exists, even if its release can read the event. It applies the waiting events at the position of the decision.
 */
import { isClosing } from '../../domain/erasure.ts'
import { PARKED_STREAM, REFUSED } from '../../domain/parked/events.ts'
import { isResolution, subjectOf, type Resolution, type Resolutions } from '../../domain/parked/resolutions.ts'
import { asStored, decidedAt, isReadable, type StoredEvent } from '../../domain/parse-event.ts'
import type { KnownEvent } from '../../domain/catalogue.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { readResolutions } from '../../workflows/parked/store-with-skips.ts'
import { insert, remove, type Statement } from './definition.ts'
import { parkedTable, type ParkedStream } from './parked-table.ts'
import type { Statements } from './tables.ts'

/** Why an event cannot be applied. */
export interface Cause {
  reason: string
  detail: string
}

/** The result of sorting a batch. */
export interface Plan {
  /** The events to apply, in order. */
  events: readonly KnownEvent[]
  /** Streams that it parks, or (null) no longer parks. */
  changes: ReadonlyMap<string, ParkedStream | null>
}

export interface Parking {
  store: Pick<EventStore, 'read' | 'isAfter'>
  projector: string
  /** All parked streams before the batch. */
  parked: ReadonlyMap<string, ParkedStream>
  resolutions: Resolutions
  /** Events that the database has refused: the cause by `nameOf`. */
  refused: ReadonlyMap<string, Cause>
}

/** The parked streams and the operator's decisions as they are stored. */
export type StoredParking = Pick<Parking, 'resolutions'> & { parked: Map<string, ParkedStream> }

/** Identifies an event. Another program may have written the same id to two streams. */
export const nameOf = ({ stream, revision }: Pick<StoredEvent, 'stream' | 'revision'>): string =>
  `${revision}@${stream}`

const rowOf = (event: StoredEvent, { reason, detail }: Cause): ParkedStream => {
  const { stream, revision, id, checkpoint, type } = asStored(event)
  return { stream, revision, event_id: id, position: checkpoint, type, reason, detail, since: decidedAt(event) }
}

/** Statements that keep the table of parked streams. */
export const parkingStatements = (changes: Plan['changes']): Statement[] =>
  [...changes].flatMap(([stream, row]) => [
    remove(parkedTable, { stream }),
    ...(row ? [insert(parkedTable, { ...row })] : []),
  ])

const openPlanning = (parking: Parking) => {
  const events: KnownEvent[] = []
  const changes = new Map<string, ParkedStream | null>()

  /** @returns a promise only for a decision of the operator */
  const take = (event: StoredEvent): Promise<void> | undefined => {
    if (event.stream === PARKED_STREAM) return isResolution(event) ? resolve(event) : undefined
    next(event, event.checkpoint)
    return undefined
  }

  const parkedAt = (stream: string): ParkedStream | null =>
    (changes.has(stream) ? changes : parking.parked).get(stream) ?? null

  /** @param now  the position in the log at which the event is applied: its own, or that of the decision that it waited for */
  const next = (event: StoredEvent, now: Checkpoint): void => {
    const { stream } = event
    const parked = parkedAt(stream)
    // Everything before a closing event is erased, so nothing waits any longer.
    const ends = isReadable(event) && isClosing(event.type)
    if (parked && !ends) return
    const cause = causeToPark(event, now)
    if (cause) changes.set(stream, rowOf(event, cause))
    else {
      if (parked) changes.set(stream, null)
      if (isReadable(event) && !isSkipped(event)) events.push(event)
    }
  }

  const resolutionOf = (event: StoredEvent): Resolution | undefined => {
    const { resolutions, projector } = parking
    const resolution = resolutions.about(event)
    return resolution?.data.projectors.includes(projector) ? resolution : undefined
  }

  const isSkipped = (event: StoredEvent): boolean => resolutionOf(event)?.type === 'ParkedEventSkipped'

  const causeToPark = (event: StoredEvent, now: Checkpoint): Cause | undefined => {
    const resolution = resolutionOf(event)
    if (resolution && parking.store.isAfter(resolution.checkpoint, now)) {
      const { reason, detail } = resolution.data
      return { reason, detail }
    }
    if (resolution?.type === 'ParkedEventSkipped') return undefined
    if (event.type === 'Unreadable') return { reason: event.data.problem, detail: event.data.detail }
    const { refused } = parking
    return refused.size === 0 ? undefined : refused.get(nameOf(event))
  }

  /** Applies what waited for the decision. If the decision did not help, or another event cannot be applied, the rest keeps waiting. */
  const resolve = async (resolution: Resolution): Promise<void> => {
    const { store, resolutions } = parking
    resolutions.add(resolution)
    const { stream, event_id } = resolution.data
    const isLast = resolutions.about(subjectOf(resolution.data))?.id === resolution.id
    const parked = parkedAt(stream)
    if (!isLast || parked?.event_id !== event_id) return
    const { revision } = parked
    const from = resolution.type === 'ParkedEventSkipped' ? revision + 1 : revision
    const [waiting = []] = await store.read([{ stream, from }])
    changes.set(stream, null)
    for (const event of waiting)
      if (!store.isAfter(event.checkpoint, resolution.checkpoint)) next(event, resolution.checkpoint)
  }

  return { events, changes, take }
}

/** @throws {StoreUnavailable} while events that waited cannot be read */
export const planOf = async (events: readonly StoredEvent[], parking: Parking): Promise<Plan> => {
  const planning = openPlanning(parking)
  for (const event of events) {
    const resolving = planning.take(event)
    if (resolving) await resolving
  }
  return planning
}

export const readParking = async (
  store: Pick<EventStore, 'read'>,
  database: Statements,
  schema: string,
): Promise<StoredParking> => {
  const [rows, resolutions] = await Promise.all([
    database.query<ParkedStream>(`SELECT * FROM ${schema}.parked`),
    readResolutions(store),
  ])
  return { parked: new Map(rows.map((row) => [row.stream, row])), resolutions }
}

export const refusedBecause = (detail: string): Cause => ({ reason: REFUSED, detail })
