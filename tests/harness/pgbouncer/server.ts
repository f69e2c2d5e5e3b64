/** A real pooler: a PgBouncer process with its own port and folder, in front of one database. */
import { chownSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { namedUser } from '../../../adapters/database/database-user.ts'
import { freePorts } from '../free-ports.ts'
import { launchServer, startOwnServer, type OwnServer } from '../own-server.ts'
import { PROGRAM } from './install.ts'
import { succeeds } from '../outcomes.ts'

export type PoolMode = 'session' | 'transaction' | 'statement'

export interface PgBouncer extends OwnServer {
  /** The database, through the pooler. */
  url: string
}

interface Options {
  mode: PoolMode
  /** Server connections are used in turn, instead of the last one first. */
  inTurn?: boolean
  /** The most server connections. */
  size?: number
}

/** @param server  `postgres://…` of the database behind it */
export const startPgBouncer = async (
  server: string,
  { mode, inTurn = false, size = 60 }: Options,
): Promise<PgBouncer> => {
  const folder = await mkdtemp(join(tmpdir(), 'baoco-pgbouncer-'))
  const [port = 0] = await freePorts(1)
  const behind = new URL(server)
  const database = behind.pathname.slice(1)
  const url = new URL(server)
  url.port = String(port)
  const users = join(folder, 'users.txt')
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(users, `"${behind.username}" "${behind.password}"\n`, { mode: 0o600 })
  await writeFile(
    settings,
    `[databases]
${database} = host=${behind.hostname} port=${behind.port} dbname=${database}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 200
server_round_robin = ${inTurn ? 1 : 0}
`,
  )
  // It does not run as root.
  const user = process.getuid?.() === 0 ? namedUser('postgres') : undefined
  if (user) for (const path of [folder, users, settings]) chownSync(path, user.uid, user.gid)
  const isUp = async () => {
    const client = new pg.Client({ connectionString: url.href })
    client.on('error', () => {})
    return succeeds(client.connect().then(() => client.end()))
  }
  const launch = () => launchServer([PROGRAM, settings], { isUp, cwd: folder, ...user })
  return { ...(await startOwnServer({ folder, launch })), url: url.href }
}
