/**
 * Opens the event store that the settings select: EventStoreDB, or tables in the Postgres that holds all other data. Postgres removes
 * expired events in small batches all day. EventStoreDB removes them in one scavenge per day.
 */
import type { Reports } from '../../adapters/event-store/eventstoredb/connection.ts'
import type { RememberingStore } from '../../adapters/event-store/history.ts'
import { unparsed, type Parse } from '../../adapters/event-store/parse.ts'
import { openPostgresEventStore } from '../../adapters/event-store/postgres/store.ts'
import { StoreUnavailable } from '../../domain/errors.ts'
import { isStreamName } from '../../domain/catalogue.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import { INSTALLATION_STREAM } from '../../domain/installation.ts'
import { parseEvent, type Unreadable } from '../../domain/parse-event.ts'
import type { EventStore, LogLines } from '../../domain/ports.ts'
import { storeWithSkips } from '../../workflows/parked/store-with-skips.ts'
import { expireDaily, type DailyRemovalParts } from '../../workflows/scheduled/expire-daily.ts'
import { expireEvents } from '../../workflows/scheduled/expire-events.ts'
import { importState } from '../../workflows/store-migration/import.ts'
import type { ScheduledJob } from '../../workflows/scheduled/scheduled-work.ts'
import type { AwaitedServers } from './front.ts'
import type { Settings } from '../settings/settings.ts'
import { untilThere } from './wait-for-servers.ts'

/** Asia/Ho_Chi_Minh is UTC+7 all year. */
const AHEAD_OF_UTC_H = 7

type StoreSettings = Pick<Settings, 'eventStoreUrl' | 'eventStorePrefix'>

const open = async <Event extends RecordedEvent>(
  parse: Parse<Event>,
  { eventStoreUrl: url, eventStorePrefix: prefix }: StoreSettings,
  databaseUrl: string,
  reports: Partial<Reports>,
): Promise<RememberingStore<Event>> => {
  if (url === undefined) return openPostgresEventStore({ url: databaseUrl, parse, ...reports })
  // Loaded only when needed, because the client takes long to load.
  const { openEventStoreDb } = await import('../../adapters/event-store/eventstoredb/store.ts')
  return openEventStoreDb({ url, prefix, isOwn: isStreamName, parse, ...reports })
}

/**
 * Opens a store that returns events in their newest version.
 * @param databaseUrl  URL of the migrated Postgres
 * @param reports  receives failures that are retried
 * @param onUnreadable  receives each event that cannot be read, once
 */
export const openEventStore = async (
  settings: StoreSettings,
  databaseUrl: string,
  reports: Partial<Reports> = {},
  onUnreadable: (event: Unreadable) => void = () => {},
): Promise<RememberingStore> => {
  const store = await open(parseEvent, settings, databaseUrl, reports)
  return { ...storeWithSkips(store, onUnreadable), history: store.history, ...(store.disk && { disk: store.disk }) }
}

/** Opens a store that returns events as they are stored, for tools that copy them. */
export const openRawEventStore = (settings: StoreSettings, databaseUrl: string): Promise<EventStore<RecordedEvent>> =>
  open(unparsed, settings, databaseUrl, {})

/** One line when an outage begins, and one when it has ended. */
export const storeLines = (log: Pick<LogLines, 'warn' | 'info'>): Reports => ({
  onFailure: (error) => log.warn({ reason: (error as Error).message }, 'event_store.trouble'),
  onRecovery: (outage) => log.info({ ...outage }, 'event_store.back'),
})

/** Costs the same however many events others have written to the same server. */
export const askStore = (store: Pick<EventStore, 'read'>): Promise<unknown> =>
  store.read([{ stream: INSTALLATION_STREAM, limit: 1 }])

/**
 * Waits for a store that is unavailable at the start, and logs that.
 * @throws if the process must stop while it waits · any other error of the store
 */
export const untilStoreAnswers = (
  store: EventStore,
  log: LogLines,
  stopping: AbortSignal,
  awaited: AwaitedServers = new Set(),
): Promise<void> => {
  const isAway = (error: unknown) => error instanceof StoreUnavailable
  return untilThere({ name: 'event_store', ask: () => askStore(store), isAway, log, stopping, awaited })
}

/**
 * Refuses a store with an unfinished import. It does not have all of its old events yet, and new events would block the rest of the
 * import.
 * @throws if the import has not ended
 */
export const refuseHalfImported = async (store: EventStore): Promise<void> => {
  if ((await importState(store)).is === 'unfinished')
    throw new Error(
      'an import into this event store has not finished: run `npx baoco import-events` again with the same file or input, or start over in an empty store',
    )
}

/** The scheduled jobs that permanently remove expired events. */
export const expiry = (
  { eventStoreUrl, scavengeAt }: Pick<Settings, 'eventStoreUrl' | 'scavengeAt'>,
  parts: DailyRemovalParts,
): ScheduledJob[] =>
  eventStoreUrl === undefined ? [expireEvents(parts.store)] : expireDaily(parts, dailyAt(scavengeAt))

/** Converts a time of day in Vietnam to a daily cron expression in UTC. */
const dailyAt = (time: string): string => {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return `${minute} ${(hour + 24 - AHEAD_OF_UTC_H) % 24} * * *`
}
