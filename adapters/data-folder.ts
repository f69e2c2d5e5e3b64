/**
 * The data folder: mode 0700, its files 0600, one process at a time.
 *
 * The lock is a file that names its owner by process id and the time that process started: after kill -9 the next process
 * sees that no such process lives, also when the id has been given to another one, and takes over. Two that take over in
 * the same instant are told apart by Postgres, which refuses a second server on one folder.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'

/** Thrown when another living process has the folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
  constructor(folder: string, pid: number) {
    super(`the data folder ${folder} is in use by another Baoco (process ${pid})`)
  }
}

/** What tells a data folder from any other; a fresh volume holds `lost+found`. */
const OURS = ['lock', 'jwt-secret', 'vault-key', 'postgres', 'database-folder', 'lost+found']

/**
 * Makes the folder if need be, and closes it to others.
 * @throws where it holds other things: closing somebody's /srv or /tmp would do harm
 */
export const makeDataFolder = (folder: string): void => {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const holds = fs.readdirSync(folder)
  if (holds.length > 0 && !holds.some((name) => OURS.some((ours) => name.startsWith(ours)))) {
    throw new Error(`${folder} holds other things: BAOCO_DATA_DIR must name a folder of Baoco's own`)
  }
  if ((fs.statSync(folder).mode & 0o777) !== 0o700) fs.chmodSync(folder, 0o700)
}

/** All of the new text or the file as it was, also after a power cut; mode 0600. */
export const writePrivateFile = (path: string, text: string): void => {
  const draft = draftOf(path, text)
  fs.renameSync(draft, path)
  syncFolder(dirname(path))
}

/** Like `writePrivateFile`, but only where there is no such file. Answers whether it was written. */
export const createPrivateFile = (path: string, text: string): boolean => {
  const draft = draftOf(path, text)
  try {
    fs.linkSync(draft, path)
    syncFolder(dirname(path))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

/** The file's text, undefined where there is none. */
export const readFileIfThere = (path: string): string | undefined => {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const draftOf = (path: string, text: string): string => {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  const file = fs.openSync(draft, 'wx', 0o600)
  try {
    fs.writeSync(file, text)
    fs.fsyncSync(file)
  } finally {
    fs.closeSync(file)
  }
  return draft
}

const syncFolder = (folder: string): void => {
  const handle = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
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
  const fields = readFileIfThere(`/proc/${pid}/stat`)
    ?.replace(/^.*\)\s*/s, '')
    .split(' ')
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${fields[19]}@${readFileIfThere('/proc/sys/kernel/random/boot_id')?.trim()}`
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
    const found = readFileIfThere(path)
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
    if (readFileIfThere(taken) !== found) fs.renameSync(taken, path)
    else fs.rmSync(taken)
  }
  return () => {
    if (readFileIfThere(path) === mine) fs.rmSync(path)
  }
}
