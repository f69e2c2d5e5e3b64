// Tests: tests/integration/embedded-postgres.test.ts
/** The user that runs the database processes if Baoco runs as root, because Postgres refuses to run as root. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'

/** undefined means the user of this process. */
export type DatabaseUser = { uid: number; gid: number } | undefined

/**
 * Returns the owner of an existing database, or else the user `postgres`, which is created if it does not exist.
 * @param folder  the folder that contains `postgres`, now or later
 */
export const userFor = (folder: string): DatabaseUser => {
  if (process.getuid?.() !== 0) return undefined
  const path = join(folder, 'postgres')
  const named = fs.lstatSync(path, { throwIfNoEntry: false })
  // Root may have moved the database to another disk. A link that another user owns may lead anywhere.
  if (named?.isSymbolicLink() && named.uid !== 0) throw new Error(`${path} is a link of user ${named.uid}'s: remove it`)
  const there = fs.statSync(path, { throwIfNoEntry: false })
  if (there && there.uid !== 0) return { uid: there.uid, gid: there.gid }
  return namedUser('postgres') ?? makeUser('postgres')
}

export const namedUser = (name: string): DatabaseUser => {
  const id = (what: string) => spawnSync('id', [what, name], { encoding: 'utf8' })
  const [uid, gid] = [id('-u'), id('-g')]
  return uid.status === 0 && gid.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined
}

const makeUser = (name: string): DatabaseUser => {
  spawnSync('useradd', [
    ...'--system --user-group --no-create-home --home-dir /nonexistent --shell /bin/false'.split(' '),
    name,
  ])
  // BusyBox
  spawnSync('adduser', ['-S', '-D', '-H', '-s', '/bin/false', name])
  const made = namedUser(name)
  if (!made) {
    throw new Error(
      'Postgres does not run as root, and the user "postgres" could not be created: run Baoco as another user, or set DATABASE_URL',
    )
  }
  return made
}

/**
 * Whether the database's user can enter a folder, or can read and run a file. The system decides, because it applies every
 * rule.
 */
export const mayUse = (path: string, user: DatabaseUser): boolean =>
  spawnSync('/bin/sh', ['-c', 'test -x "$0"', path], { cwd: '/', ...user }).status === 0
