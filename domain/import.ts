// Tests: tests/integration/store-migration/store-migration.test.ts
/** Records that this store was filled from the file of another store: stream `import`. Between its two events the store is incomplete. */
import { z } from 'zod'

/** The file: its number of events, and the SHA-256 that its last line contains. */
const file = { events: z.int().nonnegative(), sha256: z.string() }

export const importEvents = {
  ImportBegun: z.object(file),
  ImportEnded: z.object(file),
}

export type ImportedFile = z.infer<typeof importEvents.ImportBegun>

export const IMPORT_STREAM = 'import'
