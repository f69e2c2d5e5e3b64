// Tests: tests/integration/roles/recognise.test.ts
/**
 * Checks that the configured event store and database belong together. A changed or missing setting must not make an installation start
 * from nothing beside its events, continue from older events, or use the read models of another installation.
 */
import { eventsMoved, servedBy, serve, type Served, type StoreKind } from '../../adapters/postgres/ops/installation.ts'
import type { Queryable } from '../../adapters/database/database.ts'
import type { Clock, EventStore } from '../../domain/ports.ts'
import { foundInstallation, installationOf } from '../../workflows/installation.ts'
import { importState } from '../../workflows/store-migration/import.ts'
import { refuseHalfImported } from './open-event-store.ts'
import type { Settings } from '../settings/settings.ts'

interface Parts {
  settings: Pick<Settings, 'eventStoreUrl' | 'eventStorePrefix'>
  store: EventStore
  database: Queryable
  clock: Clock
}

const MOVE = 'move the events with `baoco export-events` and `baoco import-events`'

const kindOfStore = ({ eventStoreUrl }: Pick<Settings, 'eventStoreUrl'>): StoreKind =>
  eventStoreUrl === undefined ? 'postgres' : 'eventstoredb'

/**
 * @returns the id of the installation whose events are in the store; an empty store gets a new installation
 * @throws an error whose message says in one line what does not belong together and what to do
 */
export const recognise = async ({ settings, store, database, clock }: Parts): Promise<string> => {
  await refuseHalfImported(store)
  const kind = kindOfStore(settings)
  // The order matters: another process that starts at the same time may set up the store between these two reads.
  const served = await servedBy(database)
  const isEmpty = (await installationOf(store)) === null && (await store.end()) === null
  if (served) refuseOtherStore(served, kind, isEmpty)
  else if (kind === 'eventstoredb' && isEmpty) {
    refuseOpenPrefix(settings)
    await refuseEventsInPostgres(database)
  }
  const installation_id = await foundInstallation(store, clock)
  const now = served ?? (await serve(database, { installation_id, event_store: kind }))
  refuseOther(now, installation_id)
  return installation_id
}

/**
 * Refuses a prefix for a new installation that other prefixes may begin with. The server would send the events of both.
 * @throws unless the prefix ends in a separator
 */
export const refuseOpenPrefix = ({
  eventStoreUrl,
  eventStorePrefix,
}: Pick<Settings, 'eventStoreUrl' | 'eventStorePrefix'>): void => {
  if (eventStoreUrl !== undefined && !/[.-]$/.test(eventStorePrefix))
    throw new Error(
      `setting EVENTSTORE_PREFIX must end in . or - for a new installation, so that no other prefix begins with it: for example ${eventStorePrefix}.`,
    )
}

/** Records that an import has filled the configured store. @throws if the read models belong to another installation */
export const eventsAreHere = async ({ settings, store, database }: Omit<Parts, 'clock'>): Promise<void> => {
  const installation_id = await installationOf(store)
  if (installation_id === null) return
  refuseOther(await servedBy(database), installation_id)
  await eventsMoved(database, { installation_id, event_store: kindOfStore(settings) })
}

/** Identifies the store whose positions are meant: an import into another store changes the positions of the same events. */
export const identityOf = async (store: EventStore, installation: string): Promise<string> => {
  const imported = await importState(store)
  return imported.is === 'none' ? installation : `${installation} ${imported.file.sha256}`
}

const refuseOther = (served: Served | null, installation_id: string): void => {
  if (served && served.installation_id !== installation_id)
    throw new Error(
      `the read models belong to another installation (${served.installation_id}) than the events (${installation_id}): set DATABASE_URL to the database of this installation, or to an empty one`,
    )
}

const refuseOtherStore = ({ event_store }: Served, kind: StoreKind, isEmpty: boolean): void => {
  if (event_store !== kind)
    throw new Error(
      kind === 'postgres'
        ? `the events of this installation are in EventStoreDB: set EVENTSTORE_URL, or ${MOVE}`
        : `the events of this installation are stored in its Postgres: unset EVENTSTORE_URL, or ${MOVE}`,
    )
  if (isEmpty)
    throw new Error(
      kind === 'postgres'
        ? 'the event store in this Postgres is empty, but this installation had events: restore it from a backup'
        : 'the events of this installation are missing: EVENTSTORE_URL and EVENTSTORE_PREFIX name a place without events',
    )
}

/** For a database of an older version that did not record the location of its events. */
const refuseEventsInPostgres = async (database: Queryable): Promise<void> => {
  const [row] = await database.query<{ position: number }>('SELECT store.newest() AS position')
  if (row!.position > 0)
    throw new Error(`the events of this installation are stored in its Postgres: unset EVENTSTORE_URL, or ${MOVE}`)
}
