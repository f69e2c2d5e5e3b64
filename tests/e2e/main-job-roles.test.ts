import { needsKafka } from '../harness/kafka/needs-kafka.ts'
import { startRoles } from '../harness/role-processes.ts'
import { openSetUp } from '../harness/servers.ts'
import { mainJob } from './main-job.ts'

describe('with Kafka', () => {
  needsKafka()

  mainJob('each role a process of its own, on EventStoreDB, Kafka and Postgres', {
    servers: () => openSetUp('all'),
    start: startRoles,
  })
})
