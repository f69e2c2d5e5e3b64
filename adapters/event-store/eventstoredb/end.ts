// Tests: tests/integration/eventstoredb/shared-server.test.ts
/**
 * The position of the newest event of this installation. On a shared server, millions of events of others may follow it, and
 * the server cannot search backwards for it. So if it is not among the newest events, an event is appended to a stream of the
 * adapter: its position comes after all earlier events, and every subscription passes it at once.
 */
import { randomUUID } from 'node:crypto'
import { jsonEvent, type Position } from '@eventstore/db-client'
import type { Answered } from '../until-answered.ts'
import { APPENDING } from './client.ts'
import type { Connection } from './connection.ts'
import { setMetadata } from './metadata.ts'
import { NoAnswer } from './outage.ts'
import type { Names } from './stream-names.ts'
import { newestIn, type Reading } from './reading.ts'
import { START_POSITION } from './position.ts'
import { Source } from './source.ts'

/** The number of events among which the newest one is searched. */
const NEWEST = 64

export interface End {
  /** Null if the installation has no events. */
  position(): Promise<Position | null>
}

export const openEnd = (connection: Connection, names: Names, answered: Answered, reading: Reading): End => {
  const marks = names.internal('end')
  let isEmpty = true

  const isMarked = async (): Promise<boolean> => (await newestIn(connection, marks)).length > 0

  /** Searches forwards for the first event. The server passes over the events of others. */
  const search = (): Promise<boolean> => {
    const found = new AbortController()
    return connection.call(async (attempt) => {
      const source = new Source(attempt.client, names, START_POSITION, (event) => event)
      attempt.onGivenUp = () => found.abort()
      try {
        while (!found.signal.aborted) {
          const { events, live } = source.take(1, () => true)
          if (events.length > 0) return true
          if (live) return false
          if (source.failure) throw source.failure.error
          await source.moved(Infinity, found.signal)
          attempt.received()
        }
        throw new NoAnswer('the search was given up')
      } finally {
        source.close()
      }
    })
  }

  /** Only the first call of a process asks the server, and only an installation without marks makes it search. */
  const hasEvents = async (): Promise<boolean> => {
    if (isEmpty) isEmpty = !((await answered(isMarked)) || (await answered(search)))
    return !isEmpty
  }

  const mark = async (): Promise<Position> => {
    const event = jsonEvent({ id: randomUUID(), type: 'EndMarked', data: {} })
    const { nextExpectedRevision, position } = await connection.call(({ client }) =>
      client.appendToStream(marks, event, APPENDING),
    )
    if (nextExpectedRevision === 0n) await setMetadata(connection, answered, marks, { $maxCount: 1 }, true)
    return position!
  }

  return {
    position: async () => {
      const page = await answered(() => reading.newest(NEWEST))
      const newest = page.find((event) => names.of(event) !== null || names.isInternal(event))
      if (newest) return newest.position
      return page.length < NEWEST || !(await hasEvents()) ? null : answered(mark)
    },
  }
}
