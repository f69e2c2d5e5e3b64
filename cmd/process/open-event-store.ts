/**
 * The event store, as the settings say: EventStoreDB, or the tables of the Postgres that holds everything else too. What is
 * said to be forgotten is removed from Postgres in small turns all day, from EventStoreDB by one scavenge a day.
 */
import type { LogLines } from '../../adapters/telemetry/log-lines.ts'
import { parsing } from '../../adapters/event-store/parsing.ts'
import { openPostgresEventStore } from '../../adapters/event-store/postgres/store.ts'
import { StoreUnavailable } from '../../domain/errors.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { EventStore } from '../../domain/ports.ts'
import { expireEvents } from '../../workflows/scheduled/expire-events.ts'
import { importState } from '../../workflows/store-migration/import.ts'
import type { PlannedJob } from '../../workflows/scheduled/scheduled-work.ts'
import type { Settings } from './settings.ts'
import { untilThere } from './wait-for-servers.ts'

/** Asia/Ho_Chi_Minh is seven hours ahead of UTC all year. */
const AHEAD_OF_UTC_H = 7

type StoreSettings = Pick<Settings, 'eventStoreUrl' | 'eventStorePrefix'>

/**
 * A store that returns events as they are stored: for copies of it.
 * @param databaseUrl  of the Postgres, migrated
 * @param onTrouble  is called with failures that are retried
 */
export const openRawEventStore = async (
  { eventStoreUrl: url, eventStorePrefix: prefix }: StoreSettings,
  databaseUrl: string,
  onTrouble: (error: unknown) => void = () => {},
): Promise<EventStore<RecordedEvent>> => {
  if (url === undefined) return openPostgresEventStore({ url: databaseUrl, onTrouble })
  // The client takes long to load.
  const { openEventStoreDb } = await import('../../adapters/event-store/eventstoredb/store.ts')
  return openEventStoreDb({ url, prefix, onTrouble })
}

/** A store that returns events in their newest version. Parameters as above. */
export const openEventStore = async (...given: Parameters<typeof openRawEventStore>): Promise<EventStore> =>
  parsing(await openRawEventStore(...given))

/**
 * Waits for a store that is away at the start, and says so.
 * @throws when it is to stop meanwhile · what else the store answers by
 */
export const untilStoreAnswers = (store: EventStore, log: LogLines, stopping: AbortSignal): Promise<void> => {
  const isAway = (error: unknown) => error instanceof StoreUnavailable
  return untilThere({ name: 'event_store', ask: () => store.end(), isAway, log, stopping })
}

/**
 * A store that is being filled from another has not all of its past yet: what begins there now would stand in the way of it.
 * @throws where it is
 */
export const refuseHalfImported = async (store: EventStore): Promise<void> => {
  if ((await importState(store)).is === 'unfinished')
    throw new Error(
      'an import into this event store has not ended: run `npx baoco import-events` again with the same file, or begin again in an empty store',
    )
}

/** The planned work that removes for good what the store was told to forget. */
export const expiry = (
  { eventStoreUrl, scavengeAt }: Pick<Settings, 'eventStoreUrl' | 'scavengeAt'>,
  store: EventStore,
): PlannedJob => (eventStoreUrl === undefined ? expireEvents(store) : expireEvents(store, dailyAt(scavengeAt)))

/** A time of day in Vietnam, as cron writes it in UTC. */
const dailyAt = (time: string): string => {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return `${minute} ${(hour + 24 - AHEAD_OF_UTC_H) % 24} * * *`
}
