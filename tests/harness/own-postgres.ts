/** A Postgres server for one test. */
import { execFile } from 'node:child_process'
import { appendFile, chmod, chown, mkdtemp, stat, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findDirectory } from '../../adapters/postgres/embedded/directory.ts'
import { removeDirectory } from './remove-directory.ts'
import { start, stop, SUPERUSER } from '../../adapters/postgres/embedded/server.ts'
import { copyEmbeddedCluster } from './copied-cluster.ts'
import { freePorts } from './free-ports.ts'
import { startOwnServer, type OwnServer } from './own-server.ts'

export interface OwnPostgres extends OwnServer {
  port: number
  /** @param port  of a proxy, if the connection is not direct */
  url(port?: number): string
  /** Copies its data, for which it is stopped. @returns a function that puts the copy in place of the data, for which it is stopped too */
  backUp(): Promise<() => Promise<void>>
}

const run = promisify(execFile)

/** Settings of a server whose data may be lost: no commit waits for the disk. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', wal_compression: 'off' }

/** Checks no password: a check takes 2.7 of the 7 ms of CPU of a new connection, on both sides together. */
const TRUSTING = 'host all all 127.0.0.1/32 trust\n'

/** A certificate and its key, as PEM. */
export interface Certificate {
  certificate: string
  key: string
}

/** Accepts only connections with TLS. */
const requireTls = async (data: string, { certificate, key }: Certificate): Promise<void> => {
  const { uid, gid } = await stat(data)
  for (const [name, text] of [
    ['server.crt', certificate],
    ['server.key', key],
  ] as const) {
    const path = join(data, name)
    await writeFile(path, text)
    await chmod(path, 0o600)
    await chown(path, uid, gid)
  }
  await appendFile(join(data, 'postgresql.conf'), '\nssl = on\n')
  await writeFile(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
}

interface Options {
  /** Uses the settings of production, for tests of durability; otherwise commits do not wait for the disk. */
  durable?: boolean
  /** Accepts connections without checking the password. */
  trusting?: boolean
  /** With it, only connections with TLS are accepted. */
  tls?: Certificate
}

export const startOwnPostgres = async ({
  durable = true,
  trusting = false,
  tls,
}: Options = {}): Promise<OwnPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'baoco-postgres-'))
  const password = await copyEmbeddedCluster(folder)
  const directory = findDirectory(folder)
  if (trusting) await writeFile(join(directory.data, 'pg_hba.conf'), TRUSTING)
  if (tls) await requireTls(directory.data, tls)
  const [port = 0] = await freePorts(1)
  const server = await startOwnServer({
    folder,
    launch: () => start(directory, port, durable ? {} : { settings: NOT_DURABLE }),
    end: stop,
    clear: removeDirectory,
    // A killed Postgres leaves its shared memory behind until it starts again. A machine has 4,096 segments.
    lastSignal: 'SIGQUIT',
  })
  const backup = `${directory.data}.backup`
  // The data may belong to another user, which Node does not preserve.
  const replace = (from: string, to: string) => run('sh', ['-c', 'rm -rf "$2" && cp -a "$1" "$2"', 'sh', from, to])
  const whileStopped = async (work: () => Promise<unknown>): Promise<void> => {
    await server.stop()
    await work()
    await server.start()
  }
  const backUp = async () => {
    await whileStopped(() => replace(directory.data, backup))
    return () => whileStopped(() => replace(backup, directory.data))
  }
  return {
    ...server,
    port,
    backUp,
    url: (through = port) => `postgres://${SUPERUSER}:${password}@127.0.0.1:${through}/postgres`,
  }
}
