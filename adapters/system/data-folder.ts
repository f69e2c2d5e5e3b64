/**
 * The data folder: mode 0700 (root's 0711), its files 0600 (`private-file.ts`), one process at a time.
 *
 * The lock is a file that names its owner by process id and the time that process started: after kill -9 the next process
 * sees that no such process lives, also when the id has been given to another one, and takes over. Two that take over in
 * the same instant are told apart by Postgres, which refuses a second server on one folder.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { namedUser } from '../database/database-user.ts'
import { createPrivateFile, me, readForeignFile, readPrivateFile } from './private-file.ts'

/** Thrown when another living process has the folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
  constructor(folder: string, pid: number) {
    super(`the data folder ${folder} is in use by another Baoco (process ${pid})`)
  }
}

/** What tells a data folder from any other; a fresh volume holds `lost+found`. */
const OURS = ['lock', 'jwt-secret', 'vault-key', 'postgres', 'database-folder', 'moves-to', 'lost+found']

/** The database's user must be able to pass through root's folder to its own; nobody can list it. */
const modeOf = (): number => (me() === 0 ? 0o711 : 0o700)

/**
 * Makes the folder if need be, closes it to others, and takes it back from the database's user, who had it in earlier versions.
 * @throws where it holds other things: closing somebody's /srv or /tmp would do harm; or where it is somebody else's
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
  // Of root's folder, only the database's own user: anybody else's is his, and his secrets are in it.
  const wasTheDatabases = namedUser('postgres')?.uid === uid && (!database || database.uid === uid)
  if (me() !== 0 || !(isNew || wasTheDatabases))
    throw new Error(
      `the data folder ${folder} belongs to user ${uid}: run Baoco as that user, or name another folder (BAOCO_DATA_DIR)`,
    )
  fs.fchownSync(handle, 0, 0)
  process.stderr.write(
    `The data folder ${folder} belonged to user ${uid}: it is root's now, only the database in it is not.\n`,
  )
}

/**
 * When a process started, as a text that no later process with its id shares; undefined when there is no such process.
 * Linux tells in clock ticks since the boot, so the boot's own id goes with it.
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
  // The name in parentheses may hold blanks; behind it stand the state (3rd field) and, as the 22nd, the start.
  const fields = readForeignFile(`/proc/${pid}/stat`)
    ?.replace(/^.*\)\s*/s, '')
    .split(' ')
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${fields[19]}@${readForeignFile('/proc/sys/kernel/random/boot_id')?.trim()}`
}

interface Owner {
  pid: number
  started: string
}

const ownerIn = (text: string | undefined): Owner | undefined => {
  try {
    return JSON.parse(text ?? '') as Owner
  } catch {
    return undefined
  }
}

/**
 * Takes the folder for this process; it is free again after the returned function, or when the process is gone.
 * @throws {FolderInUse} when another process has it, or another part of this one
 */
export const lockDataFolder = (folder: string): (() => void) => {
  const path = join(folder, 'lock')
  const mine = JSON.stringify({ pid: process.pid, started: startOf(process.pid) ?? '' })
  for (;;) {
    if (createPrivateFile(path, mine)) break
    const found = readPrivateFile(path)
    const owner = ownerIn(found)
    if (owner && startOf(owner.pid) === owner.started) throw new FolderInUse(folder, owner.pid)
    if (found === undefined) continue
    // Take the dead owner's lock away by its content: a lock that someone else has just made in its place goes back.
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
