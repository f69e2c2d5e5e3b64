// Tests: tests/integration/backup.test.ts
/** Writes a backup of a running embedded Postgres and of the files beside it, and checks what it has written. */
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { writeNewFile } from '../../system/new-file.ts'
import { readPrivateFile } from '../../system/private-file.ts'
import { BadBackup, KEPT_FILES, readArchive, writeArchive, type About } from './backup-archive.ts'
import { openBaseBackup } from './base-backup.ts'
import { packedBinaries } from './directory.ts'

/** The kind of backup that this version and this machine can restore. */
export const thisKind = (): Pick<About, 'postgres' | 'machine'> => {
  const { version } = createRequire(import.meta.url)(join(packedBinaries(), '..', 'package.json')) as {
    version: string
  }
  return { postgres: version.split('.')[0]!, machine: `${process.platform}-${process.arch}` }
}

const keptFiles = (dataDir: string): Record<string, string> =>
  Object.fromEntries(
    KEPT_FILES.flatMap((name) => {
      const content = readPrivateFile(join(dataDir, name))
      return content === undefined ? [] : [[name, content]]
    }),
  )

/**
 * @param file  a new file. It gets this name when it is complete and has been read back.
 * @param signal  interrupts it
 * @returns its size in bytes
 */
export const writeBackup = async (
  { dataDir, url, now, signal }: { dataDir: string; url: string; now: Date; signal: AbortSignal },
  file: string,
): Promise<number> => {
  await writeNewFile(
    file,
    async (output, draft) => {
      const about = { ...thisKind(), made_at: now.toISOString() }
      await writeArchive(output, about, keptFiles(dataDir), await openBaseBackup(url))
      await readArchive(draft).catch((error: Error) => {
        throw error instanceof BadBackup ? new Error(`the backup ${error.message}; it was removed`) : error
      })
    },
    signal,
  )
  return fs.statSync(file).size
}
