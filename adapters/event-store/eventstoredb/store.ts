// Tests: tests/contract/event-store/eventstoredb.test.ts
/**
 * The event store port on EventStoreDB (KurrentDB). It has no transaction over several streams. Units are in `units.ts` and
 * `lane.ts`, one append and its retries in `stream-append.ts`, the client and its replacement in `connection.ts`,
 * subscriptions in `subscription.ts`. Events that `retain` and `erase` hide disappear at once for readers of their stream.
 * They disappear from the whole store with the next `expire`, which is a scavenge.
 */
import { setMaxListeners } from 'node:events'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { checkName } from '../encoding.ts'
import { expectedMore, History, type RememberingStore } from '../history.ts'
import type { Parse } from '../parse.ts'
import { untilAnswered } from '../until-answered.ts'
import { compareWith } from './checked.ts'
import { Connection } from './connection.ts'
import { setMetadata } from './metadata.ts'
import { isOutage } from './outage.ts'
import { checkpointOf, isAfter, positionOf } from './position.ts'
import { Reading } from './reading.ts'
import { Retention } from './retention.ts'
import { scavenge, type Hidden } from './scavenge.ts'
import { subscription } from './subscription.ts'
import { Units } from './units.ts'

export interface EventStoreDbOptions<Event extends RecordedEvent> {
  /** `esdb://…` or `esdb+discover://…` in the client's format, with credentials if the server requires them. */
  url: string
  /** The prefix of every stream's name on the server, so that several installations can share a server. */
  prefix: string
  parse: Parse<Event>
  /** How long a call may wait for an unavailable server before it fails with `StoreUnavailable`, in milliseconds. */
  deadlineMs?: number
  /** Called with every failure of a subscription and every connection that is given up. Both recover by themselves. */
  onFailure?: (error: unknown) => void
}

/** An attempt that receives nothing for this long is given up and repeated. */
const ATTEMPT_MS = 3_000
const BATCH = 1_000
/** The most erased events that are checked after a scavenge. */
const MOST_CHECKED = 100

export const openEventStoreDb = async <Event extends RecordedEvent>({
  url,
  prefix,
  parse,
  deadlineMs = 10_000,
  onFailure = () => {},
}: EventStoreDbOptions<Event>): Promise<RememberingStore<Event>> => {
  const attemptMs = Math.min(ATTEMPT_MS, deadlineMs)
  const closing = new AbortController()
  // Every call that waits for an unavailable server adds a listener.
  setMaxListeners(0, closing.signal)
  const isLater: EventStore['isAfter'] = (a, b) => isAfter(positionOf(a), positionOf(b))
  const history = new History(isLater)
  const connect = (to: string): Connection => new Connection(to, attemptMs, onFailure)
  const connection = new Connection(url, attemptMs, onFailure, (attempt) => compareWith(attempt, prefix, history))
  const answered = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    history.check()
    return untilAnswered(attempt, { isOutage, deadlineMs, closing: closing.signal })
  }
  const reading = new Reading(connection, prefix, answered, parse)
  const retention = new Retention((stream, wanted, isNew) =>
    setMetadata(connection, answered, prefix + stream, wanted, isNew),
  )
  const units = new Units({ connection, reading, retention, history, prefix }, deadlineMs, closing.signal)
  const erased: Hidden[] = []

  return {
    history,
    keepsOrder: false,
    append: async (all) => {
      history.check()
      const results = await units.append(all)
      if (expectedMore(all, results)) await answered(() => connection.compare())
      return results
    },
    read: async (slices) => {
      const found = await reading.slices(slices)
      found.forEach((events, n) => history.saw(slices[n]!.backwards ? events.toReversed() : events))
      return found
    },
    readAll: async (after, limit) => {
      const events = await reading.all(after === null ? null : positionOf(after), limit)
      history.saw(events)
      return events
    },
    subscribe: ({ after, prefixes, signal, maxBatch = BATCH }) =>
      subscription(connection, {
        prefix,
        after: after === null ? null : positionOf(after),
        prefixes: prefixes?.length ? prefixes : undefined,
        maxBatch,
        signal: AbortSignal.any([signal, closing.signal]),
        attemptMs,
        history,
        parse,
        onFailure,
      }),
    end: async () => {
      const position = await reading.end()
      return position && checkpointOf(position)
    },
    isAfter: isLater,
    retain: async (names, maxAgeSeconds) => retention.keep(checkName(names), maxAgeSeconds),
    expire: async () => {
      const checked = [...erased]
      await scavenge({ url, connection, connect }, checked, closing.signal)
      erased.splice(0, checked.length)
      return 0
    },
    erase: async (stream) => {
      const [[first] = [], [last] = []] = await reading.slices([
        { stream, limit: 1 },
        { stream, backwards: true, limit: 1 },
      ])
      if (!first || !last || first.revision === last.revision) return
      await setMetadata(connection, answered, prefix + stream, { $tb: last.revision })
      if (erased.length < MOST_CHECKED) erased.push({ id: first.id, position: positionOf(first.checkpoint) })
    },
    close: async () => {
      closing.abort()
      await connection.close()
    },
  }
}
