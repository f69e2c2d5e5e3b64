/** That this store was filled from a file of another: stream `import`. Between its two events the store is not whole. */
import { z } from 'zod'

/** Of the file: how many events it holds, and the SHA-256 that its last line tells. */
const file = { events: z.int().nonnegative(), sha256: z.string() }

export const importEvents = {
  ImportBegun: z.object(file),
  ImportEnded: z.object(file),
}

export type ImportedFile = z.infer<typeof importEvents.ImportBegun>

export const IMPORT_STREAM = 'import'
