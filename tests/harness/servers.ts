/** The servers that an installation stands on when it has outgrown one machine: a stand-in for EventStoreDB, Kafka, Postgres. */
import { randomBytes, randomUUID } from 'node:crypto'
import { openDatabase, type Database } from '../../adapters/database/database.ts'
import { givenOrOwnEventStore } from './eventstoredb/given-or-own.ts'
import { startOwnStandIn, type OwnStandIn } from './eventstoredb/process.ts'
import { startKafka, type Broker } from './kafka/broker.ts'
import { sharedKafka } from './kafka/needs-kafka.ts'
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts'
import { freshDatabase } from './postgres.ts'

/** Where no data folder keeps them. */
const secrets = () => ({ JWT_SECRET: randomBytes(32).toString('hex'), VAULT_KEY: randomBytes(32).toString('hex') })

export interface SetUp {
  /** Settings that name the servers, and secrets where those must be set. */
  env: Record<string, string>
  close(): Promise<void>
}

export interface Servers extends SetUp {
  eventStore: OwnStandIn
  kafka: Broker
  postgres: OwnPostgres
  /** Of the Postgres. */
  database: Database
}

/** All three, each to be hurt by itself. */
export const startServers = async (): Promise<Servers> => {
  const [eventStore, kafka, postgres] = await Promise.all([startOwnStandIn(), startKafka(), startOwnPostgres()])
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
      await Promise.all([eventStore.remove(), kafka.remove(), postgres.remove()])
    },
  }
}

/** Which of the embedded parts a server stands in for. */
const SERVED = {
  embedded: [],
  eventstoredb: ['EventStoreDB'],
  kafka: ['Kafka'],
  both: ['EventStoreDB', 'Kafka'],
  postgres: ['Postgres'],
  all: ['EventStoreDB', 'Kafka', 'Postgres'],
} as const satisfies Record<string, readonly ('EventStoreDB' | 'Kafka' | 'Postgres')[]>

export type SetUpName = keyof typeof SERVED

/** The set-ups that everything must work on; nobody stops the servers of these. */
export const SET_UPS = ['embedded', 'eventstoredb', 'kafka', 'both'] as const satisfies readonly SetUpName[]

/** Of EventStoreDB the stand-in, unless `EVENTSTORE_URL` names a server; of Kafka a broker that all share, with a topic of its own. */
export const openSetUp = async (name: SetUpName): Promise<SetUp> => {
  const env: Record<string, string> = {}
  const closing: (() => Promise<void>)[] = []
  for (const server of SERVED[name])
    if (server === 'EventStoreDB') {
      const { url, prefix, close } = await givenOrOwnEventStore()
      Object.assign(env, { EVENTSTORE_URL: url, EVENTSTORE_PREFIX: prefix, ...secrets() })
      closing.push(close)
    } else if (server === 'Kafka')
      Object.assign(env, { KAFKA_BROKERS: (await sharedKafka()).address, KAFKA_TOPIC: `test.${randomUUID()}` })
    else {
      const { url, drop } = await freshDatabase()
      Object.assign(env, { DATABASE_URL: url, ...secrets() })
      closing.push(drop)
    }
  return { env, close: async () => void (await Promise.all(closing.map((close) => close()))) }
}
