// Tests: tests/integration/http/accounts-unknown-and-known.test.ts
/**
 * Delays each response to a whole multiple of a fixed interval after its request. The response time then does not show how long the work
 * took, which would reveal whether an email address has an account.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Guard } from './guard.ts'

/** In milliseconds. Well above the time of the work, including the password hash, and still short for the user. */
const INTERVAL_MS = 250

export const constantTime: Guard = {
  step: async (_context, next) => {
    const began = performance.now()
    try {
      await next()
    } finally {
      const took = performance.now() - began
      await pause(Math.ceil(took / INTERVAL_MS) * INTERVAL_MS - took)
    }
  },
}
