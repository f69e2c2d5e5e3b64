import { expect } from 'chai'
import type { Consumer } from 'kafkajs'
import { newestIn } from '../../../../../adapters/log/kafka/whose-topic.ts'

describe('a look at a topic', () => {
  it('fails where its group is lost in the moment it was joined, and so can be tried again', async () => {
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
