/** Runs after all tests: ends the Postgres that `postgres.ts` may have started. */
import { stopTestServer } from './postgres.ts'

export const mochaHooks = { afterAll: stopTestServer }
