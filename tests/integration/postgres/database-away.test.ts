/** A database that is away for a while on a server that runs, as while it is restored or renamed. */
import { expect } from 'chai'
import { launchBaoco, newDataFolder, removeDataFolder } from '../../harness/baoco-process.ts'
import { fromVietcombank, vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import { secrets } from '../../harness/servers.ts'
import { needsStockPostgres } from '../../harness/stock-postgres/install.ts'
import { startStockPostgres, type StockDatabase, type StockPostgres } from '../../harness/stock-postgres/server.ts'
import { World } from '../../harness/world.ts'

describe('a database that is away', () => {
  needsStockPostgres()
  let server: StockPostgres
  let database: StockDatabase
  let world: World
  before(async () => {
    server = await startStockPostgres()
    database = await server.database()
    world = await World.open({
      servers: () => Promise.resolve({ env: { DATABASE_URL: database.url(), ...secrets() }, close: async () => {} }),
    })
  })
  after(async () => {
    await world?.close()
    await server?.remove()
  })

  it('is an outage: phones send again, and everything continues when it is back', async () => {
    const shop = await world.openShop()
    await world.addRule(shop)
    const { name } = database
    await server.administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await server.administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
    await server.administer(`ALTER DATABASE ${name} RENAME TO ${name}_away`)
    const url = fromVietcombank(world.installation.personalUrl)
    const post = () => fetch(url, { method: 'POST', body: vietcombankText(1, 'DH1') })
    const refused = await post()
    expect([refused.status, refused.headers.has('retry-after')]).to.deep.equal([503, true])
    expect(await refused.json()).to.include({ success: false, error: 'STORE_UNAVAILABLE' })
    expect((await world.api('GET', '/api/transactions')).status).to.equal(503)
    await server.administer(`ALTER DATABASE ${name}_away RENAME TO ${name}`)
    await server.administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await eventually(async () => (await post()).status === 200, { what: 'an accepted notification' })
    await eventually(() => shop.calls.length === 1, { what: 'its call' })
  })

  const refusalOf = async (url: string): Promise<string> => {
    const dataFolder = await newDataFolder()
    const start = launchBaoco(dataFolder, { DATABASE_URL: url, ...secrets() })
    expect(await start.ended).to.equal(1)
    await removeDataFolder(dataFolder)
    return start.output()
  }

  it('prevents a start, which names the cause in one line', async () => {
    expect(await refusalOf(database.url(undefined, 'nowhere'))).to.match(/^baoco: database "nowhere" does not exist$/m)
  })

  it('prevents a start if a setting of the server is too low for any statement, and names it', async () => {
    const low = await server.database({ work_mem: "'64kB'" })
    await server.administer(`ALTER ROLE ${low.name} SET temp_file_limit = '64kB'`)
    expect(await refusalOf(low.url())).to.match(/^baoco: temporary file size exceeds temp_file_limit \(64kB\)$/m)
  })
})
