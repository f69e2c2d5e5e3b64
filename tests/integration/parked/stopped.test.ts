/** A projector of `baoco serve` that has stopped: readiness, the lag and the overdue deliveries say so, and receiving goes on. */
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { unseenDeliveries } from '../../../projections/delivery/unseen-queries.ts'
import { projectionLag } from '../../../projections/engine/lag.ts'
import { main } from '../../../projections/main.ts'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import { openSetUp } from '../../harness/servers.ts'
import { needsStockPostgres } from '../../harness/stock-postgres/install.ts'
import { World } from '../../harness/world.ts'

describe('a stopped projector of baoco serve', () => {
  needsStockPostgres()
  let world: World
  let database: Database
  let store: EventStore

  before(async () => {
    world = await World.open({ servers: () => openSetUp('stock') })
    database = openDatabase(world.env.DATABASE_URL!)
    store = await openPostgresEventStore({ url: world.env.DATABASE_URL!, parse: parseEvent })
  })
  after(async () => {
    await store?.close()
    await database?.close()
    await world?.close()
  })

  const readiness = async () => {
    const response = await fetch(`${world.baoco.baseUrl}/readyz`)
    const { parts } = (await response.json()) as { parts: Record<string, string> }
    return { status: response.status, read_models: parts.read_models }
  }

  it('makes the process not ready, its lag grows, deliveries it does not see are overdue, and all ends with the cause', async () => {
    const shop = await world.openShop()
    await world.addRule(shop)
    expect(await readiness()).to.deep.equal({ status: 200, read_models: 'ok' })
    // A failure that is neither an outage nor the fault of an event.
    await database.query('ALTER TABLE read_model.transaction RENAME TO moved')
    expect(await world.post(vietcombankText(1, 'DH1'))).to.be.a('number')
    await eventually(async () => (await readiness()).status === 503, {
      within: 20_000,
      what: 'the process not to be ready',
    })
    expect((await readiness()).read_models).to.equal('unavailable')
    const lag = await world.metric('baoco_projection_lag_seconds')
    await eventually(async () => (await world.metric('baoco_projection_lag_seconds')) > lag, {
      what: 'the lag to grow',
    })
    expect(await world.post(vietcombankText(2, 'DH2'))).to.be.a('number')
    const soon = new Date(Date.now() + 60_000)
    expect(await unseenDeliveries(database, store, new Date())).to.equal(0)
    expect(await unseenDeliveries(database, store, soon)).to.equal(2)
    const limits: number[] = []
    const watched = {
      end: () => store.end(),
      isAfter: store.isAfter.bind(store),
      readAll: (after: string | null, limit: number) => {
        limits.push(limit)
        return store.readAll(after, limit)
      },
    }
    expect(await unseenDeliveries(database, watched, soon)).to.equal(2)
    expect(Math.max(...limits), 'events in memory, which may have long texts').to.be.at.most(100)
    expect(await projectionLag(database, store, main, soon)).to.be.above(50_000)
    await database.query('ALTER TABLE read_model.moved RENAME TO transaction')
    await eventually(async () => (await readiness()).status === 200, {
      what: 'the process to be ready',
    })
    await eventually(() => shop.calls.length >= 2, { within: 90_000, what: 'both deliveries' })
    await eventually(async () => (await unseenDeliveries(database, store, soon)) === 0)
    expect(await world.metric('baoco_parked_streams')).to.equal(0)
    await eventually(async () => (await world.metric('baoco_projection_lag_seconds')) === 0, { what: 'no lag' })
  })
})
