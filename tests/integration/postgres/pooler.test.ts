/** Baoco behind a real pooler: it works with session pooling, and refuses to start where sessions are mixed. */
import { expect } from 'chai'
import pg from 'pg'
import { openDatabase } from '../../../adapters/database/database.ts'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { launchBaoco, newDataFolder, removeDataFolder } from '../../harness/baoco-process.ts'
import { eventually } from '../../harness/eventually.ts'
import { needsPgBouncer } from '../../harness/pgbouncer/install.ts'
import { startPgBouncer, type PgBouncer, type PoolMode } from '../../harness/pgbouncer/server.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { World } from '../../harness/world.ts'
import { errorOf } from '../../harness/outcomes.ts'

/** Two that are used in turn could always meet the same two clients again. */
const openServerConnections = async (url: string, count: number): Promise<void> => {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }))
  await Promise.all(clients.map((client) => client.connect().then(() => client.query('SELECT pg_sleep(0.1)'))))
  await Promise.all(clients.map((client) => client.end()))
}

const SECRETS = { JWT_SECRET: 'j'.repeat(64), VAULT_KEY: 'a'.repeat(64) }

describe('a pooler in front of Postgres', () => {
  needsPgBouncer()
  let database: TestDatabase
  let pooler: PgBouncer
  beforeEach(async () => {
    database = await freshDatabase()
  })
  afterEach(async () => {
    await pooler?.remove()
    await database?.drop()
  })

  const refusalOf = async (command: string): Promise<string> => {
    const dataFolder = await newDataFolder()
    const started = launchBaoco(dataFolder, { DATABASE_URL: pooler.url, ...SECRETS }, command)
    try {
      expect(await started.ended).to.equal(1)
      return started.output()
    } finally {
      await started.kill()
      await removeDataFolder(dataFolder)
    }
  }

  it('in transaction mode is refused at the start, in one sentence that says what to do', async () => {
    pooler = await startPgBouncer(database.url, { mode: 'transaction' })
    for (const command of ['serve', 'migrate', 'audit'])
      expect(await refusalOf(command)).to.equal(
        'baoco: DATABASE_URL names a pooler that can give each transaction a different session: name the Postgres server itself, or set the pooler to session pooling (PgBouncer: pool_mode = session)\n',
      )
  })

  it('is recognised in every mode, even if it uses its connections in turn', async () => {
    for (const mode of ['transaction', 'statement', 'session'] as PoolMode[])
      for (const inTurn of [false, true]) {
        pooler = await startPgBouncer(database.url, { mode, inTurn })
        const through = openDatabase(pooler.url, { poolSize: 1 })
        await openServerConnections(pooler.url, 2)
        const refusal = (await errorOf(through.query('SELECT 1')))?.name
        expect([mode, inTurn, refusal]).to.deep.equal([mode, inTurn, mode === 'session' ? undefined : 'MixedSessions'])
        await through.close()
        await pooler.remove()
      }
  })

  it('with too few connections is named', async () => {
    pooler = await startPgBouncer(database.url, { mode: 'session', size: 2 })
    const through = openDatabase(pooler.url, { poolSize: 3 })
    try {
      const failures = await Promise.all([1, 2, 3].map(() => errorOf(through.query('SELECT pg_sleep(6)'))))
      expect(failures.map((failure) => failure?.message).filter(Boolean)).to.deep.equal([
        'no answer on a new connection within 5 s: the server is slow, or a pooler has too few connections (each process of Baoco needs up to 22)',
      ])
    } finally {
      await through.close()
    }
  })

  it('in session mode is used like the server', async () => {
    pooler = await startPgBouncer(database.url, { mode: 'session' })
    const servers = () =>
      Promise.resolve({ env: { DATABASE_URL: pooler.url, ...SECRETS }, close: () => Promise.resolve() })
    const world = await World.open({ servers })
    try {
      const shop = await world.openShop()
      await world.addRule(shop)
      const id = await world.post(vietcombankText(1, 'DH1'))
      await eventually(() => shop.calls.length === 1)
      expect((await world.api('GET', `/api/transactions/${id}`)).status).to.equal(200)
    } finally {
      await world.close()
    }
  })
})
