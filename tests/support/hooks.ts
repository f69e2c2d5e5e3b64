/** Runs after all tests: ends the servers that `postgres.ts` and `kafka/` may have started. */
import { stopSharedKafka } from './kafka/needs-kafka.ts'
import { stopTestServer } from './postgres.ts'

export const mochaHooks = { afterAll: () => Promise.all([stopTestServer(), stopSharedKafka()]) }
