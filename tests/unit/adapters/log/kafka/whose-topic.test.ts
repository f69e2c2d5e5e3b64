import { expect } from 'chai'
import type { Consumer } from 'kafkajs'
import { newestIn } from '../../../../../adapters/log/kafka/whose-topic.ts'

describe('the check of a topic', () => {
  it('fails if the consumer group is lost right after the join, so it can be retried', async () => {
    const lost = new Error('Consumer group was not initialized, consumer#run must be called first')
    const consumer = {
      connect: () => Promise.resolve(),
      subscribe: () => Promise.resolve(),
      events: { CRASH: 'consumer.crash' },
      on: () => () => {},
      run: () => Promise.resolve(),
      seek: () => {
        throw lost
      },
    } as unknown as Consumer
    const looked = newestIn(consumer, 'baoco.transactions', { partition: 0, offset: '7' })
    expect(await looked.catch((error: unknown) => error)).to.equal(lost)
  })
})
