// Tests: tests/integration/projections/parking.test.ts
/** Records the operator's decisions about parked events, and retries by itself what a new release can read. */
import { PARKED_STREAM, REFUSED, type ParkedEvent } from '../../domain/parked/events.ts'
import { isResolution, Resolutions, subjectOf } from '../../domain/parked/resolutions.ts'
import { isReadable } from '../../domain/parse-event.ts'
import { NO_STREAM, type Checkpoint, type Clock, type EventStore } from '../../domain/ports.ts'
import { CONFLICT, untilNoConflict } from '../support/conflicts.ts'
import { stamp, ownCause } from '../support/stamp.ts'

type Store = Pick<EventStore, 'read' | 'append' | 'isAfter'>

/**
 * @param wanted  decides from what was decided before; false: nothing is recorded
 * @returns the position of the decision; null if nothing was recorded
 */
const decide = (
  { store, clock }: { store: Store; clock: Clock },
  type: 'ParkedEventSkipped' | 'ParkedEventRetried',
  event: ParkedEvent,
  wanted: (known: ReturnType<Resolutions['about']>) => boolean,
): Promise<Checkpoint | null> =>
  untilNoConflict(async () => {
    const [events = []] = await store.read([{ stream: PARKED_STREAM }])
    const resolutions = new Resolutions()
    for (const each of events) if (isResolution(each)) resolutions.add(each)
    if (!wanted(resolutions.about(subjectOf(event)))) return null
    const occasion = { user_id: null, at: clock.now(), ...ownCause() }
    const append = {
      stream: PARKED_STREAM,
      expectedRevision: events.at(-1)?.revision ?? NO_STREAM,
      events: stamp([{ type, data: event }], occasion),
    }
    const [result] = await store.append([[append]])
    return result?.ok ? result.checkpoint : CONFLICT
  })

/** Everything ignores the event from now on. @returns null if it is skipped already */
export const skipEvent = (parts: { store: Store; clock: Clock }, event: ParkedEvent): Promise<Checkpoint | null> =>
  decide(parts, 'ParkedEventSkipped', event, (known) => known?.type !== 'ParkedEventSkipped')

/** The read models try the event again. @returns null if it is skipped */
export const retryEvent = (parts: { store: Store; clock: Clock }, event: ParkedEvent): Promise<Checkpoint | null> =>
  decide(parts, 'ParkedEventRetried', event, (known) => known?.type !== 'ParkedEventSkipped')

/** Events of one read. */
const AT_A_TIME = 200

/**
 * Retries the parked events that this release can read, as after an update.
 * @param position  how far the read models are. A decision after it is still to come, and is not made again.
 * @returns how many are retried
 */
export const retryReadable = async (
  parts: { store: Store; clock: Clock },
  parked: readonly ParkedEvent[],
  position: Checkpoint | null,
): Promise<number> => {
  const { store } = parts
  const unread = parked.filter(({ reason }) => reason !== REFUSED)
  let retried = 0
  for (let from = 0; from < unread.length; from += AT_A_TIME) {
    const some = unread.slice(from, from + AT_A_TIME)
    const slices = await store.read(some.map(({ stream, revision }) => ({ stream, from: revision, limit: 1 })))
    for (const [n, event] of some.entries()) {
      const found = slices[n]?.[0]
      if (!found || found.revision !== event.revision || !isReadable(found)) continue
      const isDue = (known: ReturnType<Resolutions['about']>) =>
        !known || (position !== null && !store.isAfter(known.checkpoint, position))
      if ((await decide(parts, 'ParkedEventRetried', event, isDue)) !== null) retried++
    }
  }
  return retried
}
