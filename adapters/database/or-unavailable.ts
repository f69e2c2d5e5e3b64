/** Reads of a database that may be down, and of read models that an earlier version may have made. */
import { DiskFull, MOST_WAIT_MS, StoreUnavailable } from '../../domain/errors.ts'
import { isDiskFull } from '../system/disk.ts'
import { within } from '../system/within.ts'
import { isOutage } from '../event-store/postgres/outage.ts'
import type { Queryable } from './database.ts'

/** SQLSTATE of a missing table or column. It is created when the read models are rebuilt after an upgrade. */
const NOT_YET = new Set(['42P01', '42703'])

export const isNotYet = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && NOT_YET.has(error.code)

const late = () => new StoreUnavailable('the read models did not answer in time')

/** Wraps a database so that an outage throws a specific error. @throws {StoreUnavailable} */
export const orUnavailable = (database: Queryable): Queryable => ({
  query: async (text, values, name) => {
    try {
      return await within(MOST_WAIT_MS, database.query(text, values, name), late)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      if (isDiskFull(error)) throw new DiskFull(error)
      throw isOutage(error) || isNotYet(error)
        ? new StoreUnavailable('the read models do not respond', { cause: error })
        : error
    }
  },
})
