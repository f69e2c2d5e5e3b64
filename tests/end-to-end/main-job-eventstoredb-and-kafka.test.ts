import { needsKafka } from '../support/kafka/needs-kafka.ts'
import { openSetUp } from '../support/servers.ts'
import { mainJob } from './main-job.ts'

describe('by Kafka', () => {
  needsKafka()

  mainJob('EventStoreDB and Kafka', () => openSetUp('both'))
})
