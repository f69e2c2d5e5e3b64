/** A Postgres server of the test's own. */
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDataFolder } from '../../adapters/system/data-folder.ts'
import { findPlace, removePlace } from '../../adapters/postgres/embedded/directory.ts'
import { initialise, start, stop, SUPERUSER } from '../../adapters/postgres/embedded/server.ts'
import { freePorts } from './free-ports.ts'
import { startOwnServer, type OwnServer } from './own-server.ts'

export interface OwnPostgres extends OwnServer {
  port: number
  /** @param port  where to reach it, when not directly */
  url(port?: number): string
}

export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'baoco-postgres-'))
  makeDataFolder(folder)
  const place = findPlace(folder)
  const password = randomBytes(12).toString('hex')
  await initialise(place, password)
  const [port = 0] = await freePorts(1)
  const server = await startOwnServer({ folder, launch: () => start(place, port), end: stop, clear: removePlace })
  return {
    ...server,
    port,
    url: (through = port) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${through}/postgres`,
  }
}
