/** `baoco status`, as the operator types it, while a process works on the installation. */
import { expect } from 'chai'
import pg from 'pg'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import { openPostgresEventStore } from '../../adapters/event-store/postgres/store.ts'
import { openLease } from '../../adapters/database/lease.ts'
import { enter, type Presence } from '../../adapters/database/presence.ts'
import { whileDeleting } from '../../adapters/postgres/ops/deletions.ts'
import { parseEvent } from '../../domain/parse-event.ts'
import { stamp } from '../../workflows/support/stamp.ts'
import { commandAsProcess, commandInProcess } from '../harness/command-in-process.ts'
import { eventually } from '../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../harness/postgres.ts'
import { secrets } from '../harness/servers.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'
import { startStockPostgres, type StockPostgres } from '../harness/stock-postgres/server.ts'
import { appendAll, History } from './projections/history.ts'

describe('baoco status', function () {
  let testDatabase: TestDatabase
  let database: Database
  let presence: Presence
  const ending = new AbortController()
  let changes: boolean[]
  let held: Promise<void>

  before(async () => {
    testDatabase = await freshDatabase()
    database = openDatabase(testDatabase.url)
    presence = await enter(database, 'project')
    changes = []
    held = openLease({
      database,
      name: 'planned work',
      process: 'project, process 7 on host',
      onChange: (isHeld) => changes.push(isHeld),
    }).hold((signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())), ending.signal)
    await eventually(() => changes.length === 1)
  })
  after(async () => {
    await presence.leave()
    await database.close()
    await testDatabase.drop()
  })

  /** The process of this test goes on meanwhile, and renews its lease. */
  const statusOf = async (options = ''): Promise<string> => {
    const { status, stdout, stderr } = await commandInProcess(['status'], {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: testDatabase.url + options,
      JWT_SECRET: 'j'.repeat(32),
      VAULT_KEY: 'ab'.repeat(32),
    })
    expect([status, stderr]).to.deep.equal([0, ''])
    return stdout
  }

  it('prints processes, leases, lags, deliveries, versions and sizes', async () => {
    const stdout = await statusOf()
    for (const line of [
      /^process {3}baoco \(project\) {2}\d+\.\d+\S* {2}since 20\S+Z/m,
      /^lease {5}planned work {2}project, process 7 on host {2}since 20\S+Z$/m,
      /^mailboxes 0 read$/m,
      /^projector main {2}up to date {2}lag 0\.0 s {2}last event none$/m,
      /^clock {5}agrees with the database$/m,
      /^overdue {3}0$/m,
      /^breakers {2}0 open$/m,
      /^parked {4}0 streams$/m,
      /^versions {2}Baoco \d+\.\d+\S* {2}Postgres \d+\S*.* {2}tables \d{3}_\w+ {2}Node \d+/m,
      /^disk {6}\d+ MiB {2}ops \d+ MiB {2}read_model \d+ MiB/m,
    ])
      expect(stdout).to.match(line)
  })

  it('shows by how many seconds a projector is behind, and a process of another version', async () => {
    const store = await openPostgresEventStore({ url: testDatabase.url, parse: parseEvent })
    await appendAll(store, new History(1).decided, new Map())
    await store.close()
    await database.query(`UPDATE read_model.checkpoint SET updated_at = now() - interval '90 seconds'`)
    const older = new pg.Client({ connectionString: testDatabase.url })
    await older.connect()
    try {
      await older.query(`SET application_name = 'baoco (deliver) 0.0.9'`)
      await older.query(`SELECT pg_advisory_lock_shared(hashtext('baoco'), hashtext('presence'))`)
      const stdout = await statusOf()
      expect(stdout).to.match(/^projector main {2}behind {2}lag \d{2,3}\.\d s {2}last event 20/m)
      expect(stdout).to.match(/^process {3}baoco \(deliver\) {2}0\.0\.9 {2}since 20/m)
    } finally {
      await older.end()
    }
  })

  it('names a process that logs in as a role whose sessions the server does not show', async () => {
    const role = `reader_of_${new URL(testDatabase.url).pathname.slice(1)}`
    await database.query(`CREATE ROLE ${role} IN ROLE pg_read_all_data`)
    try {
      const stdout = await statusOf(`?options=-c%20role%3D${role}`)
      expect(stdout).to.match(/^process {3}baoco \(project\) {2}\d+\.\d+\S* {2}of another role$/m)
    } finally {
      await database.query(`DROP ROLE ${role}`)
    }
  })

  it('names a setting that differs between processes', async () => {
    const other = await enter(database, 'api')
    try {
      await other.show({ BASE_URL: 'https://pay.example' })
      await presence.show({ BASE_URL: 'null' })
      expect(await statusOf()).to.match(/^settings {2}BASE_URL differs: baoco \(api\).* \| baoco \(project\)/m)
    } finally {
      await other.leave()
    }
  })

  it('says since when the deletion of an account has been running, and prints the command that finishes an interrupted one', async () => {
    const store = await openPostgresEventStore({ url: testDatabase.url, parse: parseEvent })
    const [[newest] = []] = await store.read([{ stream: 'account-2', backwards: true, limit: 1 }])
    const occasion = { user_id: 2, at: new Date(), correlation_id: 'delete', causation_id: 'delete' }
    const events = stamp([{ type: 'AccountDeleted', data: { user_id: 2 } }], occasion)
    await store.append([[{ stream: 'account-2', expectedRevision: newest!.revision, events }]])
    await store.close()
    const killed = whileDeleting(database, 2, async () => {
      expect(await statusOf()).to.match(/^deletion {2}runs since 20\S+Z$/m)
      throw new Error('killed')
    })
    await killed.catch(({ message }: Error) => expect(message).to.equal('killed'))
    expect(await statusOf()).to.match(
      /^deletion {2}begun 20\S+Z, interrupted: run baoco account delete 'user-2@example\.com' --yes$/m,
    )
  })

  it('no longer shows a lease when its process has ended', async () => {
    ending.abort()
    await held
    expect(changes).to.deep.equal([true, false])
    expect(await database.query('SELECT FROM ops.lease')).to.deep.equal([])
  })
})

describe('baoco status on a server that has too few connections left', () => {
  needsStockPostgres()
  let server: StockPostgres
  before(async () => {
    server = await startStockPostgres()
  })
  after(() => server?.remove())

  it('needs only two', async () => {
    const database = await server.database()
    await migrateDatabase(database.url())
    await server.administer(`ALTER ROLE ${database.name} CONNECTION LIMIT 2`)
    const env = { PATH: process.env.PATH ?? '', DATABASE_URL: database.url(), ...secrets() }
    const { status, stdout } = await commandAsProcess(['status'], env)
    expect(status).to.equal(0)
    expect(stdout).to.match(/^versions {2}Baoco /m)
    await server.administer(`ALTER ROLE ${database.name} CONNECTION LIMIT -1`)
    await database.drop()
  })

  it('waits for a statement that takes longer than a turn in the pool', async () => {
    const database = await server.database()
    await migrateDatabase(database.url())
    const pool = openDatabase(database.url())
    const env = { PATH: process.env.PATH ?? '', DATABASE_URL: database.url(), ...secrets() }
    const { stdout } = await pool
      .transaction(async (transaction) => {
        await transaction.query('LOCK TABLE ops.audit')
        const status = commandInProcess(['status'], env)
        const waits = `SELECT count(*) AS locks FROM pg_locks
        JOIN pg_stat_activity a USING (pid) WHERE NOT granted AND now() - a.query_start > '10.5 s'`
        const isWaiting = async () => (await pool.query<{ locks: number }>(waits))[0]!.locks > 0
        await Promise.race([status, eventually(isWaiting, { within: 30_000 })])
        return { status }
      })
      .then(({ status }) => status)
    expect(stdout).to.match(/^audit {5}never/m)
    await pool.close()
    await database.drop()
  })
})
