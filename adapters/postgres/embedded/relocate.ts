// Tests: tests/attack/data-folder.test.ts
/**
 * Moves root's data folder if the database's user cannot enter it, because it is in a closed folder such as /root (for
 * example a fresh clone there). The whole folder is moved to /var/lib/baoco/<hash>, and a link replaces it, so that database
 * and secrets stay together.
 *
 * Earlier versions kept only the database there and recorded that in a file `database-folder`. Such a folder is moved too. If
 * a move is interrupted, the next start finishes it. Until the link exists, the old location still has all files.
 */
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { LogLines } from '../../../domain/ports.ts'
import { me, readPrivateFile, syncFolder } from '../../system/private-file.ts'
import { mayUse, userFor } from '../../database/database-user.ts'
import { ELSEWHERE } from './directory.ts'
import { isThere } from './finish-restore.ts'
import { clearLeftovers } from './server.ts'

/** The name of the old folder while a link replaces it. */
const movedAside = (dataDir: string): string => `${dataDir}.moved`

/** Creates a folder owned by root that others can pass through but not list. @throws if another user owns it */
const rootsFolder = (folder: string): void => {
  fs.mkdirSync(folder, { recursive: true })
  const found = fs.lstatSync(folder)
  if (!found.isDirectory() || found.uid !== 0)
    // It may contain the data of another Baoco.
    throw new Error(
      `${folder} must be a folder owned by root, because the data folder is moved into it: name a data folder outside closed folders such as /root (BAOCO_DATA_DIR)`,
    )
  fs.chmodSync(folder, 0o711)
}

/** @returns an empty folder. Remains of an earlier data folder at this path are renamed first. */
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

/**
 * Copies everything except the lock. The database is already there, or there is none. The copies are on disk when this
 * returns.
 */
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

/** The file that contains the target of the move. */
const TARGET = 'moves-to'

/**
 * Finishes a move that a crash interrupted after the old folder was renamed. Must run before anything is created at this
 * path.
 * @param dataDir  absolute
 */
export const finishRelocation = (dataDir: string): void => {
  if (me() !== 0 || isThere(dataDir) || !isThere(movedAside(dataDir))) return
  const target = readPrivateFile(join(movedAside(dataDir), TARGET))?.trim()
  if (target !== undefined) putLink(dataDir, target)
}

/**
 * Moves root's data folder if it must be moved. The caller holds the lock of the old folder, and takes the lock of the new
 * one after a move.
 * @returns whether the folder was moved
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
        `the database's user (${user.uid}) cannot enter ${dirname(dataDir)} any more, which contains its database: let it enter that folder again, or move the data folder elsewhere (BAOCO_DATA_DIR)`,
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
