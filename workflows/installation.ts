/** Which installation a store's events are of. */
import { randomUUID } from 'node:crypto'
import { INSTALLATION_STREAM, installationEvents } from '../domain/installation.ts'
import { NO_STREAM, type Clock, type EventStore } from '../domain/ports.ts'
import { stamp } from './support/stamp.ts'

/** @returns null in a store that names none: one without events, or whose events are older than this name */
export const installationOf = async (store: Pick<EventStore, 'read'>): Promise<string | null> => {
  const [[founded] = []] = await store.read([{ stream: INSTALLATION_STREAM, limit: 1 }])
  return founded ? installationEvents.InstallationFounded.parse(founded.data).installation_id : null
}

/** The same, named now where it was not; of processes that start side by side, one names it. */
export const foundInstallation = async (store: Pick<EventStore, 'read' | 'append'>, clock: Clock): Promise<string> => {
  const named = await installationOf(store)
  if (named !== null) return named
  const installation_id = randomUUID()
  const events = stamp([{ type: 'InstallationFounded', data: { installation_id } }], {
    user_id: null,
    at: clock.now(),
    correlation_id: installation_id,
    causation_id: installation_id,
  })
  await store.append([[{ stream: INSTALLATION_STREAM, expectedRevision: NO_STREAM, events }]])
  // The id of this process, or of a faster one.
  return (await installationOf(store))!
}
