/**
 * Root's data folder where the database's user could not enter it: under a closed folder such as /root, so a fresh clone there. The
 * whole folder then lies at /var/lib/baoco/<hash>, and a link to it stands in its place, so that database and secrets lie together.
 *
 * Earlier versions kept only the database there, and said so in a file `database-folder`: such a folder moves, too. A move that was cut
 * short is finished by the next start; until the link is there, everything is in the old place as well.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { LogLines } from '../../telemetry/log-lines.ts'
import { me, readPrivateFile, syncFolder } from '../../system/private-file.ts'
import { mayUse, userFor } from '../../database/database-user.ts'
import { ELSEWHERE } from './directory.ts'
import { clearLeftovers } from './server.ts'

/** The name that the old folder has while a link takes its place. */
const movedAside = (dataDir: string): string => `${dataDir}.moved`

const isThere = (path: string): boolean => fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** A folder of root's that others can pass through and not list. @throws where somebody else has it */
const rootsFolder = (folder: string): void => {
  fs.mkdirSync(folder, { recursive: true })
  const found = fs.lstatSync(folder)
  if (!found.isDirectory() || found.uid !== 0)
    throw new Error(`${folder} must be a folder owned by root, because the data folder is moved into it: remove it`)
  fs.chmodSync(folder, 0o711)
}

/** @returns an empty folder; what is left there of an earlier data folder at this path is set aside */
const newHome = async (dataDir: string, log: LogLines): Promise<string> => {
  const folder = join(ELSEWHERE, createHash('sha256').update(dataDir).digest('hex').slice(0, 16))
  rootsFolder(ELSEWHERE)
  if (isThere(folder)) {
    await clearLeftovers({ data: join(folder, 'postgres') })
    const aside = `${folder}.before-${new Date().toISOString().replace(/[:.]/g, '-')}`
    fs.renameSync(folder, aside)
    log.warn({ folder: aside }, 'database.set_aside')
  }
  rootsFolder(folder)
  return folder
}

const putLink = (dataDir: string, target: string): void => {
  fs.symlinkSync(target, dataDir)
  syncFolder(dirname(dataDir))
  fs.rmSync(movedAside(dataDir), { recursive: true, force: true })
}

/** All but the lock; the database is there already, or there is none. Safe on the disk when it returns. */
const copyInto = (to: string, from: string): void => {
  for (const name of fs.readdirSync(from)) {
    if (name === 'database-folder' || name.startsWith('lock')) continue
    const copy = join(to, name)
    fs.cpSync(join(from, name), copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
    if (!fs.lstatSync(copy).isFile()) continue
    const file = fs.openSync(copy, 'r')
    fs.fsyncSync(file)
    fs.closeSync(file)
  }
  syncFolder(to)
}

/** Where the move was going. */
const TARGET = 'moves-to'

/**
 * Finishes a move that a crash cut short after the old folder was set aside: before anything is made at this path.
 * @param dataDir  absolute
 */
export const finishRelocation = (dataDir: string): void => {
  if (me() !== 0 || isThere(dataDir) || !isThere(movedAside(dataDir))) return
  const target = readPrivateFile(join(movedAside(dataDir), TARGET))?.trim()
  if (target !== undefined) putLink(dataDir, target)
}

/**
 * Moves root's data folder where it has to be elsewhere. The caller holds its lock, and takes the new folder's after a move.
 * @returns whether it moved
 */
export const relocate = async (given: string, log: LogLines): Promise<boolean> => {
  const dataDir = resolve(given)
  if (me() !== 0 || fs.lstatSync(dataDir).isSymbolicLink()) return false
  const recorded = readPrivateFile(join(dataDir, 'database-folder'))?.trim()
  if (recorded !== undefined && !fs.existsSync(recorded))
    throw new Error(`${join(dataDir, 'database-folder')} names the database folder ${recorded}, which does not exist`)
  if (recorded === undefined) {
    const user = userFor(dataDir)!
    if (mayUse(dirname(fs.realpathSync(dataDir)), user)) return false
    if (fs.existsSync(join(dataDir, 'postgres')))
      throw new Error(
        `the database's user (${user.uid}) cannot enter ${dirname(dataDir)} any more, where its database lies: open that folder to it again, or move the data folder elsewhere (BAOCO_DATA_DIR)`,
      )
  }
  const target = recorded ?? (await newHome(dataDir, log))
  rootsFolder(target)
  copyInto(target, dataDir)
  fs.writeFileSync(join(dataDir, TARGET), `${target}\n`, { mode: 0o600 })
  fs.rmSync(join(target, TARGET), { force: true })
  fs.renameSync(dataDir, movedAside(dataDir))
  putLink(dataDir, target)
  process.stderr.write(
    `Root's database user cannot enter ${dirname(dataDir)}: the data folder lies in ${target}, and ${dataDir} is a link to it.\n`,
  )
  return true
}
