/** A clock that jumps causes no deletion. */
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openClockMemory } from '../../../adapters/postgres/ops/clock-memory.ts'
import { sweepInboxCalls } from '../../../adapters/inbox/calls.ts'
import { sweepOutbox } from '../../../adapters/mail-out/outbox.ts'
import { onBelievedClock } from '../../../workflows/scheduled/believed-clock.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'

describe('scheduled work that deletes old data', () => {
  let testDatabase: TestDatabase
  let database: Database
  let logged: string[]
  /** How far the clock of the process is ahead: milliseconds. */
  let ahead: number

  beforeEach(async () => {
    testDatabase = await freshDatabase()
    database = openDatabase(testDatabase.url, { poolSize: 1 })
    logged = []
    ahead = 0
  })
  afterEach(async () => {
    await database.close()
    await testDatabase.drop()
  })

  const sweeps = () => {
    const clock = { now: () => new Date(Date.now() + ahead) }
    const log = { warn: (_fields: object, what: string) => void logged.push(what) }
    const jobs = [sweepOutbox(database), sweepInboxCalls(database)]
    return onBelievedClock({ clock, memory: openClockMemory(database), log }, jobs)
  }
  const sweep = () => sweeps()[0]!.run(new AbortController().signal)
  const mail = (age: string) =>
    database.query(
      "INSERT INTO ops.outbox (recipient, subject, body, created_at) VALUES ('u@shop.vn', 's', 'b', now() - $1::interval)",
      [age],
    )

  it('waits for a day after the clock of the database jumped, and then continues', async () => {
    expect(await sweep()).to.equal(null)
    // To the database, all rows are ten days older than a moment ago.
    await database.query("UPDATE ops.clock SET seen_at = seen_at - interval '10 days'")
    // The clock of the process did not jump.
    ahead = -10 * 86_400_000
    await mail('10 days')
    for (let times = 0; times < 2; times++) expect(await sweep()).to.equal(null)
    expect(logged).to.deep.equal(['clock.doubted'])
    await database.query("UPDATE ops.clock SET doubted_until = doubted_until - interval '1 day'")
    expect(await sweep()).to.deep.equal({ swept: 1 })
  })

  it('says so once, although several jobs are due after a suspension', async () => {
    await sweep()
    ahead = 3 * 86_400_000
    await Promise.all(sweeps().map(({ run }) => run(new AbortController().signal)))
    expect(logged).to.deep.equal(['clock.doubted'])
  })

  it('continues at once when the clock is set back', async () => {
    await sweep()
    await mail('10 days')
    ahead = 7 * 86_400_000
    expect(await sweep()).to.equal(null)
    ahead = 0
    expect(await sweep()).to.deep.equal({ swept: 1 })
  })
})
