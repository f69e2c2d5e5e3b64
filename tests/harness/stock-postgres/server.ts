/**
 * A Postgres as a user has it: Debian's, with the settings of its package (jit and fsync on), and a role that owns its database and may
 * nothing else. Each process of the test run starts one at most, unless a test needs its own.
 */
import { randomBytes } from 'node:crypto'
import { chownSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { namedUser } from '../../../adapters/database/database-user.ts'
import { stop } from '../../../adapters/postgres/embedded/server.ts'
import { copyCluster } from '../copied-cluster.ts'
import { ownClock } from '../faketime/install.ts'
import { freePorts } from '../free-ports.ts'
import { launchServer, startOwnServer, type OwnServer } from '../own-server.ts'
import { HOSTILE_DEFAULTS } from './hostile-defaults.ts'
import { findPrograms } from './install.ts'
import { succeeds } from '../outcomes.ts'

export interface StockPostgres extends OwnServer {
  port: number
  /** The address of its superuser. */
  superuser: string
  /** Runs one of Debian's programs as the superuser of this server, on one of its databases. @returns what it prints */
  program(name: string, args: readonly string[], database?: string): Promise<string>
  /** The superuser's password, which its copy has too. */
  password: string
  /** Runs a statement as the superuser. */
  administer(statement: string): Promise<void>
  /** Sets its clock so many seconds ahead of this machine's. For a server with a clock of its own. */
  setClock(seconds: number): void
  /** Creates a database and its owner. @param defaults  of settings, half of them for the database and half for the role */
  database(defaults?: Readonly<Record<string, string>>): Promise<StockDatabase>
}

export interface StockDatabase {
  name: string
  /** @param port  of a proxy or a pooler, if the connection is not direct · @param database  another database of the same owner */
  url(port?: number, database?: string): string
  drop(): Promise<void>
}

export const ENVIRONMENT = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', TZ: 'UTC' }

/** Postgres does not run as root. Debian's package creates the user. */
export const owner = () => (process.getuid?.() === 0 ? namedUser('postgres') : undefined)

/** Arguments of a server that only this machine reaches. */
export const listening = (port: number): string[] => [
  '-p',
  String(port),
  '-c',
  'listen_addresses=127.0.0.1',
  '-c',
  'unix_socket_directories=',
]

export const run = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(statement)
  } finally {
    await client.end().catch(() => {})
  }
}

export interface StockOptions {
  /** It has a clock that `setClock` sets, which needs libfaketime. */
  ownClock?: boolean
  /** Makes the server with `pg_basebackup` from this running one. */
  copyOf?: StockPostgres
}

/** @returns what makes a cluster in a folder, with the settings of Debian's package */
const clusterOf = (programs: string) => async (folder: string, password: string) => {
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')]
  await writeFile(passwordFile, password, { mode: 0o600 })
  const user = owner()
  if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid)
  await promisify(execFile)(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'postgres', '--pwfile', passwordFile, '-A', 'scram-sha-256', '-E', 'UTF8'],
    { cwd: folder, env: ENVIRONMENT, ...user },
  )
  return data
}

export const startStockPostgres = async ({
  ownClock: isOwn = false,
  copyOf,
}: StockOptions = {}): Promise<StockPostgres> => {
  const programs = findPrograms()
  if (!programs) throw new Error('Debian has no Postgres here: node --import tsx tests/harness/install.ts')
  const folder = await mkdtemp(join(tmpdir(), 'baoco-stock-postgres-'))
  const data = join(folder, 'data')
  const user = owner()
  if (user) chownSync(folder, user.uid, user.gid)
  const password =
    copyOf?.password ?? (await copyCluster(`debian-${programs.replaceAll('/', '-')}`, clusterOf(programs), data))
  const clock = isOwn ? ownClock(join(folder, 'clock')) : null
  const running = { cwd: folder, env: ENVIRONMENT, ...user }
  const serving = { ...running, env: { ...ENVIRONMENT, ...clock?.env } }
  const [port = 0] = await freePorts(1)
  const urlOf = (role: string, database: string, through = port) =>
    `postgres://${role}:${password}@127.0.0.1:${through}/${database}`
  const administer = (statement: string) => run(urlOf('postgres', 'postgres'), statement)
  const program: StockPostgres['program'] = async (name, args, database = 'postgres') => {
    const connection = {
      PGHOST: '127.0.0.1',
      PGPORT: String(port),
      PGUSER: 'postgres',
      PGPASSWORD: password,
      PGDATABASE: database,
    }
    const ran = await promisify(execFile)(join(programs, name), args, {
      ...running,
      env: { ...ENVIRONMENT, ...connection },
    })
    return ran.stdout
  }
  const isUp = () => succeeds(administer('SELECT 1'))
  await copyOf?.program('pg_basebackup', ['-D', data, '--wal-method=stream', '--checkpoint=fast'])
  const launch = () => launchServer([join(programs, 'postgres'), '-D', data, ...listening(port)], { isUp, ...serving })
  return {
    ...(await startOwnServer({ folder, launch, end: stop })),
    port,
    superuser: urlOf('postgres', 'postgres'),
    program,
    password,
    administer,
    setClock: (seconds) => clock!.ahead(seconds),
    database: async (defaults = {}) => {
      const name = `shop_${randomBytes(6).toString('hex')}`
      await administer(`CREATE ROLE ${name} LOGIN PASSWORD '${password}'`)
      await administer(`CREATE DATABASE ${name} OWNER ${name}`)
      for (const [index, [setting, value]] of Object.entries(defaults).entries())
        await administer(`ALTER ${index % 2 ? 'ROLE' : 'DATABASE'} ${name} SET ${setting} = ${value}`)
      return {
        name,
        url: (through, of = name) => urlOf(name, of, through),
        drop: () => administer(`DROP DATABASE ${name} WITH (FORCE)`),
      }
    },
  }
}

let shared: Promise<StockPostgres> | undefined

/** A database on the server of this process, with the server's defaults or with hostile ones. */
export const stockDatabase = async ({ hostile = false } = {}): Promise<StockDatabase> =>
  (await (shared ??= startStockPostgres())).database(hostile ? HOSTILE_DEFAULTS : {})
