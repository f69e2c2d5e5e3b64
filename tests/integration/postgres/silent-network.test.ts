/** The connections of a running Baoco to Postgres are lost without a sign. New ones work, as after a failover to another machine. */
import { expect } from 'chai'
import { openProxy, type Proxy } from '../../contract/event-store/proxy.ts'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase } from '../../harness/postgres.ts'
import { secrets } from '../../harness/servers.ts'
import { World } from '../../harness/world.ts'

describe('connections to Postgres that are lost without a sign', () => {
  let network: Proxy
  let world: World
  before(async () => {
    const { url, drop } = await freshDatabase()
    const through = new URL(url)
    network = await openProxy(Number(through.port))
    through.port = String(network.port)
    const env = { DATABASE_URL: through.href, ...secrets() }
    const close = () => network.close().then(drop)
    world = await World.open({ servers: () => Promise.resolve({ env, close }) })
  })
  after(() => world?.close())

  it('are replaced: payments are accepted, listed and delivered', async () => {
    const shop = await world.openShop()
    await world.addRule(shop)
    await world.post(vietcombankText(1, 'DH1'))
    await eventually(() => shop.calls.length === 1, { what: 'a call' })
    network.silence()
    let id: number | null = null
    await eventually(async () => (id = await world.post(vietcombankText(2, 'DH2'))) !== null, {
      what: 'an accepted payment',
      within: 60_000,
    })
    await eventually(() => shop.calls.length === 2, { what: 'its call', within: 60_000 })
    await eventually(async () => (await world.api('GET', `/api/transactions/${id}`)).status === 200, {
      what: 'its transaction',
      within: 60_000,
    })
    expect(JSON.parse(shop.calls[1]!.body)).to.include({ transaction_id: id })
  })
})
