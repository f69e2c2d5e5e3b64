// Tests: tests/integration/roles/recognise.test.ts
/** The id of the installation that a store's events belong to. */
import { randomUUID } from 'node:crypto'
import { INSTALLATION_STREAM, installationEvents } from '../domain/installation.ts'
import { NO_STREAM, type Clock, type EventStore } from '../domain/ports.ts'
import { ownCause, stamp } from './support/stamp.ts'

/** @returns null if the store has no id: it has no events, or only events from before this id existed */
export const installationOf = async (store: Pick<EventStore, 'read'>): Promise<string | null> => {
  const [[founded] = []] = await store.read([{ stream: INSTALLATION_STREAM, limit: 1 }])
  return founded ? installationEvents.InstallationFounded.parse(founded.data).installation_id : null
}

/** Returns the id, and creates it if it does not exist. If several processes start at once, only one creates it. */
export const foundInstallation = async (store: Pick<EventStore, 'read' | 'append'>, clock: Clock): Promise<string> => {
  const named = await installationOf(store)
  if (named !== null) return named
  const installation_id = randomUUID()
  const occasion = { user_id: null, at: clock.now(), ...ownCause(installation_id) }
  const events = stamp([{ type: 'InstallationFounded', data: { installation_id } }], occasion)
  await store.append([[{ stream: INSTALLATION_STREAM, expectedRevision: NO_STREAM, events }]])
  // Created by this process or by a faster one.
  return (await installationOf(store))!
}
