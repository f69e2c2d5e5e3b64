/** The EventStoreDB for the tests: the server in `EVENTSTORE_URL`, which may have been used, or else a stand-in. */
import { randomUUID } from 'node:crypto'
import { startOwnStandIn } from './process.ts'

export interface TestEventStore {
  url: string
  /** Only for this test: data of others on the server is not visible. */
  prefix: string
  close(): Promise<void>
}

/** @param how  of the stand-in */
export const givenOrOwnEventStore = async (how: { isAsSlowAsReal?: boolean } = {}): Promise<TestEventStore> => {
  const prefix = `test-${randomUUID()}.`
  const given = process.env.EVENTSTORE_URL
  if (given) return { url: given, prefix, close: async () => {} }
  const own = await startOwnStandIn(how)
  return { url: own.url, prefix, close: own.remove }
}
