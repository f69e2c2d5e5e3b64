import { randomBytes, randomUUID } from 'node:crypto'
import { needsKafka, sharedKafka } from '../support/kafka/needs-kafka.ts'
import { givenOrOwnEventStore } from '../support/eventstoredb/given-or-own.ts'
import { freshDatabase } from '../support/postgres.ts'
import { startRoles } from '../support/role-processes.ts'
import { mainJob } from './main-job.ts'

const nothingToClose = () => Promise.resolve()

/** With a server for the events the secrets are not made in the data folder. */
const onEventStoreDb = async () => {
  const { url, prefix, close } = await givenOrOwnEventStore()
  const secret = () => randomBytes(32).toString('hex')
  return {
    env: { EVENTSTORE_URL: url, EVENTSTORE_PREFIX: prefix, JWT_SECRET: secret(), VAULT_KEY: secret() },
    close,
  }
}

mainJob('embedded', () => Promise.resolve({ env: {}, close: nothingToClose }))

mainJob('EventStoreDB and embedded log', onEventStoreDb)

describe('by Kafka', () => {
  needsKafka()

  mainJob('embedded store and Kafka', async () => {
    const { address } = await sharedKafka()
    return { env: { KAFKA_BROKERS: address, KAFKA_TOPIC: `test.${randomUUID()}` }, close: nothingToClose }
  })

  mainJob('EventStoreDB and Kafka', async () => {
    const [{ env, close }, { address }] = [await onEventStoreDb(), await sharedKafka()]
    return { env: { ...env, KAFKA_BROKERS: address, KAFKA_TOPIC: `test.${randomUUID()}` }, close }
  })

  mainJob(
    'each role a process of its own, on EventStoreDB, Kafka and Postgres',
    async () => {
      const [{ env, close }, { address }, database] = [
        await onEventStoreDb(),
        await sharedKafka(),
        await freshDatabase(),
      ]
      const servers = { DATABASE_URL: database.url, KAFKA_BROKERS: address, KAFKA_TOPIC: `test.${randomUUID()}` }
      return { env: { ...env, ...servers }, close: () => Promise.all([close(), database.drop()]).then(() => {}) }
    },
    startRoles,
  )
})
