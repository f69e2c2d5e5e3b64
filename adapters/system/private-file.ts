// Tests: tests/attack/data-folder.test.ts
/**
 * Files of the data folder. Baoco may run as root, and the folder may once have belonged to the database's user, so its files
 * are not trusted. A file is opened without following a link and without waiting for a pipe, and the opened file is checked.
 */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { basename, dirname, join } from 'node:path'

const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = fs.constants

/** Bytes. All files that are read here are far smaller. */
const LONGEST = 65_536

/** Thrown if a file is not as Baoco created it. */
export class FileNotTrusted extends Error {
  override name = 'FileNotTrusted'
  constructor(path: string, what: string) {
    super(`${path} ${what}`)
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

const whose = (uid: number): string => (uid === 0 ? 'root' : `user ${uid}`)

/** The user id of this process. Undefined if the system has no user ids. */
export const me = (): number | undefined => process.geteuid?.()

/** Opens the path, whatever it is. @throws {FileNotTrusted} for a link */
const openAsItIs = (path: string, flags: number, mode?: number): number => {
  try {
    return fs.openSync(path, flags | O_NOFOLLOW | O_NONBLOCK, mode)
  } catch (error) {
    if (codeOf(error) === 'ELOOP')
      throw new FileNotTrusted(path, 'is a link: put the file itself there, or remove the link')
    // A pipe without a reader cannot be opened for writing.
    if (codeOf(error) === 'ENXIO') throw new FileNotTrusted(path, 'is not a file: remove it')
    throw error
  }
}

const refuseOthers = (path: string, { uid }: fs.Stats, owner: number | undefined): void => {
  if (owner === undefined || uid === owner) return
  throw new FileNotTrusted(
    path,
    `belongs to ${whose(uid)}, not to ${whose(owner)}: run Baoco as its owner, or give the file to ${whose(owner)} if its content is yours`,
  )
}

/**
 * If a crash interrupts `createPrivateFile` between its two steps, the draft remains as a second name of the same file.
 * Removes it.
 */
const removeDrafts = (path: string, { ino, dev }: fs.Stats): void => {
  for (const name of fs.readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.`)) continue
    const other = join(dirname(path), name)
    const found = fs.lstatSync(other, { throwIfNoEntry: false })
    if (found?.ino === ino && found.dev === dev) fs.rmSync(other)
  }
}

/** @returns the opened file's status, if it is a file of that owner with only one name. @throws {FileNotTrusted} */
const trusted = (file: number, path: string, owner: number | undefined): fs.Stats => {
  const found = fs.fstatSync(file)
  if (!found.isFile()) throw new FileNotTrusted(path, 'is not a file: remove it')
  refuseOthers(path, found, owner)
  if (found.nlink > 1) {
    removeDrafts(path, found)
    if (fs.fstatSync(file).nlink > 1)
      throw new FileNotTrusted(
        path,
        'has a second name elsewhere (a hard link): copy its content to a new file in its place',
      )
  }
  return found
}

const textOf = (file: number): string => {
  const bytes = Buffer.alloc(LONGEST)
  return bytes.subarray(0, fs.readSync(file, bytes, 0, LONGEST, 0)).toString('utf8')
}

const ifThere = (path: string, read: (file: number) => string): string | undefined => {
  let file: number
  try {
    file = openAsItIs(path, O_RDONLY)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    return read(file)
  } finally {
    fs.closeSync(file)
  }
}

/**
 * The text of a file that this process's user created. Undefined if it does not exist. A file that others may read is closed
 * to them.
 * @throws {FileNotTrusted} for a link, a pipe, another user's file, or a file with a second name
 */
export const readPrivateFile = (path: string): string | undefined =>
  ifThere(path, (file) => {
    const { mode } = trusted(file, path, me())
    if ((mode & 0o077) !== 0) {
      fs.fchmodSync(file, 0o600)
      process.stderr.write(`${path} could be read by others (mode ${(mode & 0o777).toString(8)}): it is 0600 now.\n`)
    }
    return textOf(file)
  })

/**
 * The text of a file that another user may write, such as the database's user. Undefined if it does not exist or is a link.
 * Empty if it is not a regular file. At most 64 KB are read.
 */
export const readForeignFile = (path: string): string | undefined => {
  try {
    return ifThere(path, (file) => (fs.fstatSync(file).isFile() ? textOf(file) : ''))
  } catch (error) {
    if (error instanceof FileNotTrusted) return undefined
    throw error
  }
}

/**
 * Overwrites another user's file in place. @param owner the required owner
 * @throws {FileNotTrusted} if it is anything else
 */
export const overwriteForeignFile = (path: string, text: string, owner: number | undefined): void => {
  const file = openAsItIs(path, O_RDWR)
  try {
    trusted(file, path, owner)
    fs.ftruncateSync(file)
    fs.writeSync(file, text, 0)
  } finally {
    fs.closeSync(file)
  }
}

/** Opens a file of this process's user for appending, mode 0600. Creates it if it does not exist. @throws {FileNotTrusted} */
export const openToAppend = (path: string): number => {
  const file = openAsItIs(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
  try {
    trusted(file, path, me())
    fs.fchmodSync(file, 0o600)
    return file
  } catch (error) {
    fs.closeSync(file)
    throw error
  }
}

/** Writes atomically: after a power failure, the file has either all of the new text or the old text. Mode 0600. */
export const writePrivateFile = (path: string, text: string): void => {
  const draft = draftOf(path, text)
  fs.renameSync(draft, path)
  syncFolder(dirname(path))
}

/** Like `writePrivateFile`, without a wait for the disk: after a power failure, the file may be empty. */
export const replacePrivateFile = (path: string, text: string): void => {
  fs.renameSync(
    draftOf(path, text, () => {}),
    path,
  )
}

/** Like `writePrivateFile`, but only if the file does not exist. Returns whether it was written. */
export const createPrivateFile = (path: string, text: string): boolean => {
  const draft = draftOf(path, text)
  try {
    fs.linkSync(draft, path)
    syncFolder(dirname(path))
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

const draftOf = (path: string, text: string, sync = fs.fsyncSync): string => {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  // Exclusive: fails if a file or link exists.
  const file = fs.openSync(draft, 'wx', 0o600)
  try {
    fs.writeFileSync(file, text)
    sync(file)
    return draft
  } catch (error) {
    // A full disk takes an empty file, and a process may try again every few seconds.
    fs.rmSync(draft, { force: true })
    throw error
  } finally {
    fs.closeSync(file)
  }
}

export const syncFolder = (folder: string): void => {
  const handle = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}
