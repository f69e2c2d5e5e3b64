// Tests: tests/integration/store-migration/store-migration.test.ts
/**
 * Records which processes run on an installation. Every process holds a shared lock of the database while it works on it. A
 * command that must be alone takes the lock exclusively. The lock belongs to a connection. So it ends with its process,
 * however that ends; it stays while the process is frozen; and it needs no clock.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { VERSION } from '../system/version.ts'
import type { Database, Queryable } from './database.ts'
import { holdSettings, type SharedSettings } from './shared-settings.ts'

const LOCK = `hashtext('baoco'), hashtext('presence')`
const AGAIN_MS = 500
/** Asks whether the connection is still there. */
const STILL_THERE = { text: 'SELECT 1', query_timeout: 5_000 }

const HOLDERS = `
SELECT application_name AS name, backend_start AS since, host(client_addr) AS address FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE l.locktype = 'advisory' AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND l.classid::bigint = hashtext('baoco')::bigint & 4294967295 AND l.objid::bigint = hashtext('presence')::bigint & 4294967295
  AND l.pid <> pg_backend_pid()
ORDER BY name, since`

export interface PresentProcess {
  /** Such as `baoco (deliver)`. */
  name: string
  /** The version of Baoco. Null if the process does not report it. */
  version: string | null
  /** Null if the process logs in as another role, whose sessions the server does not show. Its address is null then too. */
  since: string | null
  /** Its address for the database; null if it uses a socket. */
  address: string | null
}

/** Processes that work on the installation. */
export const presentProcesses = async (database: Queryable): Promise<PresentProcess[]> =>
  (await database.query<Omit<PresentProcess, 'version'>>(HOLDERS)).map(({ name, ...more }) => ({
    ...more,
    ...named(name),
  }))

/** Other processes use the installation. The message names them. */
class InUse extends Error {
  override name = 'InUse'
}

/** As the database shows a process, such as `baoco (deliver) 0.1.0`. */
const nameFor = (role: string): string => `baoco (${role}) ${VERSION}`

const named = (shown: string): Pick<PresentProcess, 'name' | 'version'> => {
  const [, name, version] = /^(.*\)) (\S+)$/.exec(shown) ?? []
  return { name: name ?? shown, version: version ?? null }
}

const take = async (client: pg.Client, role: string, how: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared') => {
  await client.query(`SELECT set_config('application_name', $1, false)`, [nameFor(role)])
  const { rows } = await client.query<{ taken: boolean }>(`SELECT ${how}(${LOCK}) AS taken`)
  if (rows[0]!.taken) return
  const holders = new Set((await client.query<{ name: string }>(HOLDERS)).rows.map(({ name }) => named(name).name))
  throw new InUse(
    `this installation is in use: ${[...holders].join(', ') || 'another process'} runs on it; stop it, or wait until it has ended`,
  )
}

const connected = async (
  database: Database,
  role: string,
  how: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  settings: SharedSettings = {},
): Promise<pg.Client> => {
  const client = await database.connect()
  try {
    await take(client, role, how)
    await client.query(holdSettings(settings))
    return client
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

export interface Presence {
  /** Shows the settings of this process to the others. */
  show(settings: SharedSettings): Promise<void>
  leave(): Promise<void>
}

/**
 * Registers this process on the installation. After an outage of the database it registers again by itself.
 * @param role  shown to a command that asks which processes run
 * @param onFailure  is called with every failure
 * @throws {InUse} while a command has exclusive use of the installation
 */
export const enter = async (
  database: Database,
  role: string,
  onFailure: (error: unknown) => void = () => {},
): Promise<Presence> => {
  const leaving = new AbortController()
  let shown: SharedSettings = {}
  let client = await connected(database, role, 'pg_try_advisory_lock_shared')
  const lost = (): Promise<void> =>
    new Promise((resolve) => {
      client.once('end', resolve)
      leaving.signal.addEventListener('abort', () => resolve(), { once: true })
    })
  const stay = async (): Promise<void> => {
    for (;;) {
      await lost()
      while (!leaving.signal.aborted) {
        try {
          client = await connected(database, role, 'pg_try_advisory_lock_shared', shown)
          break
        } catch (error) {
          onFailure(error)
          await pause(AGAIN_MS, undefined, { signal: leaving.signal, ref: false }).catch(() => {})
        }
      }
      if (leaving.signal.aborted) return
    }
  }
  const staying = stay()
  return {
    show: async (settings) => {
      shown = settings
      // A lost connection takes the locks when it is made again.
      await client.query(holdSettings(shown)).catch(onFailure)
    },
    leave: async () => {
      leaving.abort()
      await staying
      await client.end().catch(() => {})
    },
  }
}

/** The lock is gone, so another process may have begun to work. */
const notAlone = (cause: unknown) =>
  new Error(
    'the database ended the connection that kept other processes from starting: stop them and run the command again',
    {
      cause,
    },
  )

/**
 * Does the work while no other process uses the installation.
 * @param work  receives a function that rejects if other processes were not kept away all the time
 * @throws {InUse}
 */
export const alone = async <Result>(
  database: Database,
  role: string,
  work: (stillAlone: () => Promise<void>) => Promise<Result>,
): Promise<Result> => {
  const client = await connected(database, role, 'pg_try_advisory_lock')
  const stillAlone = async (): Promise<void> => {
    try {
      await client.query(STILL_THERE)
    } catch (error) {
      throw notAlone(error)
    }
  }
  try {
    return await work(stillAlone)
  } finally {
    await client.end().catch(() => {})
  }
}
