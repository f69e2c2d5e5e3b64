/** Tests that `baoco project` runs the search projector like the main one: one process runs it, and another takes over. */
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import {
  newDataFolder,
  removeDataFolder,
  startBaoco,
  type DataFolder,
  type Running,
} from '../../harness/baoco-process.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { appendAll, History } from '../projections/history.ts'

describe('two processes that project', () => {
  let own: TestDatabase
  let database: Database
  const dataFolders: DataFolder[] = []
  const running: Running[] = []

  before(async () => {
    own = await freshDatabase()
    database = openDatabase(own.url)
  })
  after(async () => {
    await Promise.all(running.map((each) => each.kill()))
    await database.close()
    await own.drop()
    for (const dataFolder of dataFolders) await removeDataFolder(dataFolder)
  })

  const start = async (): Promise<Running> => {
    const dataFolder = await newDataFolder()
    dataFolders.push(dataFolder)
    const env = { DATABASE_URL: own.url, JWT_SECRET: 'j'.repeat(32), VAULT_KEY: '0'.repeat(64) }
    const started = await startBaoco(dataFolder, env, 'project')
    running.push(started)
    return started
  }
  const holder = async (): Promise<string | undefined> =>
    (await database.query<{ holder: string }>("SELECT holder FROM ops.lease WHERE name = 'projector search'"))[0]
      ?.holder

  it('keep the search tables up to date if the active one is killed: the other takes over', async () => {
    const first = await start()
    await eventually(async () => (await holder()) !== undefined, { within: 60_000 })
    const held = await holder()
    await start()
    expect(await holder()).to.equal(held)
    await first.kill()
    await eventually(async () => ![undefined, held].includes(await holder()), { within: 60_000 })

    const store = await openPostgresEventStore({ url: own.url, parse: parseEvent })
    await appendAll(store, new History(71).grow(50).decided, new Map())
    await store.close()
    const rows = async (table: string) =>
      (await database.query<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]!.n
    const transactions = 'read_model.transaction'
    await eventually(async () => (await rows(transactions)) > 0, { within: 60_000 })
    await eventually(async () => (await rows('search_model.searchable')) === (await rows(transactions)), {
      within: 60_000,
    })
  })
})
