// Tests: tests/integration/backup.test.ts
/**
 * Copies a running Postgres with `BASE_BACKUP`, the command of its replication protocol that `pg_basebackup` uses. The
 * copy is consistent: it includes the write-ahead log of the time that the copying took. The server checks the checksum
 * of each page that it reads, and sends a manifest with the SHA-256 of each file.
 *
 * Each message begins with a letter: `n` a new archive, `m` the manifest begins, `d` data of either, `p` progress.
 */
import { PassThrough, type Readable } from 'node:stream'
import pg from 'pg'

/** Keeps the write-ahead log on the server until the session ends. */
const KEEP_LOG = 'CREATE_REPLICATION_SLOT baoco_backup TEMPORARY PHYSICAL RESERVE_WAL'
/** A fast checkpoint: the default is spread over nine minutes. */
const COPY = `BASE_BACKUP (LABEL 'baoco', CHECKPOINT 'fast', WAL true, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`

const TOO_MANY_CONNECTIONS = '53300'
const SLOT_EXISTS = '42710'

const ANOTHER = 'another backup is running: wait until it has ended'

const letter = (text: string): number => text.charCodeAt(0)

export interface BaseBackup {
  /** The data directory as a tar. Fails if the copying fails. */
  tar: Readable
  /** The manifest, once the tar has been read to its end. */
  manifest: Promise<string>
}

/** The connection of `pg`, which has no types: only what is used here. */
interface Connection {
  query(text: string): void
  stream: { pause(): void; resume(): void }
}

/** A query in the form that `pg` runs: `pg` itself knows no copy from the server. */
class CopyOut {
  readonly #tar: PassThrough
  readonly #manifest: Buffer[] = []
  readonly #done: (error: Error | null, manifest: string) => void
  #isManifest = false

  constructor(tar: PassThrough, done: (error: Error | null, manifest: string) => void) {
    this.#tar = tar
    this.#done = done
  }

  submit(connection: Connection): void {
    this.#tar.on('drain', () => connection.stream.resume())
    connection.query(COPY)
  }

  handleCopyData({ chunk }: { chunk: Buffer }, { stream }: Connection): void {
    const data = chunk.subarray(1)
    if (chunk[0] === letter('m')) this.#isManifest = true
    if (chunk[0] !== letter('d')) return
    if (this.#isManifest) this.#manifest.push(Buffer.from(data))
    else if (!this.#tar.write(Buffer.from(data))) stream.pause()
  }

  handleError(error: Error): void {
    this.#done(error, '')
  }

  handleReadyForQuery(): void {
    this.#done(null, Buffer.concat(this.#manifest).toString('utf8'))
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
}

const connect = async (url: string): Promise<pg.Client> => {
  const options = { connectionString: url, connectionTimeoutMillis: 10_000, replication: 'true' }
  const client = new pg.Client(options)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(KEEP_LOG)
  } catch (error) {
    await client.end().catch(() => {})
    const { code } = error as pg.DatabaseError
    if (code === SLOT_EXISTS) throw new Error(ANOTHER, { cause: error })
    if (code !== TOO_MANY_CONNECTIONS) throw error
    throw new Error(`${ANOTHER}. If none is, the database was started by an older version: restart Baoco`, {
      cause: error,
    })
  }
  return client
}

/** @param url  of the embedded Postgres · @throws if the server does not accept the connection */
export const openBaseBackup = async (url: string): Promise<BaseBackup> => {
  const client = await connect(url)
  const tar = new PassThrough()
  // Even if the reader gives up, for example because the disk is full.
  tar.once('close', () => void client.end().catch(() => {}))
  const manifest = new Promise<string>((resolve, reject) => {
    const done = (error: Error | null, text: string): void => {
      if (error) {
        tar.destroy(error)
        reject(error)
      } else {
        tar.end()
        resolve(text)
      }
    }
    client.query(new CopyOut(tar, done) as unknown as pg.Query)
  })
  manifest.catch(() => {})
  return { tar, manifest }
}
