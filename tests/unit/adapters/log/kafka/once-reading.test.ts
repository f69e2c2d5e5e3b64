import { expect } from 'chai'
import type { Consumer } from 'kafkajs'
import { onceReading } from '../../../../../adapters/log/kafka/once-reading.ts'
import { eventually } from '../../../../harness/eventually.ts'

type Listener = (event: { payload: { nodeId: number } }) => void

/** A consumer that reports what the test says. */
const consuming = (leftAfter?: number) => {
  const listeners = new Map<string, Listener>()
  const on = (name: string, listener: Listener) => {
    listeners.set(name, listener)
    return () => listeners.delete(name)
  }
  const consumer = { on, events: { FETCH_START: 'asked', FETCH: 'answered' } } as unknown as Consumer
  let isWorking = false
  onceReading(consumer, () => (isWorking = true), leftAfter)
  const tell = (name: string) => (nodeId: number) => listeners.get(name)?.({ payload: { nodeId } })
  return { ask: tell('asked'), answer: tell('answered'), isWorking: () => isWorking }
}

describe('onceReading', () => {
  it('waits until each broker that is asked has answered', () => {
    const { ask, answer, isWorking } = consuming()
    for (const broker of [1, 2, 3]) ask(broker)
    for (const broker of [1, 3, 1]) answer(broker)
    ask(1)
    expect(isWorking()).to.equal(false)
    answer(2)
    expect(isWorking()).to.equal(true)
  })

  it('does not wait for a broker that broke down and left the cluster before it answered', async () => {
    const { ask, answer, isWorking } = consuming(50)
    for (const broker of [1, 2]) ask(broker)
    answer(1)
    expect(isWorking()).to.equal(false)
    await eventually(() => {
      ask(1)
      answer(1)
      return isWorking()
    })
  })
})
