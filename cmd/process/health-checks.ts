// Tests: tests/integration/http/protocol.test.ts
/** Health checks of the services that roles need, for `/readyz`. */
import type { Part } from '../../adapters/http/resources/health.ts'
import type { Installation } from './installation.ts'
import { askStore } from './open-event-store.ts'
import type { Topic } from './open-topic.ts'

export const storeAnswers = ({ store }: Pick<Installation, 'store'>): Part => ({
  name: 'event_store',
  needed: true,
  check: () => askStore(store),
})

export const databaseAnswers = ({ database }: Pick<Installation, 'database'>): Part => ({
  name: 'database',
  needed: true,
  check: () => database.query('SELECT 1'),
})

export const kafkaAnswers = (topic: Topic): Part => ({ name: 'kafka', needed: true, check: () => topic.check() })

/** The read models can be read and, if this process projects them, its projectors are running. */
export const readModelsAnswer = (
  { database, readModels }: Pick<Installation, 'database' | 'readModels'>,
  { needed }: { needed: boolean },
): Part => ({
  name: 'read_models',
  needed,
  check: async () => {
    const failure = readModels.failure()
    if (failure !== null) throw new Error(failure)
    await database.query('SELECT FROM read_model.checkpoint LIMIT 1')
  },
})
