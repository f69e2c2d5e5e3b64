// Tests: tests/integration/eventstoredb/forgetting.test.ts
/** Hides an event, so that its absence after a scavenge proves what the scavenge has removed. */
import { randomUUID } from 'node:crypto'
import { jsonEvent, type Position } from '@eventstore/db-client'
import type { Answered } from '../until-answered.ts'
import { APPENDING } from './client.ts'
import type { Connection } from './connection.ts'
import { setMetadata } from './metadata.ts'
import type { Names } from './stream-names.ts'
import { newestIn } from './reading.ts'

export interface HiddenEvent {
  id: string
  position: Position
  /** When it was stored, by the server's clock. */
  created: Date
}

export const hideEvent = async (connection: Connection, names: Names, answered: Answered): Promise<HiddenEvent> => {
  const stream = names.internal('scavenges')
  // The last event of a stream is never removed, so two are needed.
  const [hidden, last] = [randomUUID(), randomUUID()]
  const events = [hidden, last].map((id) => jsonEvent({ id, type: 'ScavengeMarked', data: {} }))
  const { nextExpectedRevision } = await answered(() =>
    connection.call(({ client }) => client.appendToStream(stream, events, APPENDING)),
  )
  const newest = await answered(() => newestIn(connection, stream, 10))
  const { position, created } = newest.find(({ id }) => id === hidden)!
  await setMetadata(connection, answered, stream, { $tb: Number(nextExpectedRevision) })
  return { id: hidden, position: position!, created }
}
