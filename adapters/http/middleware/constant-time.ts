/**
 * Answers go out on a beat: at a whole multiple of it after the request came. How long the work took, by which somebody could
 * tell an address that has an account from one that has none, cannot be measured then.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Part } from '../openapi/operation.ts'

/** Milliseconds: well over what the work takes, password hash and all, and short for who waits for it. */
const BEAT = 250

export const onTheBeat: Part = {
  step: async (_context, next) => {
    const began = performance.now()
    try {
      await next()
    } finally {
      const took = performance.now() - began
      await pause(Math.ceil(took / BEAT) * BEAT - took)
    }
  },
}
