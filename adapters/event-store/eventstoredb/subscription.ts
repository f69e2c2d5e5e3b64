/**
 * A subscription that survives its server. The client's own do not come back; here a next one is made after the last place
 * taken, so there is neither gap nor repeat.
 *
 * Each asks for all streams of the installation and picks its own from them: so it passes every event of others too and its
 * checkpoint moves on, which the server tells a finer filter only after hundreds of events, and on a quiet log never.
 */
import type { Position } from '@eventstore/db-client'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Batch } from '../../../domain/ports.ts'
import { waitUnlessAborted } from '../../../workflows/support/abort.ts'
import { backOff } from '../until-answered.ts'
import type { Connection } from './connection.ts'
import { isOutage, NoAnswer } from './outage.ts'
import { checkpointOf, isAfter } from './position.ts'
import { Source } from './source.ts'

/** An empty batch reports a checkpoint that advanced over other events, at most this often. Milliseconds. */
const EMPTY_BATCH_MS = 1_000
const LONG = 2 ** 30

export interface SubscriptionOptions {
  /** Of the names of all streams of this installation. */
  prefix: string
  after: Position | null
  /** Of the streams wanted; undefined: all. */
  prefixes: readonly string[] | undefined
  maxBatch: number
  signal: AbortSignal
  /** A subscription that the server has not confirmed by then is made again, milliseconds. */
  attemptMs: number
  onFailure: (error: unknown) => void
}

export async function* subscription(
  connection: Connection,
  { prefix, after, prefixes, maxBatch, signal, attemptMs, onFailure }: SubscriptionOptions,
): AsyncGenerator<Batch<RecordedEvent>, void, undefined> {
  const isWanted = (stream: string): boolean => !prefixes || prefixes.some((one) => stream.startsWith(one))
  let position = after
  let told = after
  let toldAt = -Infinity
  for (let tries = 0; !signal.aborted; tries++) {
    const link = await connection.link()
    if (signal.aborted) return
    const source = new Source(link.client, prefix, position)
    const onLost = (): void => source.fail(new NoAnswer('the connection was closed after an error'))
    link.lost.addEventListener('abort', onLost, { once: true })
    const askedAt = performance.now()
    let wasLive = false
    try {
      while (!signal.aborted && !source.failure) {
        const taken = source.take(maxBatch, isWanted)
        const { events, live } = taken
        if (taken.position && (position === null || isAfter(taken.position, position))) position = taken.position
        const isAhead = position !== null && (told === null || isAfter(position, told))
        const untilTold = isAhead ? toldAt + EMPTY_BATCH_MS - performance.now() : LONG
        if (events.length > 0 || (live && !wasLive) || untilTold <= 0) {
          if (source.isConfirmed) tries = 0
          wasLive = live
          told = position
          toldAt = performance.now()
          // Before the first event of an empty store there is no place to name but its start.
          yield { events, checkpoint: position === null ? '0/0' : checkpointOf(position), live }
        } else if (source.isConfirmed) await source.moved(untilTold, signal)
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
    onFailure(error)
    await waitUnlessAborted(backOff(tries), signal)
  }
}
