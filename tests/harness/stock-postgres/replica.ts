/** A replica of Debian's Postgres, made and promoted as its administrator does it. */
import { chownSync } from 'node:fs'
import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { stop } from '../../../adapters/postgres/embedded/server.ts'
import { freePorts } from '../free-ports.ts'
import { launchServer, startOwnServer } from '../own-server.ts'
import { findPrograms } from './install.ts'
import { ENVIRONMENT, listening, owner, run, type StockPostgres } from './server.ts'
import { succeeds } from '../outcomes.ts'

export interface Replica {
  /** Gives it the address of the primary server, which must be gone, and promotes it. */
  takeOver(): Promise<void>
  remove(): Promise<void>
}

/** Starts a replica that follows the server. */
export const startReplica = async ({ port: primaryPort, superuser }: StockPostgres): Promise<Replica> => {
  const programs = findPrograms()!
  const folder = await mkdtemp(join(tmpdir(), 'baoco-replica-'))
  const user = owner()
  if (user) chownSync(folder, user.uid, user.gid)
  const options = { cwd: folder, env: ENVIRONMENT, ...user }
  const data = join(folder, 'data')
  const copying = ['-d', superuser, '-D', data, '--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast']
  await promisify(execFile)(join(programs, 'pg_basebackup'), copying, options)
  let [port = 0] = await freePorts(1)
  const ask = (statement: string) => run(superuser.replace(`:${primaryPort}/`, `:${port}/`), statement)
  const isUp = () => succeeds(ask('SELECT 1'))
  const launch = () => launchServer([join(programs, 'postgres'), '-D', data, ...listening(port)], { isUp, ...options })
  const server = await startOwnServer({ folder, launch, end: stop })
  return {
    takeOver: async () => {
      await server.stop()
      port = primaryPort
      await server.start()
      await ask('SELECT pg_promote()')
    },
    remove: server.remove,
  }
}
