import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { StoreAway } from '../../../domain/errors.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import { keptFor, KEPT_S } from '../../../domain/retention.ts'
import { expireEvents, applyRetention } from '../../../workflows/scheduled/expire-events.ts'
import { runScheduled, type ScheduledJob } from '../../../workflows/scheduled/scheduled-work.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase } from '../../harness/postgres.ts'

const EVERY_SECOND = '* * * * * *'

describe('scheduled work', () => {
  const running = (jobs: ScheduledJob[]) => {
    const logged: [what: string, fields: object][] = []
    const line = (fields: object, what: string) => void logged.push([what, fields])
    const ending = new AbortController()
    const debug = (fields: object, what: string) => void logged.push([`debug ${what}`, fields])
    const done = runScheduled(jobs, { debug, info: line, error: line }, { now: () => new Date() }, ending.signal, 20)
    const end = async () => {
      ending.abort()
      await done
    }
    return { logged, end }
  }

  it('runs at its time, runs again after a failure, and logs both', async () => {
    let runs = 0
    const { logged, end } = running([
      {
        name: 'job',
        at: EVERY_SECOND,
        run: async () => {
          if (++runs === 1) throw new Error('not this time')
          return { swept: runs }
        },
      },
    ])
    await eventually(() => logged.length >= 2)
    await end()
    expect(logged[0]).to.deep.equal(['scheduled.failed', { job: 'job', reason: 'not this time' }])
    expect(logged[1]![0]).to.equal('scheduled.done')
    expect(logged[1]![1]).to.include({ job: 'job', swept: 2 })
  })

  it('reports no failure for each run of an outage that has its own lines', async () => {
    const away = () => Promise.reject(new StoreAway('the event store has not responded for 20 s'))
    const { logged, end } = running([{ name: 'job', at: EVERY_SECOND, run: away }])
    await eventually(() => logged.length >= 2)
    await end()
    expect(new Set(logged.map(([what]) => what))).to.deep.equal(new Set(['debug scheduled.failed']))
  })

  /** Shows all code another time during the test. @param aheadMs  of the real time */
  const withClock = async (aheadMs: number, test: () => Promise<unknown>): Promise<void> => {
    const RealDate = Date
    const now = () => RealDate.now() + aheadMs
    globalThis.Date = class extends RealDate {
      constructor(...given: [] | [number]) {
        super(given[0] ?? now())
      }
      static override now = now
    } as DateConstructor
    await test().finally(() => (globalThis.Date = RealDate))
  }

  it('continues when the clock is set back or jumps ahead', async () => {
    let runs = 0
    const { end } = running([{ name: 'job', at: EVERY_SECOND, run: async () => (runs++, null) }])
    try {
      // After a month, the times that have passed must not be counted one by one.
      for (const minutes of [-10, 10, 30 * 24 * 60]) {
        const before = runs
        await withClock(minutes * 60_000, () => eventually(() => runs >= before + 2))
      }
    } finally {
      await end()
    }
  })

  it('runs a job at once whose time has passed, as while the machine was suspended', async () => {
    let runs = 0
    const soon = new Date(Date.now() + 600_000)
    const at = `${soon.getUTCSeconds()} ${soon.getUTCMinutes()} ${soon.getUTCHours()} * * *`
    const { end } = running([{ name: 'job', at, run: async () => (runs++, null) }])
    try {
      await withClock(3_600_000, () => eventually(() => runs === 1))
    } finally {
      await end()
    }
  })

  it('begins no job that still runs, and stops on its signal, after that job', async () => {
    let hasEnded = false
    let runs = 0
    let runsOfOther = 0
    const { end } = running([
      {
        name: 'job',
        at: EVERY_SECOND,
        run: async (signal) => {
          runs++
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => setImmediate(resolve)))
          hasEnded = true
          return null
        },
      },
      { name: 'other', at: EVERY_SECOND, run: async () => (runsOfOther++, null) },
    ])
    await eventually(() => runsOfOther >= 3)
    expect(runs).to.equal(1)
    await end()
    expect(hasEnded).to.equal(true)
  })

  it('removes expired deduplication windows, ignored notifications and unread notifications, and nothing else', async () => {
    const testDatabase = await freshDatabase()
    const database = openDatabase(testDatabase.url)
    const store = await openPostgresEventStore({ url: testDatabase.url, parse: parseEvent })
    try {
      await applyRetention(store)
      const streams = ['book-1-VCB', 'ignored-1', 'unread-1', 'transaction-1', 'account-1']
      const metadata = {
        user_id: 1,
        at: '2026-01-01T00:00:00.000Z',
        correlation_id: 'c',
        causation_id: 'c',
        version: 1,
      }
      const old = (stream: string) => [
        { stream, expectedRevision: -1, events: [{ id: randomUUID(), type: 'Test', data: {}, metadata }] },
      ]
      await store.append(streams.map(old))
      // This age is past the retention of deduplication windows and within the retention of ignored notifications.
      const age = (KEPT_S['book-'] + KEPT_S['ignored-']) / 2
      await database.query('UPDATE store.event SET created_at = created_at - make_interval(secs => $1)', [age])
      expect(await expireEvents(store).run(new AbortController().signal)).to.deep.equal({ removed: 1 })
      const left = (await store.readAll(null, 10)).map(({ stream }) => stream)
      expect(left).to.deep.equal(['ignored-1', 'unread-1', 'transaction-1', 'account-1'])
      expect(await expireEvents(store).run(new AbortController().signal)).to.equal(null)
      await database.query("UPDATE store.event SET created_at = created_at - interval '1 year'")
      expect(await expireEvents(store).run(new AbortController().signal)).to.deep.equal({ removed: 2 })
      expect((await store.readAll(null, 10)).map(({ stream }) => stream)).to.deep.equal(['transaction-1', 'account-1'])
    } finally {
      await store.close()
      await database.close()
      await testDatabase.drop()
    }
  })

  it('keeps deduplication windows for a week, unread notifications for a year, and credits for two years', () => {
    const days = ['book-1-VCB', 'ignored-1', 'unread-1', 'credits-1-0'].map((stream) => keptFor(stream)! / 86_400)
    expect(days).to.deep.equal([7, 30, 365, 730])
    for (const stream of ['transaction-1', 'account-1', 'credit-segments-1']) expect(keptFor(stream)).to.equal(null)
  })
})
