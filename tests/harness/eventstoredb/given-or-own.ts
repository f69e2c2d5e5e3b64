/** The EventStoreDB that tests run against: the one of `EVENTSTORE_URL`, which may have been used, else a stand-in. */
import { randomUUID } from 'node:crypto'
import { startOwnStandIn } from './process.ts'

export interface TestEventStore {
  url: string
  /** Of this test alone: whatever else is there is not seen. */
  prefix: string
  close(): Promise<void>
}

export const givenOrOwnEventStore = async (): Promise<TestEventStore> => {
  const prefix = `test-${randomUUID()}.`
  const given = process.env.EVENTSTORE_URL
  if (given) return { url: given, prefix, close: async () => {} }
  const own = await startOwnStandIn()
  return { url: own.url, prefix, close: own.remove }
}
