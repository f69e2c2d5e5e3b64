// Tests: tests/integration/http/accounts-unknown-and-known.test.ts
import { randomInt } from 'node:crypto'

/**
 * An id without an account: those begin at 1. It is looked up for an email address without an account, so that the answer takes as long.
 * Each request has its own, so that none waits for another one.
 */
export const nobody = (): number => -randomInt(1, 2 ** 47)
