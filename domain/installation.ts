// Tests: tests/integration/roles/recognise.test.ts
/**
 * The identity of an event store: stream `installation`, the first one written. Its id distinguishes read models and topics that
 * were built from this store from those of another store.
 */
import { z } from 'zod'

export const INSTALLATION_STREAM = 'installation'

export const installationEvents = {
  InstallationFounded: z.object({ installation_id: z.uuid() }),
}
