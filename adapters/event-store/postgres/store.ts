// Tests: tests/contract/event-store/postgres.test.ts
/**
 * The event store port on Postgres. The tables and their rules are in `database/migrations/001_store.sql`, groups of appends
 * in `group-append.ts`, subscriptions in `tail.ts` and `subscription.ts`, expiry in `forgetting.ts`.
 */
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Checkpoint, EventStore } from '../../../domain/ports.ts'
import { openDatabase, type Database } from '../../database/database.ts'
import { encode } from '../encoding.ts'
import { expectedMore, History, type RememberingStore } from '../history.ts'
import type { Parse } from '../parse.ts'
import { answeredBy, type Answered } from '../until-answered.ts'
import { BoundedReading } from './bounded-reading.ts'
import { compareHistory } from './compare-history.ts'
import { Connection } from './connection.ts'
import { lastAfter, recordedAfter } from './encoding.ts'
import { openForgetting } from './forgetting.ts'
import { GroupAppend, type GroupListener } from './group-append.ts'
import { isOutage, isTooLong } from './outage.ts'
import { Pages } from './pages.ts'
import { positionOf, readPage, readSlices } from './reading.ts'
import { subscription } from './subscription.ts'
import { Tail } from './tail.ts'

export interface PostgresEventStoreOptions<Event extends RecordedEvent> {
  /** `postgres://…` of a migrated database. */
  url: string
  parse: Parse<Event>
  /** How long a call may wait for an unavailable server before it fails with `StoreUnavailable`, in milliseconds. */
  deadlineMs?: number
  /** Called with every failure of a subscription. The subscription continues by itself. */
  onFailure?: (error: unknown) => void
}

/** Connections for reading, in addition to the one that appends and the one that listens. */
const READERS = 4
/** An attempt is given up after this time and repeated. */
const ATTEMPT_MS = 3_000
const BATCH = 1_000

/**
 * An append is one statement, but it is sent as several messages. A client that froze between the last two would hold the
 * head until it resumed. Servers that support it (version 17 and later) end such a session.
 */
const APPENDING_SESSION = `SELECT set_config('transaction_timeout', '${ATTEMPT_MS}', false)
  WHERE current_setting('server_version_num')::integer >= 170000`

const isAfter: EventStore['isAfter'] = (a, b) => positionOf(a) > positionOf(b)

export const openPostgresEventStore = async <Event extends RecordedEvent>({
  url,
  parse,
  deadlineMs = 10_000,
  onFailure = () => {},
}: PostgresEventStoreOptions<Event>): Promise<RememberingStore<Event>> => {
  const history = new History(isAfter)
  const database = openReaders(url, deadlineMs, history)
  const closing = new AbortController()
  const answered = answeredBy(history, { isOutage, deadlineMs, closing: closing.signal })
  const connection = new Connection(database, APPENDING_SESSION)
  const pages = new Pages<Event>((...asked) => readPage(database, parse, ...asked), isTooLong)
  const tail: Tail<Event> = new Tail({ database, pages, history, onFailure, isAppending: () => appends.isAppending() })
  const appends = new GroupAppend(connection, deadlineMs, handOn(history, tail))
  const reading = new BoundedReading<Event>({
    readPiece: (slices, bounds) => readSlices(database, slices, parse, bounds),
    isTooLong,
    answered,
  })
  const { close: endForgetting, ...forgetting } = openForgetting({ url, database, history, answered })

  return {
    history,
    keepsOrder: true,
    comparesUnwritten: true,
    append: async (units) => {
      if (units.length === 0) return []
      history.check()
      const results = await appends.append(encode(units, { comparesUnwritten: true }))
      for (const result of results) if (result.ok) history.reaches(result.checkpoint)
      if (expectedMore(units, results)) await answered(() => compareHistory(database, history))
      return results
    },
    read: async (slices) => {
      const found = await reading.read(slices)
      found.forEach((events, n) => history.saw(slices[n]!.backwards ? events.toReversed() : events))
      return found
    },
    readAll: readAllBy(pages, history, answered),
    subscribe: ({ after, prefixes, signal, maxBatch = BATCH }) =>
      subscription(pages, tail, {
        history,
        after: positionOf(after),
        prefixes: prefixes?.length ? prefixes : undefined,
        maxBatch,
        signal: AbortSignal.any([signal, closing.signal]),
        onFailure,
      }),
    end: async () => {
      const position = await answered(() => newestOf(database))
      if (position > 0) history.reaches(String(position))
      return position === 0 ? null : String(position)
    },
    isAfter,
    ...forgetting,
    close: async () => {
      closing.abort()
      appends.close()
      connection.close()
      await Promise.all([database.close(), endForgetting()])
    },
  }
}

/** Every new connection compares the store with its history before it is used. */
const openReaders = (url: string, deadlineMs: number, history: History): Database =>
  openDatabase(url, {
    poolSize: READERS,
    applicationName: 'baoco event store',
    queryTimeoutMs: Math.min(ATTEMPT_MS, deadlineMs),
    checked: (connection) => compareHistory(connection, history),
  })

/** Appended events reach the history and the live subscriptions of this process without being read. */
const handOn = <Event extends RecordedEvent>(history: History, tail: Tail<Event>): GroupListener => ({
  appended: (before, calls) => {
    const appends = calls.flatMap(({ units }) => units.flat()).filter(({ events }) => events.length > 0)
    if (appends.length === 0) return
    history.wrote(appends, lastAfter(before, appends))
    tail.offer(before, () => recordedAfter(before, calls))
  },
  settled: () => tail.settled(),
})

const readAllBy =
  <Event extends RecordedEvent>(pages: Pages<Event>, history: History, answered: Answered) =>
  async (after: Checkpoint | null, limit: number, mostBytes = Infinity): Promise<Event[]> => {
    const events: Event[] = []
    let bytes = 0
    for (let from = positionOf(after); events.length < limit && bytes < mostBytes;) {
      const page = await answered(() => pages.read(from, limit - events.length))
      for (const { event, size } of page.events) {
        if (bytes >= mostBytes) break
        events.push(event)
        bytes += size
      }
      history.saw(events)
      if (page.to >= page.head) break
      from = page.to
    }
    return events
  }

const newestOf = async (database: Database): Promise<number> =>
  (await database.query<{ position: number }>('SELECT store.newest() AS position'))[0]!.position
