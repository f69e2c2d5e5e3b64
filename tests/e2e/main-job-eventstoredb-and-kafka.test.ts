import { needsKafka } from '../harness/kafka/needs-kafka.ts'
import { openSetUp } from '../harness/servers.ts'
import { mainJob } from './main-job.ts'

describe('with Kafka', () => {
  needsKafka()

  mainJob('EventStoreDB and Kafka', { servers: () => openSetUp('both') })
})
