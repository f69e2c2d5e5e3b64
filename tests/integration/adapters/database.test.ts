import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/postgres/database.ts'
import { eventually } from '../../support/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts'

describe('database', () => {
  let place: TestDatabase
  let database: Database
  beforeEach(async () => {
    place = await freshDatabase()
    database = openDatabase(place.url)
  })
  afterEach(async () => {
    await database.close()
    await place.drop()
  })

  it('fails a transaction whose connection was cut while it waited for us, and nothing else', async () => {
    const failed = await database
      .transaction(async (transaction) => {
        const [own] = await transaction.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
        await database.query('SELECT pg_terminate_backend($1)', [own!.pid])
        await eventually(
          async () => (await database.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [own!.pid])).length === 0,
        )
        // The news of it comes on the socket, while nobody asks that connection anything.
        for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
      })
      .catch((error: unknown) => error)
    expect(failed).to.be.instanceOf(Error)
    expect(await database.query('SELECT 1 AS one')).to.deep.equal([{ one: 1 }])
  })

  it('waits its turn while all connections are busy, also where the process was held up meanwhile', async () => {
    const narrow = openDatabase(place.url, { poolSize: 1 })
    await narrow.query('SELECT 1')
    const long = narrow.query('SELECT pg_sleep(0.3)')
    const waiting = narrow.query('SELECT 1 AS one')
    await new Promise((resolve) => setImmediate(resolve))
    // Longer than the pool lets anybody wait.
    for (const end = performance.now() + 5_200; performance.now() < end;);
    expect(await waiting).to.deep.equal([{ one: 1 }])
    await long
    await narrow.close()
  })
})
