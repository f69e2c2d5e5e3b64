/** The failover of docs/operate.md: a replica takes the address of the lost primary server, while Baoco runs and payments arrive. */
import { expect } from 'chai'
import { openDatabase } from '../../adapters/database/database.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { showFigures } from '../harness/figures.ts'
import { secrets, type SetUp } from '../harness/servers.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'
import { startReplica, type Replica } from '../harness/stock-postgres/replica.ts'
import { startStockPostgres, type StockPostgres } from '../harness/stock-postgres/server.ts'
import { World } from '../harness/world.ts'

interface Replicated extends SetUp {
  primary: StockPostgres
  replica: Replica
}

/** A replica without which no commit is answered. */
const replicated = async (): Promise<Replicated> => {
  const primary = await startStockPostgres()
  const replica = await startReplica(primary)
  const administrator = openDatabase(primary.superuser, { poolSize: 1 })
  await administrator.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
  await administrator.query('SELECT pg_reload_conf()')
  const states = () => administrator.query<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication')
  await eventually(async () => (await states()).some(({ sync_state }) => sync_state === 'sync'), {
    what: 'a synchronous replica',
  })
  await administrator.close()
  const { url } = await primary.database()
  return {
    env: { DATABASE_URL: url(), ...secrets() },
    primary,
    replica,
    close: async () => void (await Promise.all([primary.remove(), replica.remove()])),
  }
}

describe("a replica that takes the primary server's place", () => {
  needsStockPostgres()
  let world: World<Replicated>
  before(async () => {
    world = await World.open({ servers: replicated })
  })
  after(() => world?.close())

  it('has every accepted payment, and Baoco continues on it by itself and delivers each', async () => {
    const shop = await world.openShop()
    await world.addRule(shop)
    const accepted = new Set<number>()
    let isLoading = true
    const load = (async () => {
      // A refused text is posted again, as a phone does.
      for (let number = 1; isLoading;) {
        const id = await world.post(vietcombankText(number, `DH${number}`)).catch(() => null)
        if (id === null) continue
        accepted.add(id)
        number++
      }
    })()
    const more = (count: number, when: string) => {
      const goal = accepted.size + count
      return eventually(() => accepted.size >= goal, { within: 60_000, what: `payments accepted ${when}` })
    }
    try {
      await more(30, 'before the failover')
      await world.servers.primary.kill()
      await world.servers.replica.takeOver()
      // The new primary server has no replica yet, and no commit waits for one.
      await more(30, 'after the failover')
    } finally {
      isLoading = false
      await load
    }
    // First attempts that the failover interrupted are made from the queue, after a minute. This test does not wait for that.
    const database = openDatabase(world.env.DATABASE_URL!, { poolSize: 1 })
    const hurry = () => database.query(`UPDATE read_model.delivery SET due_at = now() WHERE status = 'open'`)
    const called = () => shop.calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id)
    const isDelivered = async () => {
      await hurry()
      return [...accepted].every((id) => called().includes(id))
    }
    await eventually(isDelivered, { within: 90_000, what: 'every accepted payment delivered' })
    await database.close()
    showFigures('Failover to a synchronous replica of Postgres', `${accepted.size} accepted, all delivered`)
    expect(world.baoco.output()).not.to.include('store.went_back')
    expect(await world.verifyReadModels()).to.match(/main: .*every row matches the rebuilt one/)
  })
})
