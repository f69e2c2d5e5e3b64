// Tests: tests/unit/adapters/postgres/embedded/backup-archive.test.ts, tests/integration/backup.test.ts
/**
 * The file that `baoco backup` writes: a compressed tar that is laid out like a data folder.
 *
 *     baoco-backup.json      says what the file is; always the first
 *     jwt-secret, vault-key  the generated secrets, if there are any
 *     postgres.json          the password of the database
 *     postgres/…             the database
 *     backup_manifest        the SHA-256 of each file of the database without its log, by Postgres
 *     checksums.json         the SHA-256 of each other file; always the last
 *
 * A file that was cut off, altered or made by another program is recognised while it is read. Memory does not grow with
 * its size.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { text } from 'node:stream/consumers'
import type { Readable, Writable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { extract, pack, type Extract, type Header, type Pack } from 'tar-stream'
import { z } from 'zod'
import type { BaseBackup } from './base-backup.ts'

/** A file or folder while the tar is read. */
type Entry = Readable & { header: Header }

/** The types of the library do not say that an entry is a stream. */
const entriesOf = (tar: Extract): AsyncIterable<Entry> => tar as unknown as AsyncIterable<Entry>

const ABOUT = 'baoco-backup.json'
const MANIFEST = 'backup_manifest'
const CHECKSUMS = 'checksums.json'
const FORMAT = 1
/** The folder of the database in the archive and in the data folder. */
const DATABASE = 'postgres/'
/** The write-ahead log is not in the manifest. */
const LOG = `${DATABASE}pg_wal/`

/** The files beside the database. */
export const KEPT_FILES = ['jwt-secret', 'vault-key', 'postgres.json'] as const

const about = z.looseObject({
  format: z.int().positive(),
  /** The major version of Postgres and the kind of machine, which must be the same for a restore. */
  postgres: z.string(),
  machine: z.string(),
  made_at: z.iso.datetime(),
})

export type About = z.infer<typeof about>

const manifest = z.object({
  Files: z.array(z.object({ Path: z.string(), Checksum: z.string().optional() })),
})

/** The fault of a file, in one line that continues its name. */
export class BadBackup extends Error {
  override name = 'BadBackup'
}

const CUT = new BadBackup('is cut off: a part of the backup is missing')
const DAMAGED = new BadBackup('is damaged: its checksums differ')
const FOREIGN = new BadBackup('is not a backup of Baoco')

const checksums = z.record(z.string(), z.string())

type Checksums = Map<string, string>

/** Passes the content on, and adds its SHA-256. */
const hashed = (name: string, sums: Checksums) =>
  async function* (content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const hash = createHash('sha256')
    for await (const chunk of content) {
      hash.update(chunk)
      yield chunk
    }
    sums.set(name, hash.digest('hex'))
  }

const put = (archive: Pack, name: string, content: string): void => void archive.entry({ name, mode: 0o600 }, content)

/** Adds the database under its folder. @param sums  receives the checksums that the manifest lacks */
const putDatabase = async (archive: Pack, { tar }: BaseBackup, sums: Checksums): Promise<void> => {
  const entries = extract()
  const copying = pipeline(tar, entries)
  copying.catch(() => {})
  for await (const entry of entriesOf(entries)) {
    const { header } = entry
    // A link would lead out of the data folder. The embedded Postgres has no tablespaces, so there is none.
    if (header.type !== 'file' && header.type !== 'directory')
      throw new Error(`the database contains a ${header.type}: ${header.name}`)
    const { type, size, mode, mtime } = header
    const name = `${DATABASE}${header.name.replace(/^\.\//, '')}`
    const copy = archive.entry({ name, type, size, mode, mtime }) as unknown as Writable
    if (type === 'file')
      await (name.startsWith(LOG) ? pipeline(entry, hashed(name, sums), copy) : pipeline(entry, copy))
    else entry.resume()
  }
  await copying
}

/** @param files  the kept files that exist, by name */
export const writeArchive = async (
  output: Writable,
  about: Omit<About, 'format'>,
  files: Readonly<Record<string, string>>,
  backup: BaseBackup,
): Promise<void> => {
  const archive = pack()
  const writing = pipeline(archive as unknown as NodeJS.ReadableStream, createGzip({ level: 1 }), output)
  const filling = async (): Promise<void> => {
    put(archive, ABOUT, `${JSON.stringify({ format: FORMAT, ...about })}\n`)
    const sums: Checksums = new Map()
    for (const [name, content] of Object.entries(files)) {
      put(archive, name, content)
      sums.set(name, createHash('sha256').update(content).digest('hex'))
    }
    await putDatabase(archive, backup, sums)
    put(archive, MANIFEST, await backup.manifest)
    put(archive, CHECKSUMS, JSON.stringify(Object.fromEntries(sums)))
    archive.finalize()
  }
  await Promise.all([
    filling().catch((error: Error) => {
      archive.destroy(error)
      throw error
    }),
    writing,
  ])
}

export interface ArchivedFile {
  /** Relative to the data folder, without `..`. */
  name: string
  isFolder: boolean
}

/** Receives the content of each file, and must read it to its end. */
type Keep = (file: ArchivedFile, content: AsyncIterable<Buffer>) => Promise<void>

const nothing: Keep = async (_file, content) => {
  for await (const _chunk of content);
}

const isOurs = (name: string): boolean =>
  (name.startsWith(DATABASE) || (KEPT_FILES as readonly string[]).includes(name)) && !name.split('/').includes('..')

const readAbout = async (entry: Entry): Promise<About> => {
  if (entry.header.name !== ABOUT || entry.header.size! > 65_536) throw FOREIGN
  const { data } = about.safeParse(JSON.parse(await text(entry)))
  if (!data) throw FOREIGN
  if (data.format > FORMAT) throw new BadBackup('was made by a newer version of Baoco: update this one first')
  return data
}

/** @throws {BadBackup} unless exactly the files are there that were written */
const compare = (postgresManifest: string, others: string, found: Checksums): void => {
  const { Files } = manifest.parse(JSON.parse(postgresManifest))
  // Postgres also lists one file of the folder of its log.
  const expected = new Map([
    ...Files.map(({ Path, Checksum }) => [`${DATABASE}${Path}`, Checksum] as const),
    ...Object.entries(checksums.parse(JSON.parse(others))),
  ])
  for (const [name, sha256] of expected) if (found.get(name) !== sha256) throw DAMAGED
  if (found.size !== expected.size) throw DAMAGED
}

/**
 * Reads an archive to its end and checks it.
 * @throws {BadBackup} if it is not complete and exactly as it was written · errors of the file system, and of `keep`
 */
export const readArchive = async (path: string, keep: Keep = nothing): Promise<About> => {
  const entries = extract()
  const reading = pipeline(createReadStream(path), createGunzip(), entries)
  let about: About | undefined
  const tail = new Map<string, string>()
  const found: Checksums = new Map()
  const consume = async (): Promise<void> => {
    for await (const entry of entriesOf(entries)) {
      const { name, type } = entry.header
      if (about === undefined) about = await readAbout(entry)
      else if (name === MANIFEST || name === CHECKSUMS) tail.set(name, await text(entry))
      else if (!isOurs(name) || (type !== 'file' && type !== 'directory')) throw DAMAGED
      else if (type === 'file')
        await keep({ name, isFolder: false }, hashed(name, found)(entry as AsyncIterable<Buffer>))
      else await keep({ name, isFolder: true }, entry as AsyncIterable<Buffer>)
    }
  }
  const consuming = consume().catch((error: Error) => {
    entries.destroy(error)
    throw error
  })
  const [consumed, read] = await Promise.allSettled([consuming, reading])
  const reasons = [consumed, read].flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
  if (reasons.length > 0) throw faultIn(reasons, about !== undefined)
  if (about === undefined) throw FOREIGN
  const [postgresManifest, others] = [tail.get(MANIFEST), tail.get(CHECKSUMS)]
  if (postgresManifest === undefined || others === undefined) throw CUT
  compare(postgresManifest, others, found)
  return about
}

/** The most useful of the errors of one reading. */
const faultIn = (reasons: readonly NodeJS.ErrnoException[], isBackup: boolean): Error => {
  const ofSystem = reasons.find(({ syscall }) => syscall !== undefined)
  if (ofSystem) return ofSystem
  const bad = reasons.find((reason) => reason instanceof BadBackup)
  if (bad) return bad
  if (!isBackup) return FOREIGN
  return reasons.some(({ code, message }) => code === 'Z_BUF_ERROR' || /unexpected end/i.test(message)) ? CUT : DAMAGED
}
