import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import { openReadModelTables } from '../../adapters/postgres/ops/read-models.ts'
import { createSchema } from '../../projections/engine/schema.ts'
import { main } from '../../projections/main.ts'
import { eventually } from '../harness/eventually.ts'
import { emptyDatabase, type TestDatabase } from '../harness/postgres.ts'

describe('migrations', () => {
  let fresh: TestDatabase
  let database: Database
  let folder: string
  const write = (name: string, sql: string) => fs.writeFileSync(join(folder, name), sql)

  beforeEach(async () => {
    fresh = await emptyDatabase()
    database = openDatabase(fresh.url, { poolSize: 1 })
    folder = fs.mkdtempSync(join(tmpdir(), 'baoco-migrations-'))
  })
  afterEach(async () => {
    await database.close()
    await fresh.drop()
    fs.rmSync(folder, { recursive: true })
  })

  it('bring an empty database to the current schema, and do nothing the second time', async () => {
    expect(await migrateDatabase(fresh.url)).to.not.be.empty
    expect(await migrateDatabase(fresh.url)).to.deep.equal([])
  })

  it('run in order, each once', async () => {
    write('010_last.sql', 'INSERT INTO step VALUES (10)')
    write('002_second.sql', 'INSERT INTO step VALUES (2)')
    write('001_first.sql', 'CREATE TABLE step (number int, at int GENERATED ALWAYS AS IDENTITY)')
    write('notes.txt', 'not a migration')
    expect(await migrateDatabase(fresh.url, folder)).to.deep.equal(['001_first', '002_second', '010_last'])
    write('011_more.sql', 'INSERT INTO step VALUES (11)')
    expect(await migrateDatabase(fresh.url, folder)).to.deep.equal(['011_more'])
    const steps = await database.query<{ number: number }>('SELECT number FROM step ORDER BY at')
    expect(steps.map(({ number }) => number)).to.deep.equal([2, 10, 11])
  })

  for (const [name, before] of [
    ['041_announcements', '041'],
    ['046_process_clock', '044'],
  ] as const)
    it(`update a database that has run ${name}, a file that is gone`, async () => {
      const current = fileURLToPath(new URL('../../adapters/database/migrations', import.meta.url))
      for (const file of fs.readdirSync(current))
        if (file < before) fs.copyFileSync(join(current, file), join(folder, file))
      write(
        `${name}.sql`,
        name.endsWith('clock') ? fs.readFileSync(join(current, '044_process_clock.sql'), 'utf8') : '',
      )
      expect(await migrateDatabase(fresh.url, folder)).to.include(name)
      expect(await migrateDatabase(fresh.url)).to.include('046_vault_key')
      expect(await migrateDatabase(fresh.url)).to.deep.equal([])
    })

  it('leave the database unchanged if one fails, and name the one that failed', async () => {
    write('001_good.sql', 'CREATE TABLE good ()')
    write('002_bad.sql', 'CREATE TABEL bad ()')
    const error = await migrateDatabase(fresh.url, folder).catch((reason: Error) => reason)
    expect((error as Error).message).to.match(/could not be migrated.*TABEL/)
    expect(await database.query("SELECT to_regclass('good') AS good")).to.deep.equal([{ good: null }])
  })

  it('say that Baoco needs its own database if another program has tables of the same names', async () => {
    await database.query('CREATE SCHEMA store; CREATE TABLE store.event (name text)')
    const error = await migrateDatabase(fresh.url).catch((reason: Error) => reason)
    expect((error as Error).message).to.match(
      /^the database could not be migrated: .* does not exist\. Do tables of another program or role have the same names\? Baoco needs a database of its own$/,
    )
  })

  it('are not named as the cause if the server refuses the connection', async () => {
    const url = new URL(fresh.url)
    url.pathname = '/no_such_database'
    const error = await migrateDatabase(url.href, folder).catch((reason: Error) => reason)
    expect((error as Error).message).to.equal(
      'the database could not be opened: database "no_such_database" does not exist',
    )
  })

  it('accept function bodies unchanged', async () => {
    write(
      '001_function.sql',
      'CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ BEGIN /* {x} :y */ RETURN 2; END $$;',
    )
    await migrateDatabase(fresh.url, folder)
    expect(await database.query('SELECT two()')).to.deep.equal([{ two: 2 }])
  })

  it('wait for each other when processes start side by side', async () => {
    write('001_slow.sql', 'CREATE TABLE slow (); SELECT pg_sleep(0.2)')
    const ran = await Promise.all([1, 2, 3].map(() => migrateDatabase(fresh.url, folder)))
    expect(ran.flat()).to.deep.equal(['001_slow'])
  })

  it('that are interrupted change nothing, and the server ends their statement too', async () => {
    write('001_long.sql', 'CREATE TABLE long (); SELECT pg_sleep(600)')
    const running = () =>
      database.query(`SELECT FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()`)
    const stopping = new AbortController()
    const migrating = migrateDatabase(fresh.url, folder, stopping.signal).catch((error: Error) => error)
    await eventually(async () => (await running()).length === 1, { what: 'the statement' })
    stopping.abort()
    expect(await migrating).to.be.instanceOf(Error)
    await eventually(async () => (await running()).length === 0, { what: 'its end' })
    expect(await database.query("SELECT to_regclass('long') AS long")).to.deep.equal([{ long: null }])
  })

  it('add indexes to read models that exist, under the names that they have in new ones', async () => {
    await migrateDatabase(fresh.url)
    const indexes = () =>
      database.query(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN ('delivery', 'alert') ORDER BY tablename, indexname",
      )
    await createSchema(openReadModelTables(database), main)
    const ofNewTables = await indexes()
    await database.query('DROP INDEX read_model.delivery_lane_due_at_rule_id_idx, read_model.alert_kind_user_id_idx')
    await database.query("DELETE FROM migrations WHERE name >= '020'")
    expect(await migrateDatabase(fresh.url)).to.include.members(['020_due_index', '021_lasting_alerts'])
    expect(await indexes()).to.deep.equal(ofNewTables)
  })
})
