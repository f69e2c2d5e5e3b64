/** A Postgres server of the test's own. */
import { randomBytes } from 'node:crypto'
import { appendFile, mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDataFolder } from '../../adapters/system/data-folder.ts'
import { findDirectory, removeDirectory } from '../../adapters/postgres/embedded/directory.ts'
import { initialise, start, stop, SUPERUSER } from '../../adapters/postgres/embedded/server.ts'
import { freePorts } from './free-ports.ts'
import { startOwnServer, type OwnServer } from './own-server.ts'

export interface OwnPostgres extends OwnServer {
  port: number
  /** @param port  where to reach it, when not directly */
  url(port?: number): string
}

/** Settings of a server whose data may be lost: a commit waits for no disk. */
const NOT_DURABLE = `
fsync = off
full_page_writes = off
synchronous_commit = off
`

const MEMORY = '/dev/shm'
/** Bytes that the databases of a test run need. */
const ROOM = 4 * 1024 ** 3

/** A folder in memory where there is room, else on the disk. */
const fastFolder = async (): Promise<string> => {
  try {
    const { bavail, bsize } = await statfs(MEMORY)
    if (bavail * bsize > ROOM) return await mkdtemp(join(MEMORY, 'baoco-postgres-'))
  } catch {
    // This machine has none, or another user's.
  }
  return mkdtemp(join(tmpdir(), 'baoco-postgres-'))
}

/** @param options.durable  with the settings of production, for tests of durability; else fast, in memory where there is room */
export const startOwnPostgres = async ({ durable = true } = {}): Promise<OwnPostgres> => {
  const folder = durable ? await mkdtemp(join(tmpdir(), 'baoco-postgres-')) : await fastFolder()
  makeDataFolder(folder)
  const place = findDirectory(folder)
  const password = randomBytes(12).toString('hex')
  await initialise(place, password)
  if (!durable) await appendFile(join(place.data, 'postgresql.conf'), NOT_DURABLE)
  const [port = 0] = await freePorts(1)
  const server = await startOwnServer({ folder, launch: () => start(place, port), end: stop, clear: removeDirectory })
  return {
    ...server,
    port,
    url: (through = port) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${through}/postgres`,
  }
}
