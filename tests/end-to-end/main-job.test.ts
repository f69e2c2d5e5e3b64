import { needsKafka } from '../support/kafka/needs-kafka.ts'
import { startRoles } from '../support/role-processes.ts'
import { openSetUp } from '../support/servers.ts'
import { mainJob } from './main-job.ts'

mainJob('embedded', () => openSetUp('embedded'))

mainJob('EventStoreDB and embedded log', () => openSetUp('eventstoredb'))

describe('by Kafka', () => {
  needsKafka()

  mainJob('embedded store and Kafka', () => openSetUp('kafka'))

  mainJob('EventStoreDB and Kafka', () => openSetUp('both'))

  mainJob('each role a process of its own, on EventStoreDB, Kafka and Postgres', () => openSetUp('all'), startRoles)
})
