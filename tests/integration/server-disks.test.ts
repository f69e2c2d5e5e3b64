/** The disks of own servers: Debian's Postgres with a stated size, and what EventStoreDB reports of itself. */
import { expect } from 'chai'
import { openDatabase } from '../../adapters/database/database.ts'
import { databaseDisk } from '../../adapters/postgres/ops/database-disk.ts'
import { startOwnStandIn, type OwnStandIn } from '../harness/eventstoredb/process.ts'
import { eventually } from '../harness/eventually.ts'
import { secrets } from '../harness/servers.ts'
import { needsStockPostgres } from '../harness/stock-postgres/install.ts'
import { startStockPostgres, type StockDatabase, type StockPostgres } from '../harness/stock-postgres/server.ts'
import { World } from '../harness/world.ts'

const MEGABYTE = 1024 ** 2

describe('the disks of the operator’s servers', () => {
  needsStockPostgres()
  let server: StockPostgres
  let eventStore: OwnStandIn
  let testDatabase: StockDatabase
  let world: World
  before(async () => {
    ;[server, eventStore] = await Promise.all([startStockPostgres(), startOwnStandIn()])
    testDatabase = await server.database()
    await fetch(`http://127.0.0.1:${eventStore.port}/stand-in/troubles`, {
      method: 'POST',
      body: JSON.stringify({ drive: { place: '/var/lib/eventstore', free: 7e9, size: 100e9 } }),
    })
    world = await World.open({
      servers: () =>
        Promise.resolve({
          // The databases of a new server are larger than that.
          env: {
            DATABASE_URL: testDatabase.url(),
            DATABASE_DISK_GB: '0.02',
            EVENTSTORE_URL: eventStore.url,
            ...secrets(),
          },
          close: async () => {},
        }),
    })
  })
  after(async () => {
    await world?.close()
    await Promise.all([eventStore?.remove(), server?.remove()])
  })

  interface Alert {
    kind: string
    subject: string
    until: string | null
  }

  it('raise alerts below 10 % and 5 %', async () => {
    const open = async () => {
      const alerts = (await world.api('GET', '/api/alerts')).body.data as Alert[]
      return alerts.filter(({ kind, until }) => kind === 'disk_low' && until === null).map(({ subject }) => subject)
    }
    const subjects = ['disk:event_store:10', 'disk:postgres:10', 'disk:postgres:5']
    await eventually(async () => (await open()).sort().join() === subjects.join(), {
      within: 60_000,
      what: 'the alerts',
    })
  })

  it('are in the metrics, in the status of the operator, and in baoco status', async () => {
    const metrics = await (await fetch(`${world.baoco.baseUrl}/metrics`)).text()
    expect(metrics).to.match(/^baoco_server_disk_free_bytes\{server="event_store"\} 7000000000$/m)
    expect(metrics).to.match(/^baoco_server_disk_size_bytes\{server="event_store"\} 100000000000$/m)
    expect(metrics).to.match(/^baoco_server_disk_free_bytes\{server="postgres"\} 0$/m)
    expect(metrics).to.not.match(/^baoco_disk_free_bytes /m)
    const { disk } = (await world.api('GET', '/api/operator/status')).body.data as {
      disk: { free_bytes: null; servers: object[]; low: object[] }
    }
    expect(disk.free_bytes).to.equal(null)
    expect(disk.servers).to.have.deep.members([
      { server: 'postgres', place: null, free_bytes: 0, size_bytes: Math.round(0.02 * 1024 ** 3) },
      { server: 'event_store', place: '/var/lib/eventstore', free_bytes: 7e9, size_bytes: 100e9 },
    ])
    expect(disk.low).to.have.deep.members([
      { disk: 'postgres', free_bytes: 0, full: false, refusing: false },
      { disk: 'event_store', free_bytes: 7e9, full: false, refusing: false },
    ])
    const status = await world.baocoCommand('status')
    expect(status).to.match(/^free {6}0 MiB of 20 MiB {2}postgres$/m)
    expect(status).to.match(/^free {6}6676 MiB of 95367 MiB {2}event_store \/var\/lib\/eventstore$/m)
  })

  it('of Postgres has the space that its databases leave, and its log if the role may see it', async () => {
    const other = await server.database()
    const database = openDatabase(other.url(), { poolSize: 1 })
    try {
      const used = async () => {
        const { free, size } = await databaseDisk(database, 1)()
        expect(size).to.equal(1024 * MEGABYTE)
        return size - free
      }
      const before = await used()
      expect(before / MEGABYTE).to.be.within(20, 500)
      await database.query(
        `CREATE TABLE filler AS SELECT repeat(md5(n::text), 8) AS text FROM generate_series(1, 20000) n`,
      )
      expect((await used()) - before).to.be.at.least(4 * MEGABYTE)
      const [, role] = /\/\/([^:]+):/.exec(other.url())!
      const without = await used()
      await server.administer(`GRANT pg_monitor TO ${role}`)
      expect((await used()) - without).to.be.at.least(16 * MEGABYTE)
    } finally {
      await database.close()
      await other.drop()
    }
  })
})
