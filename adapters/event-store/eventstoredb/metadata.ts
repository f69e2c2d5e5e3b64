// Tests: tests/integration/eventstoredb/forgetting.test.ts
/**
 * A stream's metadata controls which of its events are visible: `$maxAge` hides old events, `$tb` hides events before a
 * revision. Writing metadata replaces all of it. So it is read, changed, and written at the revision at which it was read.
 */
import { randomUUID } from 'node:crypto'
import { metastreamOf, NO_STREAM, WrongExpectedVersionError, type JSONEventData } from '@eventstore/db-client'
import type { Answered } from '../until-answered.ts'
import { APPENDING } from './client.ts'
import type { Connection } from './connection.ts'
import { newestIn } from './reading.ts'

export interface StreamMetadata {
  /** Seconds. */
  $maxAge?: number
  $maxCount?: number
  /** The first revision that is not hidden. */
  $tb?: number
}

interface CurrentMetadata {
  metadata: Record<string, unknown>
  revision: bigint | typeof NO_STREAM
}

const NONE: CurrentMetadata = { metadata: {}, revision: NO_STREAM }

/**
 * Makes sure that a stream's metadata has these fields. Other fields stay unchanged.
 * @param isNew  the stream is about to get its first event, so it most likely has no metadata yet
 */
export const setMetadata = async (
  connection: Connection,
  answered: Answered,
  stream: string,
  wanted: StreamMetadata,
  isNew = false,
): Promise<void> => {
  let current = isNew ? NONE : await answered(() => readMetadata(connection, stream))
  while (!Object.entries(wanted).every(([key, value]) => current.metadata[key] === value)) {
    const data = { ...current.metadata, ...wanted }
    const event = {
      id: randomUUID(),
      type: '$metadata',
      contentType: 'application/json',
      data,
    } as unknown as JSONEventData
    const { revision } = current
    try {
      await answered(() =>
        connection.call(({ client }) =>
          client.appendToStream(metastreamOf(stream), event, { expectedRevision: revision, ...APPENDING }),
        ),
      )
      return
    } catch (error) {
      if (!(error instanceof WrongExpectedVersionError)) throw error
      current = await answered(() => readMetadata(connection, stream))
    }
  }
}

const readMetadata = async (connection: Connection, stream: string): Promise<CurrentMetadata> => {
  const [newest] = await newestIn(connection, metastreamOf(stream))
  return newest ? { metadata: newest.data as Record<string, unknown>, revision: newest.revision } : NONE
}
