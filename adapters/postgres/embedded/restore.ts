// Tests: tests/integration/backup.test.ts
/**
 * Puts a backup into a data folder. The backup is first unpacked and checked beside the live files, in `restoring`. When it
 * is complete and on disk, that folder is renamed, and its files take their places (`finish-restore.ts`). The former
 * content is kept.
 */
import * as fs from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../system/private-file.ts'
import type { LogLines } from '../../../domain/ports.ts'
import type { DatabaseUser } from '../../database/database-user.ts'
import { readArchive, type About } from './backup-archive.ts'
import { findDirectory } from './directory.ts'
import { enterDataFolder } from './enter.ts'
import { DRAFT, finishRestore, isThere, CONTENTS, restoredName } from './finish-restore.ts'
import { clearLeftovers } from './server.ts'

/** Whether the folder holds a database or secrets. */
const isInUse = (folder: string): boolean => CONTENTS.some((name) => isThere(join(folder, name)))

const writeFile = async (path: string, content: AsyncIterable<Buffer>): Promise<void> => {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of content) await file.writeFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Unpacks the backup. The database belongs to its user, the rest to this process's user. */
const unpack = async (file: string, draft: string, user: DatabaseUser): Promise<About> => {
  const folders = new Set([draft])
  const about = await readArchive(file, async ({ name, isFolder }, content) => {
    const path = join(draft, name)
    const folder = isFolder ? path : dirname(path)
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    folders.add(folder)
    if (!isFolder) await writeFile(path, content)
    else for await (const _nothing of content);
  })
  if (user) chown(join(draft, 'postgres'), user)
  for (const folder of folders) syncFolder(folder)
  return about
}

const chown = (path: string, user: NonNullable<DatabaseUser>): void => {
  fs.lchownSync(path, user.uid, user.gid)
  if (fs.lstatSync(path).isDirectory()) for (const name of fs.readdirSync(path)) chown(join(path, name), user)
}

/** @throws if this machine or this version cannot use such a database */
const refuseOtherKind = ({ postgres, machine }: About, here: Pick<About, 'postgres' | 'machine'>): void => {
  if (postgres !== here.postgres)
    throw new Error(
      `the backup is of Postgres ${postgres}, and this version of Baoco has Postgres ${here.postgres}: restore it with the version that made it`,
    )
  if (machine !== here.machine)
    throw new Error(
      `the backup was made on ${machine}, and this machine is ${here.machine}: restore it on a machine of the first kind, then move the events with export-events and import-events`,
    )
}

export interface Restored extends About {
  /** The folder with what was there before; null if nothing was. */
  before: string | null
}

interface Restore {
  file: string
  /** It is created if needed. */
  dataDir: string
  /** Whether a Baoco that is there may be replaced. */
  replace: boolean
  /** The version of Postgres and the kind of machine that the backup must have. */
  here: Pick<About, 'postgres' | 'machine'>
  log: LogLines
}

/**
 * @throws {FolderInUse} if a process uses the data folder · {BadBackup} · if a Baoco is there and must not be replaced.
 * Nothing has changed then.
 */
export const restoreBackup = async ({ file, dataDir, replace, here, log }: Restore): Promise<Restored> => {
  // Checks all of the file before anything is created.
  refuseOtherKind(await readArchive(file), here)
  const unlock = await enterDataFolder(dataDir, log)
  try {
    const folder = fs.realpathSync(dataDir)
    if (isInUse(folder) && !replace)
      throw new Error(`${dataDir} already contains a Baoco: set BAOCO_DATA_DIR to an empty folder, or add --replace`)
    const directory = findDirectory(dataDir)
    await clearLeftovers(directory)
    const draft = join(folder, DRAFT)
    fs.rmSync(draft, { recursive: true, force: true })
    fs.mkdirSync(draft, { mode: 0o700 })
    try {
      const about = await unpack(file, draft, directory.user)
      fs.renameSync(draft, join(folder, restoredName(new Date())))
      syncFolder(folder)
      return { ...about, before: finishRestore(dataDir) }
    } finally {
      fs.rmSync(draft, { recursive: true, force: true })
    }
  } finally {
    unlock()
  }
}
