import { createWriteStream, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { expect } from 'chai'
import { pack } from 'tar-stream'
import { readArchive } from '../../../../../adapters/postgres/embedded/backup-archive.ts'
import { sha256 } from '../../../../../domain/sha256.ts'
import { removeDirectory } from '../../../../harness/remove-directory.ts'

describe('the file of a backup that another program made', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'baoco-archive-'))
  })
  after(() => removeDirectory(folder))

  const ABOUT = { format: 1, postgres: '18', machine: 'linux-x64', made_at: '2026-11-01T00:00:00.000Z' }
  /** Reads an archive with these files and the checksums of some. @returns the names of the files that were kept, or the fault */
  const read = async (
    files: Record<string, string>,
    summed = files,
    about: object = ABOUT,
  ): Promise<string[] | string> => {
    const archive = pack()
    const sums = Object.fromEntries(Object.entries(summed).map(([name, content]) => [name, sha256(content, 'hex')]))
    archive.entry({ name: 'baoco-backup.json' }, JSON.stringify(about))
    for (const [name, content] of Object.entries(files)) archive.entry({ name }, content)
    archive.entry({ name: 'backup_manifest' }, '{"Files":[]}')
    archive.entry({ name: 'checksums.json' }, JSON.stringify(sums))
    archive.finalize()
    const path = join(folder, 'file')
    await pipeline(archive as unknown as NodeJS.ReadableStream, createGzip(), createWriteStream(path))
    const kept: string[] = []
    const reading = readArchive(path, async ({ name }, content) => {
      kept.push(name)
      for await (const _chunk of content);
    })
    return reading.then(
      () => kept,
      (error: Error) => `${error.message}; ${kept.join()}`,
    )
  }
  const OWN = { 'jwt-secret': 'x'.repeat(32) }
  const DAMAGED = 'is damaged: its checksums differ; '

  it('is read only if it has exactly the files that its checksums name', async () => {
    expect(await read(OWN)).to.deep.equal(['jwt-secret'])
    expect(await read(OWN, {})).to.equal(`${DAMAGED}jwt-secret`)
    expect(await read({}, OWN)).to.equal(DAMAGED)
    expect(await read(OWN, { 'jwt-secret': 'other' })).to.equal(`${DAMAGED}jwt-secret`)
  })

  it('writes nothing outside the data folder, and nothing beside its own files', async () => {
    for (const name of ['postgres/../../outside', '../jwt-secret', '/postgres/x', 'lock'])
      expect(await read({ [name]: 'x' }), name).to.equal(DAMAGED)
  })

  it('is refused with the reason if it is of a newer version', async () => {
    expect(await read(OWN, OWN, { ...ABOUT, format: 2 })).to.match(/^was made by a newer version of Baoco/)
  })
})
