import { needsKafka } from '../support/kafka/needs-kafka.ts'
import { startRoles } from '../support/role-processes.ts'
import { openSetUp } from '../support/servers.ts'
import { mainJob } from './main-job.ts'

describe('by Kafka', () => {
  needsKafka()

  mainJob('each role a process of its own, on EventStoreDB, Kafka and Postgres', () => openSetUp('all'), startRoles)
})
