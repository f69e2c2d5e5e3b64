import { needsKafka } from '../harness/kafka/needs-kafka.ts'
import { openSetUp } from '../harness/servers.ts'
import { mainJob } from './main-job.ts'

describe('with Kafka', () => {
  needsKafka()

  mainJob('embedded store and Kafka', { servers: () => openSetUp('kafka') })
})
