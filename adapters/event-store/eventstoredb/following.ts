// Tests: tests/integration/eventstoredb/subscriptions.test.ts
/**
 * Everything after a position, through every outage of the server. The client's own subscriptions do not recover. This one
 * creates a new one after the last position taken, so there is neither a gap nor a repeat.
 *
 * It reads all streams of the installation, and its reader selects the wanted ones. So it also passes all other events, and
 * its position advances. With a finer filter the server reports a checkpoint only after hundreds of events, and on a quiet log
 * never.
 */
import type { Position } from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import { waitUnlessAborted } from '../../../workflows/support/abort.ts'
import { pauseAfter } from '../../../workflows/support/retry.ts'
import type { History } from '../history.ts'
import type { Parse } from '../parse.ts'
import { BACK_OFF } from '../until-answered.ts'
import type { Connection } from './connection.ts'
import type { Names } from './stream-names.ts'
import { isOutage, NoAnswer } from './outage.ts'
import { isAfter } from './position.ts'
import { Source, type Taken } from './source.ts'

/** The parts that all subscriptions of a store share. */
export interface FollowingParts<Event extends RecordedEvent> {
  connection: Connection
  names: Names
  history: History
  parse: Parse<Event>
  /** Milliseconds. A subscription that the server has not confirmed in this time is recreated. */
  attemptMs: number
}

export interface Wanted {
  after: Position
  /** The most events at a time. */
  most: number
  isWanted: (stream: string) => boolean
  signal: AbortSignal
  /** Milliseconds after which the reader is called even if nothing has arrived. */
  dueInMs: () => number
}

/** The next arrivals. Their position never goes back. */
export type Followed<Event extends RecordedEvent> = Taken<Event> & { position: Position }

/**
 * Ends when the signal aborts.
 * @throws {StoreWentBack} · any error with which the server refuses the subscription
 */
export async function* following<Event extends RecordedEvent>(
  { connection, names, history, parse, attemptMs }: FollowingParts<Event>,
  { after, most, isWanted, signal, dueInMs }: Wanted,
): AsyncGenerator<Followed<Event>, void, undefined> {
  let position = after
  for (let tries = 0; !signal.aborted; tries++) {
    history.check()
    const link = await connection.link().catch(async (error: unknown) => {
      if (!isOutage(error)) throw error
      await waitUnlessAborted(pauseAfter(tries, BACK_OFF), signal)
      return null
    })
    if (signal.aborted) return
    if (!link) continue
    const source = new Source(link.client, names, position, parse)
    const onLost = (): void => source.fail(new NoAnswer('the connection was closed after an error'))
    link.lost.addEventListener('abort', onLost, { once: true })
    const askedAt = performance.now()
    let wasLive = false
    try {
      while (!signal.aborted && !source.failure) {
        const taken = source.take(most, isWanted)
        const hasAdvanced = taken.position !== null && isAfter(taken.position, position)
        if (hasAdvanced) position = taken.position!
        if (taken.events.length > 0 || hasAdvanced || taken.isMarked || taken.live !== wasLive || dueInMs() <= 0) {
          if (source.isConfirmed) {
            tries = 0
            connection.answered()
          }
          wasLive = taken.live
          yield { ...taken, position }
        } else if (source.isConfirmed) await source.moved(dueInMs(), signal)
        else {
          const left = askedAt + attemptMs - performance.now()
          if (left > 0) await source.moved(left, signal)
          else {
            connection.silent(link)
            source.fail(new NoAnswer('the subscription was not confirmed'))
          }
        }
      }
    } finally {
      link.lost.removeEventListener('abort', onLost)
      source.close()
    }
    if (signal.aborted) return
    const error = source.failure?.error
    if (!isOutage(error)) throw error
    connection.failed(link, error)
    // Until the server answers again, nobody knows whether there are newer events.
    if (wasLive) yield { events: [], position, isMarked: false, live: false }
    await waitUnlessAborted(pauseAfter(tries, BACK_OFF), signal)
  }
}
