// Tests: tests/integration/backup.test.ts
/**
 * Moves a complete backup from the folder `restored-<time>` to its place in the data folder. Every start calls it, so that
 * an interrupted restore is finished before the database is used.
 */
import * as fs from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../system/private-file.ts'
import { KEPT_FILES } from './backup-archive.ts'

const RESTORED = 'restored-'
/** Files and folders that a restore replaces. */
export const CONTENTS = [...KEPT_FILES, 'postgres']

export const isThere = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** Holds a backup while it is unpacked. */
export const DRAFT = 'restoring'

/**
 * A restore that was interrupted while it unpacked leaves its draft.
 * @param hasDatabase  whether the folder has a database of its own, so that the draft is no longer needed
 * @throws otherwise: the operator expects the restored database and not a new one
 */
export const clearDraft = (dataDir: string, hasDatabase: boolean): void => {
  const draft = join(fs.realpathSync(dataDir), DRAFT)
  if (!isThere(draft)) return
  if (!hasDatabase)
    throw new Error(
      `a restore into ${dataDir} was interrupted: run baoco restore again, or remove ${draft} to start from nothing`,
    )
  fs.rmSync(draft, { recursive: true, force: true })
}

/** A new name for a complete backup. */
export const restoredName = (now: Date): string => RESTORED + now.toISOString().replace(/[:.]/g, '-')

/**
 * The caller holds the lock of the data folder.
 * @returns the folder with what was there before; null if nothing was
 */
export const finishRestore = (dataDir: string): string | null => {
  const folder = fs.realpathSync(dataDir)
  const name = fs.readdirSync(folder).find((each) => each.startsWith(RESTORED))
  if (name === undefined) return null
  const restored = join(folder, name)
  const before = join(folder, `before-${name}`)
  for (const each of CONTENTS) {
    // Files that are missing here were moved before an interruption.
    if (!isThere(join(restored, each))) continue
    if (isThere(join(folder, each))) {
      fs.mkdirSync(before, { recursive: true, mode: 0o700 })
      fs.renameSync(join(folder, each), join(before, each))
    }
    fs.renameSync(join(restored, each), join(folder, each))
  }
  syncFolder(folder)
  fs.rmSync(restored, { recursive: true })
  return isThere(before) ? before : null
}
