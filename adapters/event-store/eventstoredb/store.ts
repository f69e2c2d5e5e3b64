// Tests: tests/contract/event-store/eventstoredb.test.ts
/**
 * The event store port on EventStoreDB (KurrentDB). It has no transaction over several streams. Units are in `units.ts` and
 * `append-queue.ts`, one append and its retries in `stream-append.ts`, the client and its replacement in `connection.ts`,
 * subscriptions in `subscription.ts` and `tail.ts`, expiry in `forgetting.ts`.
 */
import { setMaxListeners } from 'node:events'
import type { RecordedEvent } from '../../../domain/event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { expectedMore, History, type RememberingStore } from '../history.ts'
import type { Parse } from '../parse.ts'
import { answeredBy } from '../until-answered.ts'
import { compareHistory } from './compare-history.ts'
import { Connection, type Comparison, type Reports } from './connection.ts'
import { diskOf, type ServerParts } from './disk.ts'
import { openEnd } from './end.ts'
import { openForgetting } from './forgetting.ts'
import { setMetadata } from './metadata.ts'
import { openNames } from './stream-names.ts'
import { isOutage } from './outage.ts'
import { checkpointOf, isAfter, positionOf } from './position.ts'
import { openReading } from './reading.ts'
import { openRetention } from './retention.ts'
import { subscription } from './subscription.ts'
import { openTail } from './tail.ts'
import { openUnits } from './units.ts'

export interface EventStoreDbOptions<Event extends RecordedEvent> extends Partial<Reports> {
  /** `esdb://…`, `kurrentdb://…` or these with `+discover`, with credentials if the server requires them. */
  url: string
  /** The prefix of every stream's name on the server, so that several installations can share a server. */
  prefix: string
  /** Whether a name, without the prefix, is that of a stream of ours. Default: every name is. */
  isOwn?: (stream: string) => boolean
  parse: Parse<Event>
  /** How long a call may wait for an unavailable server before it fails with `StoreUnavailable`, in milliseconds. */
  deadlineMs?: number
}

/** An attempt that receives nothing for this long is given up and repeated. */
const ATTEMPT_MS = 3_000
const BATCH = 1_000
/** How long a scavenge waits for a server that stops while it runs (milliseconds). A large server needs minutes to start. */
const SCAVENGED_SERVER_MS = 600_000

const isLater: EventStore['isAfter'] = (a, b) => isAfter(positionOf(a), positionOf(b))

export const openEventStoreDb = async <Event extends RecordedEvent>({
  url,
  prefix,
  isOwn = () => true,
  parse,
  deadlineMs = 10_000,
  onFailure = () => {},
  onRecovery = () => {},
}: EventStoreDbOptions<Event>): Promise<RememberingStore<Event>> => {
  const attemptMs = Math.min(ATTEMPT_MS, deadlineMs)
  const closing = new AbortController()
  const { signal: closed } = closing
  // Every call that waits for an unavailable server adds a listener.
  setMaxListeners(0, closed)
  const history = new History(isLater)
  const names = openNames(prefix, isOwn)
  const connect = (to: string, comparison?: Comparison): Connection =>
    new Connection(to, attemptMs, { onFailure, onRecovery }, comparison)
  const connection = connect(url, {
    isNeeded: () => history.newest() !== null,
    run: (attempt) => compareHistory(attempt, prefix, history),
  })
  const within = (ms: number) => answeredBy(history, { isOutage, deadlineMs: ms, closing: closed })
  const answered = within(deadlineMs)
  const server: ServerParts = { url, connection, connect, answered }
  const reading = openReading(connection, names, answered, parse)
  const followed = { connection, names, history, parse, attemptMs }
  const tail = openTail(followed, closed)
  const end = openEnd(connection, names, answered, reading)
  const retention = openRetention((stream, wanted, isNew) =>
    setMetadata(connection, answered, names.onServer(stream), wanted, isNew),
  )
  const units = openUnits({ connection, reading, end, retention, history, names }, deadlineMs, closed)
  const scavenging = { answeredLater: within(SCAVENGED_SERVER_MS), onRepeat: onFailure, signal: closed }
  const forgetting = openForgetting({ ...server, ...scavenging, names, reading, retention, history })

  return {
    history,
    keepsOrder: false,
    comparesUnwritten: false,
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
    readAll: async (after, limit, mostBytes) => {
      const events = await reading.all(after === null ? null : positionOf(after), limit, mostBytes)
      history.saw(events)
      return events
    },
    subscribe: ({ after, prefixes, signal, maxBatch = BATCH }) =>
      subscription(followed, tail, {
        after: after === null ? null : positionOf(after),
        prefixes: prefixes?.length ? prefixes : undefined,
        maxBatch,
        signal: AbortSignal.any([signal, closed]),
      }),
    end: async () => {
      const position = await end.position()
      return position && checkpointOf(position)
    },
    isAfter: isLater,
    ...forgetting,
    disk: () => diskOf(server),
    close: async () => {
      closing.abort()
      await connection.close()
    },
  }
}
