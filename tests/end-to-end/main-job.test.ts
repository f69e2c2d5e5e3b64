import { randomUUID } from 'node:crypto'
import { needsKafka, sharedKafka } from '../support/kafka/needs-kafka.ts'
import { mainJob } from './main-job.ts'

const nothingToClose = () => Promise.resolve()

mainJob('embedded', () => Promise.resolve({ env: {}, close: nothingToClose }))

describe('by Kafka', () => {
  needsKafka()

  mainJob('embedded store and Kafka', async () => {
    const { address } = await sharedKafka()
    return { env: { KAFKA_BROKERS: address, KAFKA_TOPIC: `test.${randomUUID()}` }, close: nothingToClose }
  })
})
