// Tests: tests/integration/kafka/serve.test.ts
/** Health checks of the services that roles need, for `/readyz`. */
import type { HealthCheck } from '../../adapters/http/resources/health.ts'
import { DiskFull } from '../../domain/errors.ts'
import type { Installation } from './installation.ts'
import { askStore } from './open-event-store.ts'
import type { Topic } from './open-topic.ts'

export const storeAnswers = ({ requestStore }: Pick<Installation, 'requestStore'>): HealthCheck => ({
  name: 'event_store',
  needed: true,
  check: () => askStore(requestStore),
})

/** The disk of the embedded database, or of a server that reported it, has space. Without that of the event store nothing is accepted. */
export const diskHasSpace = ({ disk }: Pick<Installation, 'disk'>): HealthCheck => ({
  name: 'disk',
  needed: () => disk.isFull(),
  check: async () => {
    if (disk.isFull() || disk.isDatabaseFull()) throw new DiskFull()
  },
})

export const databaseAnswers = ({ database }: Pick<Installation, 'database'>): HealthCheck => ({
  name: 'database',
  needed: true,
  check: () => database.query('SELECT 1'),
})

/** The brokers answer, the topic can be used, and the relay of this process does not wait for anything. */
export const kafkaAnswers = (topic: Topic, relay: { failure(): unknown }): HealthCheck => ({
  name: 'kafka',
  needed: true,
  check: async () => {
    const failure = topic.toWrite.failure() ?? relay.failure()
    if (failure !== null) throw failure
    await topic.answers()
  },
})

/**
 * The read models can be read and, if this process projects them, its projectors are running.
 * @param options.needed  false: the process is ready without them, as long as they have not stopped here
 */
export const readModelsAnswer = (
  { database, readModels }: Pick<Installation, 'database' | 'readModels'>,
  { needed }: { needed: boolean },
): HealthCheck => ({
  name: 'read_models',
  needed: needed || (() => readModels.isStopped()),
  check: async () => {
    const failure = readModels.failure()
    if (failure !== null) throw new Error(failure)
    await database.query('SELECT FROM read_model.checkpoint LIMIT 1')
  },
})
