/** Reads of a database that may be away. */
import { StoreUnavailable } from '../../../domain/errors.ts'
import { isOutage } from '../../event-store/postgres/outage.ts'
import type { Queryable } from '../database.ts'

/** The same database; where it does not answer, the error has a name. @throws {StoreUnavailable} */
export const orUnavailable = (database: Queryable): Queryable => ({
  query: async (text, values, name) => {
    try {
      return await database.query(text, values, name)
    } catch (error) {
      throw isOutage(error) ? new StoreUnavailable('the read models do not answer', { cause: error }) : error
    }
  },
})
