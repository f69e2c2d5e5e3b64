/** The servers of an installation that has outgrown one machine: a stand-in for EventStoreDB, Kafka, Postgres. */
import { randomBytes, randomUUID } from 'node:crypto'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { givenOrOwnEventStore } from './eventstoredb/given-or-own.ts'
import { startOwnStandIn, type OwnStandIn } from './eventstoredb/process.ts'
import { startKafka, type Broker } from './kafka/broker.ts'
import { sharedKafka } from './kafka/needs-kafka.ts'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts'
import { stockDatabase } from './stock-postgres/server.ts'

/** Secrets for processes without a data folder. */
export const secrets = () => ({
  JWT_SECRET: randomBytes(32).toString('hex'),
  VAULT_KEY: randomBytes(32).toString('hex'),
})

export interface SetUp {
  /** Settings that name the servers, with secrets where they are required. */
  env: Record<string, string>
  close(): Promise<void>
}

export interface Servers extends SetUp {
  eventStore: OwnStandIn
  kafka: Broker
  postgres: OwnPostgres
  /** The Postgres database. */
  database: Database
}

/**
 * Starts all three servers, each of which can be stopped or damaged alone.
 * @param shared  a broker that other suites of this process use too. It stays.
 */
export const startServers = async (shared?: Promise<Broker>): Promise<Servers> => {
  const [eventStore, kafka, postgres] = await Promise.all([
    startOwnStandIn(),
    shared ?? startKafka(),
    startOwnPostgres(),
  ])
  const database = openDatabase(postgres.url(), { poolSize: 2 })
  return {
    env: {
      EVENTSTORE_URL: eventStore.url,
      KAFKA_BROKERS: kafka.address,
      DATABASE_URL: postgres.url(),
      ...secrets(),
    },
    eventStore,
    kafka,
    postgres,
    database,
    close: async () => {
      await database.close()
      await Promise.all([eventStore.remove(), shared ? null : kafka.remove(), postgres.remove()])
    },
  }
}

/** `stock Postgres` is Debian's with the settings of its package, and `hostile Postgres` is Debian's with hostile defaults. */
type ServerName = 'EventStoreDB' | 'Kafka' | 'stock Postgres' | 'hostile Postgres'

/** The servers that each set-up uses instead of embedded parts. */
const SERVED = {
  embedded: [],
  eventstoredb: ['EventStoreDB'],
  kafka: ['Kafka'],
  both: ['EventStoreDB', 'Kafka'],
  stock: ['stock Postgres'],
  hostile: ['hostile Postgres'],
  all: ['EventStoreDB', 'Kafka', 'stock Postgres'],
} as const satisfies Record<string, readonly ServerName[]>

export type SetUpName = keyof typeof SERVED

/** The set-ups that everything must work on. No test stops their servers. */
export const SET_UPS = ['embedded', 'stock', 'eventstoredb', 'kafka', 'both'] as const satisfies readonly SetUpName[]

/**
 * EventStoreDB is the stand-in, unless `EVENTSTORE_URL` names a server. The Kafka broker is shared, with a topic per set-up.
 * @param how.isAsSlowAsReal  the appends of the stand-in take as long as those of a real server
 */
export const openSetUp = async (name: SetUpName, how: { isAsSlowAsReal?: boolean } = {}): Promise<SetUp> => {
  const env: Record<string, string> = {}
  const closing: (() => Promise<void>)[] = []
  for (const server of SERVED[name])
    if (server === 'EventStoreDB') {
      const { url, prefix, close } = await givenOrOwnEventStore(how)
      Object.assign(env, { EVENTSTORE_URL: url, EVENTSTORE_PREFIX: prefix, ...secrets() })
      closing.push(close)
    } else if (server === 'Kafka')
      Object.assign(env, { KAFKA_BROKERS: (await sharedKafka()).address, KAFKA_TOPIC: `test.${randomUUID()}` })
    else {
      const { url, drop } = await stockDatabase({ hostile: server === 'hostile Postgres' })
      Object.assign(env, { DATABASE_URL: url(), ...secrets() })
      closing.push(drop)
    }
  return { env, close: async () => void (await Promise.all(closing.map((close) => close()))) }
}
