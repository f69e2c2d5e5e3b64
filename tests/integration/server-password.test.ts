/** "Rotate keys" of docs/operate.md: the password of a server is changed on the server, then in the setting, and Baoco restarts. */
import { expect } from 'chai'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { secrets } from '../harness/servers.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'
import { startStockPostgres, type StockPostgres } from '../harness/stock-postgres/server.ts'
import { World } from '../harness/world.ts'

describe('a change of the password of Postgres', function () {
  this.timeout(180_000)
  needsStockPostgres()
  let server: StockPostgres
  let world: World
  let role: string
  let former: string
  before(async () => {
    server = await startStockPostgres()
    const database = await server.database()
    role = database.name
    former = database.url()
    world = await World.open({
      servers: () => Promise.resolve({ env: { DATABASE_URL: former, ...secrets() }, close: () => database.drop() }),
    })
  })
  after(async () => {
    await world?.close()
    await server?.remove()
  })

  it('stops what needs a new connection until the restart, and loses nothing', async () => {
    const shop = await world.openShop()
    await world.addRule(shop)
    await server.administer(`ALTER ROLE ${role} PASSWORD 'changed'`)
    // This one is stored on an open connection. Its call may wait for a new one.
    expect(await world.post(vietcombankText(1, 'DH1'))).to.be.a('number')

    await server.administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`)
    const post = () => fetch(world.installation.personalUrl, { method: 'POST', body: vietcombankText(2, 'DH2') })
    const refused = await post()
    expect(refused.status).to.equal(503)
    expect(await refused.json()).to.include({ success: false, error: 'STORE_UNAVAILABLE' })
    await eventually(async () => (await fetch(`${world.baoco.baseUrl}/readyz`)).status === 503)

    await world.baoco.stop()
    world.env.DATABASE_URL = former.replace(server.password, 'changed')
    await world.start()
    expect(await world.post(vietcombankText(2, 'DH2'))).to.be.a('number')
    await eventually(() => shop.calls.length === 2)
  })
})
