/** Writes events that Baoco itself would never write, as a later release, another program or a damaged disk leaves them. */
import { randomUUID } from 'node:crypto'
import { openEventStoreDb } from '../../adapters/event-store/eventstoredb/store.ts'
import { unparsed } from '../../adapters/event-store/parse.ts'
import { openPostgresEventStore } from '../../adapters/event-store/postgres/store.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import { NO_STREAM, type EventStore } from '../../domain/ports.ts'

export interface RawEvent {
  type: string
  data?: unknown
  /** `user_id` and the like; null: the event has no metadata. */
  metadata?: object | null
}

export interface RawWriter {
  store: EventStore<RecordedEvent>
  /** Appends at the end of a stream. @returns the revision */
  append(stream: string, event: RawEvent): Promise<number>
  close(): Promise<void>
}

const METADATA = { user_id: 1, at: '2026-11-01T00:00:00.000Z', correlation_id: 'raw', causation_id: 'raw', version: 1 }

/** @param env  the settings of the installation that name its servers */
export const openRawWriter = async ({
  EVENTSTORE_URL: url,
  EVENTSTORE_PREFIX: prefix = 'baoco.',
  DATABASE_URL: databaseUrl,
}: Record<string, string | undefined>): Promise<RawWriter> => {
  const store =
    url === undefined
      ? await openPostgresEventStore({ url: databaseUrl!, parse: unparsed })
      : await openEventStoreDb({ url, prefix, parse: unparsed })
  return {
    store,
    append: async (stream, { type, data = {}, metadata = {} }) => {
      const [[newest] = []] = await store.read([{ stream, backwards: true, limit: 1 }])
      const expectedRevision = newest?.revision ?? NO_STREAM
      const event = {
        id: randomUUID(),
        type,
        data,
        metadata: metadata === null ? (null as never) : { ...METADATA, ...metadata },
      }
      const [result] = await store.append([[{ stream, expectedRevision, events: [event] }]])
      if (!result?.ok) throw new Error(`not appended to ${stream}`)
      return expectedRevision + 1
    },
    close: () => store.close(),
  }
}
