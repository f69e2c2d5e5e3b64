/** "Rotate keys" of docs/operate.md: the password of a server is changed on the server, then in the setting, and Baoco restarts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { launchBaoco, newDataFolder, removeDataFolder } from '../harness/baoco-process.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { startOwnStandIn, type OwnStandIn } from '../harness/eventstoredb/process.ts'
import { secure, type Secured } from '../harness/eventstoredb/secured.ts'
import { eventually } from '../harness/eventually.ts'
import { CERTIFICATE, KEY } from '../harness/kafka/certificate.ts'
import { secrets } from '../harness/servers.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'
import { startStockPostgres, type StockPostgres } from '../harness/stock-postgres/server.ts'
import { World } from '../harness/world.ts'

describe('a change of the password of Postgres', () => {
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

  it('stops everything that needs a new connection until Baoco is restarted, and loses nothing', async () => {
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

describe('a change of the password of EventStoreDB', () => {
  let folder: string
  let standIn: OwnStandIn
  let server: Secured
  let world: World
  const urlWith = (password: string): string =>
    `esdb://baoco:${password}@localhost:${server.port}?tlsCAFile=${join(folder, 'ca.crt')}`
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baoco-password-'))
    await writeFile(join(folder, 'ca.crt'), CERTIFICATE)
    standIn = await startOwnStandIn()
    server = await secure(standIn.port, { certificate: CERTIFICATE, key: KEY }, ['baoco', 'former'])
    world = await World.open({
      servers: () =>
        Promise.resolve({ env: { EVENTSTORE_URL: urlWith('former'), ...secrets() }, close: async () => {} }),
    })
  })
  after(async () => {
    await world?.close()
    await server?.close()
    await standIn?.remove()
    await rm(folder, { recursive: true })
  })

  it('is an outage until Baoco is restarted, and loses nothing', async () => {
    const shop = await world.openShop()
    await world.addRule(shop)
    expect(await world.post(vietcombankText(1, 'DH1'))).to.be.a('number')
    await eventually(() => shop.calls.length === 1)

    server.changePassword('changed')
    await eventually(async () => (await fetch(`${world.baoco.baseUrl}/readyz`)).status === 503)
    const changed = await fetch(`${world.baoco.baseUrl}/api/webhooks`, {
      method: 'POST',
      headers: { 'x-api-key': world.installation.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'another', url: shop.url }),
    })
    expect(changed.status).to.equal(503)
    expect(await changed.json()).to.include({ success: false, error: 'STORE_UNAVAILABLE' })
    await eventually(() =>
      /"reason":"localhost:\d+: the server refused the user or the password of EVENTSTORE_URL","event":"event_store.trouble"/.test(
        world.baoco.output(),
      ),
    )

    await world.baoco.stop()
    world.env.EVENTSTORE_URL = urlWith('changed')
    await world.start()
    expect(await world.post(vietcombankText(2, 'DH2'))).to.be.a('number')
    await eventually(() => shop.calls.length === 2)
  })

  it('ends a start with the former password with one line', async () => {
    const dataFolder = await newDataFolder()
    const starting = launchBaoco(dataFolder, { ...world.env, EVENTSTORE_URL: urlWith('wrong') })
    await eventually(() =>
      /^baoco: localhost:\d+: the server refused the user or the password of EVENTSTORE_URL$/m.test(starting.output()),
    )
    expect(starting.output()).to.not.include('wrong')
    await starting.kill()
    await removeDataFolder(dataFolder)
  })
})
