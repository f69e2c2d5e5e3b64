/** The servers of an installation that has outgrown one machine, each to be stopped and started again: a stand-in for EventStoreDB, Kafka, Postgres. */
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silent } from '../../adapters/log-lines.ts'
import { openDatabase, type Database } from '../../adapters/postgres/database.ts'
import { removePlace } from '../../adapters/postgres/embedded-place.ts'
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import { startOwnStandIn } from './eventstoredb/process.ts'
import { startKafka } from './kafka/broker.ts'

/** A server that comes back at its address. */
export interface TestServer {
  stop(): Promise<void>
  start(): Promise<void>
}

export interface Servers {
  /** Settings that name them, with secrets. */
  env: Record<string, string>
  eventStore: TestServer
  kafka: TestServer
  postgres: TestServer
  /** Of the Postgres. */
  database: Database
  close(): Promise<void>
}

const startPostgres = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'baoco-test-'))
  let running = await openEmbeddedPostgres({ dataDir, log: silent })
  let isUp = true
  const stop = async (): Promise<void> => {
    if (isUp) await running.stop()
    isUp = false
  }
  return {
    url: running.url,
    stop,
    start: async () => {
      running = await openEmbeddedPostgres({ dataDir, log: silent })
      isUp = true
    },
    remove: () => stop().then(() => removePlace(dataDir)),
  }
}

export const startServers = async (): Promise<Servers> => {
  const [eventStore, kafka, postgres] = await Promise.all([startOwnStandIn(), startKafka(), startPostgres()])
  const database = openDatabase(postgres.url, { poolSize: 2 })
  return {
    env: {
      EVENTSTORE_URL: eventStore.url,
      KAFKA_BROKERS: kafka.address,
      DATABASE_URL: postgres.url,
      JWT_SECRET: randomBytes(32).toString('hex'),
      VAULT_KEY: randomBytes(32).toString('hex'),
    },
    eventStore,
    kafka,
    postgres,
    database,
    close: async () => {
      await database.close()
      await Promise.all([eventStore.remove(), kafka.remove(), postgres.remove()])
    },
  }
}
