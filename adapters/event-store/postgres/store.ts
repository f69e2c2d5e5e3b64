// Tests: tests/contract/event-store/postgres.test.ts
/**
 * The event store port on Postgres. The tables and their rules are in `database/migrations/001_store.sql`, groups of appends
 * in `group-append.ts`, subscriptions in `tail.ts` and `subscription.ts`.
 */
import type { RecordedEvent } from '../../../domain/event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { openDatabase } from '../../database/database.ts'
import { checkName, encode } from '../encoding.ts'
import { expectedMore, type RememberingStore, History } from '../history.ts'
import type { Parse } from '../parse.ts'
import { untilAnswered } from '../until-answered.ts'
import { BoundedReading } from './bounded-reading.ts'
import { compareHistory } from './compare-history.ts'
import { Connection } from './connection.ts'
import { lastAfter, recordedAfter } from './encoding.ts'
import { openGroupAppend } from './group-append.ts'
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
/** Long, because expiry reads all streams of a kind, and a stream to erase may be long. */
const MAINTENANCE_MS = 600_000
const BATCH = 1_000
const EXPIRE_AT_ONCE = 1_000
const EXPIRE_LISTED = 50_000

/**
 * An append is one statement, but it is sent as several messages. A client that froze between the last two would hold the
 * head until it resumed. Servers that support it (version 17 and later) end such a session.
 */
const APPENDING_SESSION = `SELECT set_config('transaction_timeout', '${ATTEMPT_MS}', false)
  WHERE current_setting('server_version_num')::integer >= 170000`

export const openPostgresEventStore = async <Event extends RecordedEvent>({
  url,
  parse,
  deadlineMs = 10_000,
  onFailure = () => {},
}: PostgresEventStoreOptions<Event>): Promise<RememberingStore<Event>> => {
  const isAfter: EventStore['isAfter'] = (a, b) => positionOf(a) > positionOf(b)
  const history = new History(isAfter)
  const database = openDatabase(url, {
    poolSize: READERS,
    applicationName: 'baoco event store',
    queryTimeoutMs: Math.min(ATTEMPT_MS, deadlineMs),
    checked: (connection) => compareHistory(connection, history),
  })
  // Connects only when there is work to do, because a connection takes 4 MB.
  const maintenance = openDatabase(url, {
    poolSize: 1,
    kept: 0,
    applicationName: 'baoco event store, maintenance',
    queryTimeoutMs: MAINTENANCE_MS,
  })
  const closing = new AbortController()
  const connection = new Connection(database, APPENDING_SESSION)
  const pages = new Pages<Event>(
    (after, most, prefixes, share) => readPage(database, parse, after, most, prefixes, share),
    isTooLong,
  )
  const tail: Tail<Event> = new Tail({ database, pages, history, onFailure, isAppending: () => appends.isAppending() })
  const appends = openGroupAppend(connection, deadlineMs, {
    appended: (before, calls) => {
      const appends = calls.flatMap(({ units }) => units.flat()).filter(({ events }) => events.length > 0)
      if (appends.length === 0) return
      history.wrote(appends, lastAfter(before, appends))
      tail.offer(before, () => recordedAfter(before, calls))
    },
    settled: () => tail.settled(),
  })
  const answered = async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    history.check()
    return untilAnswered(attempt, { isOutage, deadlineMs, closing: closing.signal })
  }
  const reading = new BoundedReading<Event>({
    readPiece: (slices, bounds) => readSlices(database, slices, parse, bounds),
    isTooLong,
    answered,
  })
  const head = async (): Promise<number> =>
    (await database.query<{ position: number }>('SELECT store.newest() AS position'))[0]!.position

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
    readAll: async (after, limit, mostBytes = Infinity) => {
      const position = positionOf(after)
      const events: Event[] = []
      let bytes = 0
      for (let from = position; events.length < limit && bytes < mostBytes;) {
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
    },
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
      const position = await answered(head)
      if (position > 0) history.reaches(String(position))
      return position === 0 ? null : String(position)
    },
    isAfter,
    retain: async (prefix, maxAgeSeconds) => {
      history.retains(prefix, maxAgeSeconds)
      await answered(() =>
        database.query(
          `INSERT INTO store.retention (prefix, max_age) VALUES ($1, make_interval(secs => $2))
             ON CONFLICT (prefix) DO UPDATE SET max_age = excluded.max_age`,
          [checkName(prefix), maxAgeSeconds],
        ),
      )
    },
    expire: async () => {
      let removed = 0
      for (;;) {
        const listed = await answered(() =>
          maintenance.query<{ expired: number }>('SELECT store.expired($1)', [EXPIRE_LISTED]),
        )
        if (listed.length === 0) return removed
        const positions = listed.map(({ expired }) => expired)
        for (let start = 0; start < positions.length; start += EXPIRE_AT_ONCE) {
          const some = positions.slice(start, start + EXPIRE_AT_ONCE)
          const [row] = await answered(() => maintenance.query<{ expire: number }>('SELECT store.expire($1)', [some]))
          removed += row!.expire
        }
      }
    },
    erase: async (stream) => {
      await answered(() => maintenance.query('SELECT store.erase($1)', [checkName(stream)]))
    },
    close: async () => {
      closing.abort()
      appends.close()
      connection.close()
      await Promise.all([database.close(), maintenance.close()])
    },
  }
}
