// Tests: tests/integration/eventstoredb/subscriptions.test.ts
/**
 * A subscription that survives an outage of its server. The client's own subscriptions do not recover. This one creates a new
 * one after the last position taken, so there is neither a gap nor a repeat.
 *
 * Each subscription reads all streams of the installation and selects the wanted ones itself. So it also passes all other
 * events and its checkpoint advances. With a finer filter the server reports a checkpoint only after hundreds of events, and
 * on a quiet log never.
 */
import type { Position } from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Batch } from '../../../domain/ports.ts'
import { waitUnlessAborted } from '../../../workflows/support/abort.ts'
import type { History } from '../history.ts'
import type { Parse } from '../parse.ts'
import { pauseAfter } from '../../../workflows/support/retry.ts'
import { BACK_OFF } from '../until-answered.ts'
import type { Connection } from './connection.ts'
import type { Names } from './names.ts'
import { isOutage, NoAnswer } from './outage.ts'
import { checkpointOf, isAfter } from './position.ts'
import { Source } from './source.ts'

/** Milliseconds. An empty batch reports a checkpoint that advanced past other events, at most this often. */
const EMPTY_BATCH_MS = 1_000
const LONG = 2 ** 30

export interface SubscriptionOptions<Event extends RecordedEvent> {
  names: Names
  after: Position | null
  /** The prefixes of the wanted streams; undefined means all. */
  prefixes: readonly string[] | undefined
  maxBatch: number
  signal: AbortSignal
  /** Milliseconds. A subscription that the server has not confirmed in this time is recreated. */
  attemptMs: number
  history: History
  parse: Parse<Event>
}

export async function* subscription<Event extends RecordedEvent>(
  connection: Connection,
  { names, after, prefixes, maxBatch, signal, attemptMs, history, parse }: SubscriptionOptions<Event>,
): AsyncGenerator<Batch<Event>, void, undefined> {
  const isWanted = (stream: string): boolean => !prefixes || prefixes.some((one) => stream.startsWith(one))
  let position = after
  let reported = after
  let reportedAt = -Infinity
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
        const taken = source.take(maxBatch, isWanted)
        const { events, live, isMarked } = taken
        history.saw(events)
        if (taken.position && (position === null || isAfter(taken.position, position))) position = taken.position
        const isAhead = position !== null && (reported === null || isAfter(position, reported))
        const untilReport = isAhead ? reportedAt + EMPTY_BATCH_MS - performance.now() : LONG
        if (events.length > 0 || (live && !wasLive) || isMarked || untilReport <= 0) {
          if (source.isConfirmed) {
            tries = 0
            connection.answered()
          }
          wasLive = live
          reported = position
          reportedAt = performance.now()
          // Before the first event of an empty store, the only position is its start.
          yield { events, checkpoint: position === null ? '0/0' : checkpointOf(position), live }
        } else if (source.isConfirmed) await source.moved(untilReport, signal)
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
    await waitUnlessAborted(pauseAfter(tries, BACK_OFF), signal)
  }
}
