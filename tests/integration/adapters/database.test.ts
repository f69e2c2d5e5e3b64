import { expect } from 'chai'
import { openDatabase, type Database, type Queryable } from '../../../adapters/database/database.ts'
import { BY_KEY } from '../../../adapters/database/session.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'

describe('database', () => {
  let testDatabase: TestDatabase
  let database: Database
  beforeEach(async () => {
    testDatabase = await freshDatabase()
    database = openDatabase(testDatabase.url)
  })
  afterEach(async () => {
    await database.close()
    await testDatabase.drop()
  })

  it('fails only the transaction whose connection was cut while it was idle, and stays usable', async () => {
    const failed = await database
      .transaction(async (transaction) => {
        const [own] = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
        await database.query('SELECT pg_terminate_backend($1)', [own!.pid])
        await eventually(
          async () => (await database.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [own!.pid])).length === 0,
        )
        // The error arrives on the socket while no query runs on that connection.
        for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
      })
      .catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(Error)
    expect(await database.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }])
  })

  it('keeps nothing of a transaction whose work fails, and uses its connection again', async () => {
    const one = openDatabase(testDatabase.url, { poolSize: 1 })
    try {
      await one.query('CREATE TABLE public.kept (id integer)')
      const work = one.transaction(async (transaction) => {
        await transaction.query('INSERT INTO public.kept VALUES (1)')
        throw new Error('no')
      })
      await work.catch(() => {})
      await one.query('INSERT INTO public.kept VALUES (2)')
      expect(await database.query('SELECT id FROM public.kept')).to.deep.equal([{ id: 2 }])
    } finally {
      await one.close()
    }
  })

  it('gives up the connection of a transaction that the server refused as read-only: it has become a standby', async () => {
    const one = openDatabase(testDatabase.url, { poolSize: 1 })
    const backend = async (by: Queryable = one) =>
      (await by.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]!.pid
    try {
      const before = await backend()
      const refused = one.transaction(async (transaction) => {
        await transaction.query('SET TRANSACTION READ ONLY')
        await transaction.query('CREATE TABLE public.kept (id integer)')
      })
      expect(await refused.catch(({ code }: { code: string }) => code)).to.equal('25006')
      expect(await backend()).not.to.equal(before)
    } finally {
      await one.close()
    }
  })

  it('returns times as ISO 8601 in UTC with milliseconds, whatever the time zone of the session', async () => {
    const texts = ['2026-01-05 02:30:00.123+00', '2026-01-05 02:30:00+00', '2026-01-05 02:30:00.1+00']
    const odd = ['2026-01-05 02:30:00.123999+00', '2026-01-05 09:30:00.123+07', '12026-01-05 02:30:00.12+00']
    const given = await database.query<{ at: string }>('SELECT unnest($1::timestamptz[]) AS at', [[...texts, ...odd]])
    expect(given.map(({ at }) => at)).to.deep.equal([
      '2026-01-05T02:30:00.123Z',
      '2026-01-05T02:30:00.000Z',
      '2026-01-05T02:30:00.100Z',
      '2026-01-05T02:30:00.123Z',
      '2026-01-05T02:30:00.123Z',
      '+012026-01-05T02:30:00.120Z',
    ])
    await database.transaction(async (transaction) => {
      await transaction.query("SET LOCAL timezone = 'Asia/Ho_Chi_Minh'")
      const [there] = await transaction.query<{ at: string }>('SELECT $1::timestamptz AS at', [texts[0]])
      expect(there!.at).to.equal('2026-01-05T02:30:00.123Z')
    })
  })

  it('applies the session settings to every connection', async () => {
    const byKey = openDatabase(testDatabase.url, { poolSize: 3, session: BY_KEY })
    const settings = ['plan_cache_mode', 'enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']
    const shown = (from: Database) =>
      from.query(
        `SELECT pg_backend_pid() AS pid, current_setting(name) AS setting FROM unnest($1::text[]) AS name
        CROSS JOIN pg_sleep(0.01)`,
        [settings],
      ) as Promise<{ pid: number; setting: string }[]>
    const answers = await Promise.all([shown(byKey), shown(byKey), shown(byKey)])
    expect(new Set(answers.map(([first]) => first!.pid)).size).to.equal(3)
    for (const rows of answers)
      expect(rows.map(({ setting }) => setting)).to.deep.equal(['force_generic_plan', 'off', 'off', 'off'])
    expect((await shown(database)).map(({ setting }) => setting)).to.deep.equal(['auto', 'on', 'on', 'on'])
    await byKey.close()
  })

  it('keeps one idle connection open and uses it again', async () => {
    const backend = async () =>
      (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid FROM pg_sleep(0.01)'))[0]!.pid
    const pids = await Promise.all([backend(), backend(), backend()])
    const other = openDatabase(testDatabase.url, { poolSize: 1 })
    const left = () => other.query('SELECT 1 FROM pg_stat_activity WHERE pid = ANY ($1)', [pids])
    await eventually(async () => (await left()).length === 1, { within: 60_000 })
    expect(pids).to.include(await backend())
    await other.close()
  })

  it('ends a statement on the server when its caller gives up, so that given-up statements do not pile up there', async () => {
    const slow =
      'SELECT count(*) FROM generate_series(1, 10000) a, generate_series(1, 10000) b, generate_series(1, 100) c'
    expect(
      await database
        .within(200)
        .query(slow)
        .catch((error: Error) => error.message),
    ).to.equal('Query read timeout')
    const running = () =>
      database.query(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query = $1 AND datname = current_database()",
        [slow],
      )
    await eventually(async () => (await running()).length === 0, { within: 20_000 })
  })

  it('waits for a connection while all are busy, even if the process was blocked meanwhile', async () => {
    const narrow = openDatabase(testDatabase.url, { poolSize: 1 })
    await narrow.query('SELECT 1')
    const long = narrow.query('SELECT pg_sleep(0.3)')
    const waiting = narrow.query('SELECT 1 AS one')
    await new Promise((resolve) => setImmediate(resolve))
    // Blocks for longer than the connection timeout of the pool.
    for (const end = performance.now() + 5_200; performance.now() < end;);
    expect(await waiting).to.deep.equal([{ one: 1 }])
    await long
    await narrow.close()
  })
})
