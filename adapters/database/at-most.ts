// Tests: tests/unit/adapters/database/at-most.test.ts
/** A part of a pool, so that the work of one kind leaves connections to other work. */
import type { Queryable } from '../../projections/engine/queryable.ts'
import { within } from '../system/within.ts'

/** @param late  the error of a query that did not get its turn in time, milliseconds */
export const atMost = (most: number, pool: Queryable, waitMs: number, late: () => Error): Queryable => {
  let free = most
  const waiting = new Set<() => void>()
  const turn = async (): Promise<void> => {
    if (free > 0) return void free--
    let come!: () => void
    const coming = new Promise<void>((resolve) => waiting.add((come = resolve)))
    await within(waitMs, coming, late).catch((error: unknown) => {
      // If its turn has come meanwhile, the next query gets the turn.
      if (!waiting.delete(come)) leave()
      throw error
    })
  }
  const leave = (): void => {
    const [next] = waiting
    if (!next) return void free++
    waiting.delete(next)
    next()
  }
  return {
    query: async (text, values, name) => {
      await turn()
      try {
        return await pool.query(text, values, name)
      } finally {
        leave()
      }
    },
  }
}
