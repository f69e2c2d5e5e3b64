/** Sessions have the same settings, whatever the defaults of the database and the role are. */
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openReadModelTables } from '../../../adapters/postgres/ops/read-models.ts'
import { createSchema } from '../../../projections/engine/schema.ts'
import { search } from '../../../projections/search.ts'
import { HOSTILE_DEFAULTS } from '../../harness/stock-postgres/hostile-defaults.ts'
import { emptyDatabase, freshDatabase, type TestDatabase } from '../../harness/postgres.ts'

const SETTINGS = `SELECT name, setting FROM pg_settings WHERE context = 'user' AND name <> 'application_name' ORDER BY name`

describe('the settings of a session', () => {
  let plain: TestDatabase
  let hostile: TestDatabase
  let opened: Database[]
  const open = (...options: Parameters<typeof openDatabase>): Database => {
    const database = openDatabase(...options)
    opened.push(database)
    return database
  }

  const changeDefaults = async (url: string, defaults: Readonly<Record<string, string>>): Promise<void> => {
    const { pathname } = new URL(url)
    const database = openDatabase(url, { poolSize: 1 })
    for (const [name, value] of Object.entries(defaults))
      await database.query(`ALTER DATABASE ${pathname.slice(1)} SET ${name} = ${value}`)
    await database.close()
  }

  beforeEach(async () => {
    opened = []
    plain = await freshDatabase()
    hostile = await freshDatabase()
  })
  afterEach(async () => {
    await Promise.all(opened.map((database) => database.close()))
    await plain.drop()
    await hostile.drop()
  })

  it('are those of a database without defaults of its own, on every connection', async () => {
    await changeDefaults(hostile.url, HOSTILE_DEFAULTS)
    const [expected, database] = [await open(plain.url).query(SETTINGS), open(hostile.url)]
    expect(expected).to.deep.include({ name: 'synchronous_commit', setting: 'on' })
    expect(await database.query(SETTINGS)).to.deep.equal(expected)
    const client = await database.connect()
    expect((await client.query(SETTINGS)).rows).to.deep.equal(expected)
    await client.end()
    const second = open(hostile.url, { session: 'SET enable_seqscan = off' })
    expect((await second.query('SHOW enable_seqscan'))[0]).to.deep.equal({ enable_seqscan: 'off' })
    expect((await second.query('SHOW enable_indexscan'))[0]).to.deep.equal({ enable_indexscan: 'on' })
  })

  it('keep the settings that an operator knows better: the size of the cache, and commits that wait for a replica', async () => {
    await changeDefaults(hostile.url, { effective_cache_size: "'64GB'", synchronous_commit: 'remote_apply' })
    const database = open(hostile.url)
    expect((await database.query('SHOW effective_cache_size'))[0]).to.deep.equal({ effective_cache_size: '64GB' })
    expect((await database.query('SHOW synchronous_commit'))[0]).to.deep.equal({ synchronous_commit: 'remote_apply' })
  })

  it('find an extension in whatever schema an administrator has put it', async () => {
    const empty = await emptyDatabase()
    const database = openDatabase(empty.url)
    await database.query('CREATE SCHEMA extensions; CREATE EXTENSION pg_trgm SCHEMA extensions')
    const tables = openReadModelTables(database)
    await createSchema(tables, search)
    expect(await database.query(`SELECT to_regclass('search_model.checkpoint') IS NOT NULL AS there`)).to.deep.equal([
      { there: true },
    ])
    await tables.close()
    await database.close()
    await empty.drop()
  })
})
