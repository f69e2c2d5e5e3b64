/**
 * The data folder: mode 0700 (0711 for root), its files 0600 (`private-file.ts`), used by one process at a time.
 *
 * The lock is a file with its owner's process id and start time. After kill -9, the next process sees that no such process
 * exists, even if the id now belongs to another one, and takes over. If two processes take over at the same moment, Postgres
 * stops one of them: it refuses a second server on the same folder.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { namedUser } from '../database/database-user.ts'
import { createPrivateFile, me, readForeignFile, readPrivateFile } from './private-file.ts'

/** Thrown if another running process uses the folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
  constructor(folder: string, pid: number) {
    super(`the data folder ${folder} is in use by another Baoco (process ${pid})`)
  }
}

const UNUSABLE: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk quota is used up',
  EROFS: 'it is on a read-only file system',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'it is not a folder',
  ENOTDIR: 'it is not a folder',
}

/** @returns an error that names the folder, if the file system refused it; otherwise the given one */
export const unusableFolder = (folder: string, error: unknown): unknown => {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException
  const reason = ['listen', 'connect', 'spawn'].some((other) => syscall.startsWith(other)) ? undefined : UNUSABLE[code]
  if (reason === undefined) return error
  return new Error(`the data folder ${folder} (BAOCO_DATA_DIR) cannot be used: ${reason}`, { cause: error })
}

/** Files that identify a data folder. A new volume contains `lost+found`. */
const OURS = [
  'lock',
  'store-memory',
  'jwt-secret',
  'vault-key',
  'postgres',
  'database-folder',
  'moves-to',
  'restoring',
  'restored-',
  'before-restored',
  'lost+found',
]

/** Whether Baoco has used the folder, or is about to use it, even if a move of it was interrupted. */
export const isDataFolder = (folder: string): boolean =>
  fs.existsSync(`${folder}.moved`) ||
  ['postgres', 'postgres.json', 'database-folder', 'lock'].some((name) => fs.existsSync(join(folder, name)))

/** The database's user must be able to pass through root's folder to its own. Other users cannot list it. */
const modeOf = (): number => (me() === 0 ? 0o711 : 0o700)

/**
 * Creates the folder if needed, closes it to others, and takes it back from the database's user, who owned it in earlier
 * versions.
 * @throws if it contains other files, because closing /srv or /tmp would do harm; or if another user owns it
 */
export const makeDataFolder = (folder: string): void => {
  fs.mkdirSync(folder, { recursive: true, mode: modeOf() })
  const handle = fs.openSync(folder, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY)
  try {
    const holds = fs.readdirSync(folder)
    if (holds.length > 0 && !holds.some((name) => OURS.some((ours) => name.startsWith(ours)))) {
      throw new Error(`${folder} contains other files: BAOCO_DATA_DIR must be a folder that only Baoco uses`)
    }
    const { uid, mode } = fs.fstatSync(handle)
    if (me() !== undefined && uid !== me()) takeBack(folder, handle, uid, holds)
    if ((mode & 0o777) !== modeOf()) fs.fchmodSync(handle, modeOf())
  } finally {
    fs.closeSync(handle)
  }
}

const takeBack = (folder: string, handle: number, uid: number, holds: readonly string[]): void => {
  const database = fs.lstatSync(join(folder, 'postgres'), { throwIfNoEntry: false })
  const isNew = holds.every((name) => name === 'lost+found')
  // Root takes a folder back only from the database's own user. A folder of any other user may contain secrets of that user.
  const wasTheDatabases = namedUser('postgres')?.uid === uid && (!database || database.uid === uid)
  if (me() !== 0 || !(isNew || wasTheDatabases))
    throw new Error(
      `the data folder ${folder} belongs to user ${uid}: run Baoco as that user, or name another folder (BAOCO_DATA_DIR)`,
    )
  fs.fchownSync(handle, 0, 0)
  process.stderr.write(
    `The data folder ${folder} belonged to user ${uid}. It belongs to root now, except the database in it.\n`,
  )
}

/**
 * The start time of a process, as a text that no later process with the same id shares. Undefined if there is no such
 * process. Linux reports clock ticks since boot, so the boot id is added.
 */
const startOf = (pid: number): string | undefined => {
  if (process.platform !== 'linux') {
    try {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim()
    } catch {
      return undefined
    }
  }
  // The name in parentheses may contain spaces. After it come the state (3rd field) and the start time (22nd field).
  const fields = readForeignFile(`/proc/${pid}/stat`)
    ?.replace(/^.*\)\s*/s, '')
    .split(' ')
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${fields[19]}@${readForeignFile('/proc/sys/kernel/random/boot_id')?.trim()}`
}

interface Owner {
  pid: number
  started: string
  /** The folder that it locked. Missing in the locks of earlier versions. */
  folder?: string
}

/** Differs for a copy, even if it lies at the same place on another machine. */
const identityOf = (folder: string): string => {
  const { dev, ino } = fs.statSync(folder, { bigint: true })
  return `${dev}:${ino}`
}

const ownerIn = (text: string | undefined): Owner | undefined => {
  try {
    return JSON.parse(text ?? '') as Owner
  } catch {
    return undefined
  }
}

/**
 * Locks the folder for this process, until the returned function is called or the process ends.
 * @throws {FolderInUse} if another process, or another part of this one, holds the lock
 */
export const lockDataFolder = (folder: string): (() => void) => {
  const path = join(folder, 'lock')
  const identity = identityOf(folder)
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid) ?? '', folder: identity })
  for (;;) {
    if (createPrivateFile(path, mine)) break
    const found = readPrivateFile(path)
    const owner = ownerIn(found)
    // The lock in a copy of the folder says nothing about the copy.
    const isCopied = owner?.folder !== undefined && owner.folder !== identity
    if (owner && !isCopied && startOf(owner.pid) === owner.started) throw new FolderInUse(folder, owner.pid)
    if (found === undefined) continue
    // Removes the dead owner's lock only if its content is unchanged. A lock that another process has just created there is
    // put back.
    const taken = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
    try {
      fs.renameSync(path, taken)
    } catch {
      continue
    }
    if (readPrivateFile(taken) !== found) fs.renameSync(taken, path)
    else fs.rmSync(taken)
  }
  return () => {
    if (readPrivateFile(path) === mine) fs.rmSync(path)
  }
}
