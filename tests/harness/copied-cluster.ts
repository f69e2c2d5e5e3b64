/**
 * Database clusters for the servers of tests, copied from one that is made once per clone: to make one takes 0.7 s of CPU, a copy 0.06 s.
 * Tests of the first start and of the embedded Postgres let Baoco make its own.
 */
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { migrateDatabase } from '../../adapters/database/migrate.ts'
import { findDirectory, packedBinaries } from '../../adapters/postgres/embedded/directory.ts'
import { initialise, start, stop, SUPERUSER } from '../../adapters/postgres/embedded/server.ts'
import { makeDataFolder } from '../../adapters/system/data-folder.ts'
import { writePrivateFile } from '../../adapters/system/private-file.ts'
import { newDataFolder, type DataFolder } from './baoco-process.ts'
import { createReadModels, versionOfReadModels } from './empty-read-models.ts'
import { freePorts } from './free-ports.ts'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/baoco-clusters', import.meta.url))

const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])

/**
 * @param make  makes a cluster in a folder that the database's user may enter, with this password. @returns its path
 * @param to  does not exist yet
 * @returns the password of its superuser, which all copies have
 */
export const copyCluster = async (
  name: string,
  make: (folder: string, password: string) => Promise<string>,
  to: string,
): Promise<string> => {
  const kept = join(CACHE, name)
  if (!existsSync(kept)) {
    await mkdir(CACHE, { recursive: true, mode: 0o700 })
    const [made, draft] = [await mkdtemp(join(tmpdir(), 'baoco-cluster-')), await mkdtemp(`${kept}.`)]
    try {
      const password = randomBytes(12).toString('hex')
      await copy(await make(made, password), join(draft, 'data'))
      await writeFile(join(draft, 'password'), password, { mode: 0o600 })
      await rename(draft, kept).catch((error: Error) => {
        if (!existsSync(kept)) throw error // Otherwise another process was quicker.
      })
    } finally {
      await Promise.all([made, draft].map((folder) => rm(folder, { recursive: true, force: true })))
    }
  }
  await copy(join(kept, 'data'), to)
  return readFile(join(kept, 'password'), 'utf8')
}

const MIGRATIONS = fileURLToPath(new URL('../../adapters/database/migrations', import.meta.url))

/** Everything that decides the content of a cluster. */
let look: Promise<string> | undefined
const lookOf = async (): Promise<string> => {
  const migrations = (await readdir(MIGRATIONS)).sort().map((name) => join(MIGRATIONS, name))
  const sources = [
    new URL('../../adapters/postgres/embedded/server.ts', import.meta.url),
    join(packedBinaries(), '..', 'package.json'),
    ...migrations,
  ]
  const hash = createHash('sha256')
  for (const source of sources) hash.update(await readFile(source))
  return hash.update(versionOfReadModels()).digest('hex').slice(0, 16)
}

const makeEmpty = async (folder: string, password: string): Promise<string> => {
  makeDataFolder(folder)
  const directory = findDirectory(folder)
  await initialise(directory, password)
  return directory.data
}

const makeWithTables = async (folder: string, password: string): Promise<string> => {
  const data = await makeEmpty(folder, password)
  const [port = 0] = await freePorts(1)
  const server = await start(findDirectory(folder), port)
  const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`
  try {
    await migrateDatabase(url)
    await createReadModels(url)
  } finally {
    await stop(server)
  }
  return data
}

/**
 * Puts a cluster into a data folder that has none, as Baoco's first start does.
 * @param hasTables  it has the tables of this version, and empty read models
 * @returns the password of its superuser
 */
export const copyEmbeddedCluster = async (dataDir: string, hasTables = false): Promise<string> => {
  const [kind, make] = hasTables ? (['tables', makeWithTables] as const) : (['embedded', makeEmpty] as const)
  makeDataFolder(dataDir)
  return copyCluster(`${kind}-${await (look ??= lookOf())}`, make, join(dataDir, 'postgres'))
}

/** Puts a cluster and its password into a data folder that has none. @param hasTables  as in `copyEmbeddedCluster` */
export const giveCluster = async (dataDir: string, hasTables = false): Promise<void> => {
  const password = await copyEmbeddedCluster(dataDir, hasTables)
  writePrivateFile(join(dataDir, 'postgres.json'), JSON.stringify({ password, port: 0 }))
}

/** A data folder and a port for one installation that has its cluster already, with empty tables. */
export const newFolderWithCluster = async (): Promise<DataFolder> => {
  const dataFolder = await newDataFolder()
  await giveCluster(dataFolder.dataDir, true)
  return dataFolder
}
