/**
 * What an event store is the store of: stream `installation`, the first one written. By its id, read models and topics that
 * were built from this store are told from another's.
 */
import { z } from 'zod'

export const INSTALLATION_STREAM = 'installation'

export const installationEvents = {
  InstallationFounded: z.object({ installation_id: z.uuid() }),
}

export type InstallationFounded = z.infer<typeof installationEvents.InstallationFounded>
