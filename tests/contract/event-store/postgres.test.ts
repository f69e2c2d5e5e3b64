import type { RecordedEvent } from '../../../domain/event.ts'
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { unparsed } from '../../../adapters/event-store/parse.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import { NO_STREAM, type EventStore } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { eventStoreContract } from './event-store-contract.ts'
import {
  appended,
  appendOne,
  conflictWith,
  eventsOf,
  idsOf,
  part,
  readStream,
  readToEnd,
  streamName,
} from './harness.ts'
import { startOwnPostgres } from '../../harness/own-postgres.ts'
import { postgresHarness } from './postgres-harness.ts'

eventStoreContract('postgres', async () => {
  const server = await startOwnPostgres()
  return postgresHarness(server, server.url)
})

describe('event store on Postgres, beyond the contract', () => {
  let database: TestDatabase
  let store: EventStore<RecordedEvent>
  before(async () => {
    database = await freshDatabase()
    store = await openPostgresEventStore({ url: database.url, parse: unparsed })
  })
  after(async () => {
    await store?.close()
    await database?.drop()
  })

  it('has no end before the first event', async () => {
    expect(await store.end()).to.equal(null)
    expect(await store.readAll(null, 10)).to.deep.equal([])
  })

  it('writes a unit completely or not at all', async () => {
    const [first, taken] = [streamName(), streamName()]
    await appended(store, [part(taken, NO_STREAM)])
    expect(await appendOne(store, [part(first, NO_STREAM), part(taken, NO_STREAM)])).to.deep.equal(
      conflictWith(taken, 0),
    )
    expect(await readStream(store, first)).to.have.length(0)
    expect(await appendOne(store, [part(first, 0)])).to.deep.equal(conflictWith(first, NO_STREAM))
  })

  it('numbers events without gaps', async () => {
    const start = Number(await store.end())
    await store.append(Array.from({ length: 50 }, () => [part(streamName(), NO_STREAM, eventsOf(2))]))
    const events = await readToEnd(store, String(start))
    expect(events.map(({ checkpoint }) => Number(checkpoint) - start)).to.deep.equal(
      Array.from({ length: 100 }, (_, n) => n + 1),
    )
  })

  it('delivers its own appends and those of another process in one order, the same to both', async () => {
    const other = await openPostgresEventStore({ url: database.url, parse: unparsed })
    const start = await store.end()
    const seen: [EventStore<RecordedEvent>, string[]][] = [
      [store, []],
      [other, []],
    ]
    const stop = new AbortController()
    const following = seen.map(async ([of, ids]) => {
      for await (const { events } of of.subscribe({ after: start, signal: stop.signal }))
        ids.push(...events.map(({ id }) => id))
    })
    const append = async (to: EventStore<RecordedEvent>): Promise<void> => {
      for (let n = 0; n < 30; n++) await to.append([[part(streamName(), NO_STREAM, eventsOf(2))]])
    }
    await Promise.all([append(store), append(store), append(other), append(other)])
    await eventually(() => seen.every(([, ids]) => ids.length >= 240))
    stop.abort()
    await Promise.all(following)
    const stored = (await readToEnd(store, start)).map(({ id }) => id)
    for (const [, ids] of seen) expect(ids).to.deep.equal(stored)
    await other.close()
  })

  it('removes expired and erased events everywhere at once', async () => {
    const start = await store.end()
    const [kept, erased, expiring] = [streamName(), streamName(), streamName('expiring')]
    const last = eventsOf(1)
    await appended(store, [part(expiring, NO_STREAM, eventsOf(4)), part(erased, NO_STREAM, eventsOf(4))])
    await appended(store, [part(erased, 3, last), part(kept, NO_STREAM)])
    await store.erase(erased)
    await store.retain(expiring, 1)
    await eventually(async () => (await readStream(store, expiring)).length === 0)
    expect(await store.expire()).to.equal(4)
    expect(await store.expire()).to.equal(0)
    const everything = await readToEnd(store, start)
    expect(everything.map(({ stream }) => stream)).to.deep.equal([erased, kept])
    expect(idsOf(everything)[0]).to.equal(last[0]!.id)
  })

  it('never reuses a position, even if the newest events have expired', async () => {
    const stream = streamName('newest')
    await store.retain(stream, 1)
    const last = await appended(store, [part(stream, NO_STREAM, eventsOf(5))])
    await eventually(async () => (await readStream(store, stream)).length === 0)
    expect(await store.expire()).to.equal(5)
    expect(await store.end()).to.equal(last)
    expect(store.isAfter(await appended(store, [part(streamName(), NO_STREAM)]), last)).to.equal(true)
  })

  it('looks for expired events among the oldest ones only, however long the store is', async () => {
    const testDatabase = await freshDatabase()
    const long = await openPostgresEventStore({ url: testDatabase.url, parse: unparsed })
    const client = openDatabase(testDatabase.url, { poolSize: 1 })
    /** Of every three events, two are kept for a day. */
    const add = (from: number, count: number, age: string) =>
      client.query(
        `INSERT INTO store.event (position, created_at, id, revision, stream, type, data, metadata)
         SELECT n, now() - $3::interval, gen_random_uuid(), n, CASE WHEN n % 3 = 0 THEN 'kept-1' ELSE 'short-1' END, 'Noted', '{}', '{}'
         FROM generate_series($1::integer, $2::integer) n`,
        [from, from + count - 1, age],
      )
    const blocks = async (): Promise<number> => {
      const [row] = await client.query('EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT store.expired(50000)')
      const [{ Plan: plan }] = row!['QUERY PLAN'] as [{ Plan: Record<string, number> }]
      return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
    }
    try {
      await long.retain('short-', 86_400)
      await add(1, 9_000, '30 hours')
      expect(await long.expire()).to.equal(6_000)
      await add(10_000, 9_000, '25 hours')
      await add(20_000, 30_000, '1 hour')
      expect(await long.expire()).to.equal(6_000)
      expect(await long.expire()).to.equal(0)
      const cost = await blocks()
      await add(100_000, 60_000, '50 minutes')
      expect(await blocks()).to.be.below(cost + 100)
      // The clock was ahead for a while: these hide nothing.
      await add(200_000, 3_000, '-8 hours')
      await client.query("UPDATE store.event SET created_at = created_at - interval '24 hours' WHERE position < 200000")
      await add(210_000, 3_000, '25 hours')
      expect(await long.expire()).to.equal(62_000)
      const left = await client.query('SELECT 1 FROM store.event WHERE stream = $1', ['short-1'])
      expect(left).to.have.length(2_000)
    } finally {
      await long.close()
      await client.close()
      await testDatabase.drop()
    }
  })

  it('finds events that are sent again at their places, however long their stream is', async () => {
    const testDatabase = await freshDatabase()
    const client = openDatabase(testDatabase.url, { poolSize: 1 })
    const FILL = `INSERT INTO store.event (position, created_at, id, revision, stream, type, data, metadata)
      SELECT n, now(), gen_random_uuid(), CASE WHEN n % 2 = 0 THEN n / 2 - 1 ELSE 0 END,
        CASE WHEN n % 2 = 0 THEN 'long' ELSE 'short-' || n END, 'Noted', '{}', '{}' FROM generate_series(1, 60000) n`
    const AGAIN = `SELECT json_agg(json_build_array(json_build_object('stream', stream, 'expected', revision - 1, 'events',
        json_build_array(json_build_object('id', id, 'type', type, 'data', data, 'metadata', metadata)))) ORDER BY position) AS call
      FROM (SELECT * FROM store.event WHERE position BETWEEN 10001 AND 10100) e`
    try {
      await client.query(FILL)
      await client.query('ANALYZE store.event')
      const [{ call }] = (await client.query<{ call: unknown[] }>(AGAIN)) as [{ call: unknown[] }]
      expect(call).to.have.length(100)
      const sentAgain = `SELECT store.append_one_by_one('${JSON.stringify([call])}') AS results`
      const [row] = await client.query<{ results: { position: number }[][] }>(sentAgain)
      expect(row!.results[0]!.map(({ position }) => position)).to.deep.equal(call.map((_, n) => 10_001 + n))
      const [{ 'QUERY PLAN': plans }] = (await client.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sentAgain}`,
      )) as [{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }]
      expect(plans[0].Plan['Shared Hit Blocks']).to.be.below(5_000)
    } finally {
      await client.close()
      await testDatabase.drop()
    }
  })

  it('waits for the disk, even if the session does not', async () => {
    const client = openDatabase(database.url, { poolSize: 1, session: 'SET synchronous_commit = off' })
    const commits = (statement: string): Promise<string> =>
      client.transaction(async (transaction) => {
        await transaction.query(statement)
        const [row] = await transaction.query<{ commits: string }>(
          `SELECT current_setting('synchronous_commit') AS commits`,
        )
        return row!.commits
      })
    const [stream, id] = [streamName(), randomUUID()]
    const lines = [stream, '-1', stream, '0', id, 'Noted', '{}', '{}'].map((line) => `'${line}'`).join()
    const unit = [
      { stream: streamName(), expected: -1, events: [{ id: randomUUID(), type: 'Noted', data: '{}', metadata: '{}' }] },
    ]
    try {
      expect(await commits('SELECT 1')).to.equal('off')
      expect(await commits(`SELECT store.append(${lines})`)).to.equal('on')
      expect(await commits(`SELECT store.append_one_by_one('${JSON.stringify([[unit]])}')`)).to.equal('on')
      expect(await commits(`SELECT store.erase('${stream}')`)).to.equal('on')
      expect(await commits(`SELECT store.expire('{1}')`)).to.equal('on')
      expect(await commits(`INSERT INTO store.retention VALUES ('${stream}', '1 day')`)).to.equal('on')
      expect(await commits('SELECT 1')).to.equal('off')
      await client.query('SET synchronous_commit = local')
      expect(await commits(`SELECT store.expire('{1}')`)).to.equal('local')
    } finally {
      await client.close()
    }
  })

  // Such a plan counts as so expensive that the server compiles it at every call: a read of 60 streams took more than ten seconds.
  it('switches off jit in every function that forbids sequential scans', async () => {
    const client = openDatabase(database.url, { poolSize: 1 })
    const functions = await client.query<{ proname: string; no_jit: boolean }>(
      `SELECT proname, 'jit=off' = ANY (proconfig) AS no_jit FROM pg_proc WHERE 'enable_seqscan=off' = ANY (proconfig)`,
    )
    await client.close()
    expect(functions.map(({ proname }) => proname)).to.include.members(['append', 'read', 'page'])
    expect(functions.filter(({ no_jit }) => !no_jit)).to.deep.equal([])
  })

  it('leaves no dead row after a commit that every later append would have to skip', async () => {
    const client = openDatabase(database.url, { poolSize: 1 })
    const rowVersion = async () => (await client.query('SELECT ctid FROM store.head'))[0]
    try {
      const before = await rowVersion()
      for (let n = 0; n < 20; n++) await appended(store, [part(streamName(), NO_STREAM)])
      expect(await rowVersion()).to.deep.equal(before)
    } finally {
      await client.close()
    }
  })

  it('refuses a checkpoint that it never issued', async () => {
    expect(() => store.isAfter('C:12/P:12', '1')).to.throw(RangeError)
    expect(await store.readAll('-1', 1).catch((error: unknown) => error)).to.be.instanceOf(RangeError)
  })
})
