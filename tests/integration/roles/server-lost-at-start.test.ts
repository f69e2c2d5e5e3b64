/** A server that goes away while Baoco starts, after it had answered. The start waits for it again, names it, and completes when it is back. */
import { expect } from 'chai'
import { openDatabase } from '../../../adapters/database/database.ts'
import { migrateDatabase } from '../../../adapters/database/migrate.ts'
import {
  launchBaoco,
  newDataFolder,
  removeDataFolder,
  type DataFolder,
  type Starting,
} from '../../harness/baoco-process.ts'
import { startOwnStandIn, type OwnStandIn } from '../../harness/eventstoredb/process.ts'
import { eventually } from '../../harness/eventually.ts'
import { startOwnPostgres, type OwnPostgres } from '../../harness/own-postgres.ts'
import { secrets } from '../../harness/servers.ts'

describe('a server that goes away during a start', () => {
  let postgres: OwnPostgres
  let eventStore: OwnStandIn
  let dataFolder: DataFolder
  let api: Starting
  const keys = secrets()

  before(async () => {
    ;[postgres, eventStore, dataFolder] = await Promise.all([
      startOwnPostgres({ durable: false }),
      startOwnStandIn(),
      newDataFolder(),
    ])
    launch()
    await api.ready
    await api.stop()
  })
  afterEach(async () => {
    await api?.kill()
    await Promise.all([postgres.start(), eventStore.start()])
  })
  after(async () => {
    await Promise.all([postgres?.remove(), eventStore?.remove(), dataFolder && removeDataFolder(dataFolder)])
  })

  const launch = (): void => {
    api = launchBaoco(dataFolder, { DATABASE_URL: postgres.url(), EVENTSTORE_URL: eventStore.url, ...keys }, 'api')
  }
  const waitsFor = (server: string) =>
    eventually(
      async () => {
        if (api.process.exitCode !== null) throw new Error(`the start has ended:\n${api.output()}`)
        const response = await fetch(`${api.baseUrl}/readyz`)
        const { parts } = (await response.json()) as { parts: Record<string, string> }
        return response.status === 503 && parts[server] === 'unavailable'
      },
      { within: 60_000, what: `/readyz that names the ${server}` },
    )
  /** Starts, and runs the work while the start waits for a lock in the database. The event store has answered by then. */
  const afterTheStoreAnswered = async (work: () => Promise<void>): Promise<void> => {
    const database = openDatabase(postgres.url(), { poolSize: 1, applicationName: 'psql' })
    try {
      await database.transaction(async (held) => {
        await held.query('LOCK TABLE read_model.checkpoint')
        launch()
        await waitsFor('database')
        await eventually(() => api.output().includes('read_model.checkpoint, which psql holds'), { what: 'a lock' })
        await work()
      })
    } finally {
      await database.close()
    }
  }

  it('may be the database, while the event store is awaited', async () => {
    await eventStore.stop()
    launch()
    await waitsFor('event_store')
    await postgres.kill()
    await eventStore.start()
    await waitsFor('database')
    await postgres.start()
    await api.ready
    expect(api.output()).to.match(/"waiting_for":"database","reason":"[^"]+","event":"start\.waiting"/)
  })

  it('may be the event store, after it had answered', async () => {
    await afterTheStoreAnswered(() => eventStore.stop())
    await waitsFor('event_store')
    await eventStore.start()
    await api.ready
    expect(api.output()).to.match(/"waiting_for":"event_store","reason":"[^"]+","event":"start\.waiting"/)
  })

  it('may be the database that ends a connection after the first account was made, whose secrets are printed all the same', async () => {
    const first = await newDataFolder()
    const url = postgres.url().replace(/[^/]*$/, 'first')
    const server = openDatabase(postgres.url(), { poolSize: 1, applicationName: 'psql' })
    const database = openDatabase(url, { poolSize: 2, applicationName: 'psql' })
    try {
      await server.query('CREATE DATABASE first')
      await migrateDatabase(url)
      await database.transaction(async (held) => {
        await held.query('LOCK TABLE ops.sign_in_link')
        api = launchBaoco(first, { DATABASE_URL: url, ...keys }, 'api')
        const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE FROM ops.sign_in_link%'`
        await eventually(async () => (await database.query(end)).length > 0, {
          within: 60_000,
          what: 'a start that waits',
        })
      })
      await api.ready
      expect(api.output())
        .to.match(/"waiting_for":"database"/)
        .and.match(/bck_\w+/)
    } finally {
      await Promise.all([database.close(), server.close()])
      await api.kill()
      await removeDataFolder(first)
    }
  })

  it('is named if it is the database and does not answer, and the start can be stopped', async () => {
    await eventStore.stop()
    launch()
    await waitsFor('event_store')
    postgres.freeze()
    try {
      await eventStore.start()
      await waitsFor('database')
      expect(await api.stop(), 'ms').to.be.below(8_000)
      expect(await api.ended).to.equal(0)
    } finally {
      postgres.thaw()
    }
  })
})
