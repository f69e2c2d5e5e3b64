// Tests: tests/integration/embedded-postgres.test.ts
/**
 * The embedded Postgres: nothing to install, one server per data folder, running as long as this process.
 *
 * If the server ends by itself, it is restarted on the same port, so that the URL stays valid. If this process is killed, a
 * guard stops the server. If a server is still left over, the next start stops it.
 */
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { FolderInUse, unusableFolder } from '../../system/data-folder.ts'
import type { LogLines } from '../../../domain/ports.ts'
import { readPrivateFile, writePrivateFile } from '../../system/private-file.ts'
import { findDirectory, type PostgresDirectory } from './directory.ts'
import { enterDataFolder } from './enter.ts'
import { clearDraft } from './finish-restore.ts'
import * as server from './server.ts'

export interface EmbeddedPostgres {
  /** `postgres://…`, valid until `stop`. */
  url: string
  /** Whether this call started the server, so that nothing has used it yet. */
  isFresh: boolean
  stop(): Promise<void>
}

interface Options {
  /** The data folder. It is created if needed. */
  dataDir: string
  log: LogLines
}

/** The data another process needs to attach. Stored in the data folder with mode 0600. */
interface Access {
  password: string
  port: number
}

const RESTART_MS = { least: 250, most: 5_000 }
const ATTACH_MS = 15_000

const accessFile = (dataDir: string): string => join(dataDir, 'postgres.json')

const readAccess = (dataDir: string): Access | undefined => {
  const text = readPrivateFile(accessFile(dataDir))
  return text === undefined ? undefined : (JSON.parse(text) as Access)
}

/** It has no TLS, whatever `PGSSLMODE` in the operator's shell says. */
const urlOf = ({ password, port }: Access): string =>
  `postgres://${server.SUPERUSER}:${password}@127.0.0.1:${port}/postgres?sslmode=disable`

/**
 * Starts the data folder's Postgres, creates it at the first start, and keeps it running.
 * @throws {FolderInUse} if another process uses the data folder
 */
export const openEmbeddedPostgres = (options: Options): Promise<EmbeddedPostgres> =>
  open(options).catch((error: unknown) => {
    throw unusableFolder(options.dataDir, error)
  })

const open = async ({ dataDir, log }: Options): Promise<EmbeddedPostgres> => {
  const unlock = await enterDataFolder(dataDir, log)
  try {
    const directory = findDirectory(dataDir)
    clearDraft(dataDir, server.isInitialised(directory))
    const left = await server.clearLeftovers(directory)
    if (left !== undefined) log.warn({ pid: left }, 'database.leftover_stopped')
    const password = await passwordOf(dataDir, directory)
    const { port, running } = await startOnFreePort(directory, readAccess(dataDir)?.port)
    writePrivateFile(accessFile(dataDir), JSON.stringify({ password, port }))
    const stop = keepRunning(directory, port, running, log)
    return {
      url: urlOf({ password, port }),
      isFresh: true,
      stop: async () => {
        await stop()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/**
 * For a separate command. Uses the Postgres that another process (`serve`) runs on the data folder, or starts it for the
 * duration of the command. `stop` ends only a server that this call started.
 */
export const attachOrStart = async (options: Options): Promise<EmbeddedPostgres> => {
  for (const until = Date.now() + ATTACH_MS; ; await delay(100)) {
    try {
      return await openEmbeddedPostgres(options)
    } catch (error) {
      if (!(error instanceof FolderInUse)) throw error
      // The owner may still be starting, or may have just ended.
      const access = readAccess(options.dataDir)
      if (access && (await isServerOf(options.dataDir, urlOf(access))))
        return { url: urlOf(access), isFresh: false, stop: async () => {} }
      if (Date.now() > until) throw new Error(`${error.message}, and its database does not respond`)
    }
  }
}

/** Whether the server at this URL answers and works on this data folder. `postgres.json` of a copied folder names the original's server. */
const isServerOf = async (dataDir: string, url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory')
    return rows[0]?.data_directory === join(realpathSync(dataDir), 'postgres')
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** The database's password, which is created together with the database. */
const passwordOf = async (dataDir: string, directory: PostgresDirectory): Promise<string> => {
  const access = readAccess(dataDir)
  if (server.isInitialised(directory)) {
    if (!access)
      throw new Error(
        `${accessFile(dataDir)}, which contains the password of the database in ${directory.data}, does not exist`,
      )
    return access.password
  }
  const password = server.makePassword()
  writePrivateFile(accessFile(dataDir), JSON.stringify({ password, port: 0 }))
  await server.initialise(directory, password)
  return password
}

/** @param before  the previous port, so that attached clients find the server there again */
const startOnFreePort = async (
  directory: PostgresDirectory,
  before = 0,
): Promise<{ port: number; running: server.Server }> => {
  for (let attempt = 1; ; attempt++) {
    const port = (attempt === 1 && before) || (await freePort())
    try {
      return { port, running: await server.start(directory, port) }
    } catch (error) {
      if (!(error instanceof server.PortTaken) || attempt === 5) throw error
    }
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })

/** Restarts the server whenever it ends by itself. The returned function ends the server and the restarts. */
const keepRunning = (
  directory: PostgresDirectory,
  port: number,
  first: server.Server,
  log: LogLines,
): (() => Promise<void>) => {
  const stopping = new AbortController()
  let current = first
  const watch = async (): Promise<void> => {
    for (let wait = RESTART_MS.least; !stopping.signal.aborted;) {
      if (!current.isGone()) {
        await current.gone
        if (stopping.signal.aborted) return
        log.error({ pid: current.pid, log: directory.log }, 'database.ended')
      }
      try {
        current = await server.start(directory, port, { stopping: stopping.signal })
        log.warn({ pid: current.pid }, 'database.started_again')
        wait = RESTART_MS.least
      } catch (error) {
        if (stopping.signal.aborted) return
        log.error({ reason: (error as Error).message }, 'database.not_started')
        await delay(wait, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
        wait = Math.min(wait * 2, RESTART_MS.most)
      }
    }
  }
  const watching = watch()
  return async () => {
    stopping.abort()
    await server.stop(current)
    await watching
    // Stops a server whose restart succeeded just when the stop began.
    await server.stop(current)
  }
}
