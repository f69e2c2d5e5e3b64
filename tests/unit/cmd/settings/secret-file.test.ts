import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readSecretFile } from '../../../../cmd/settings/secret-file.ts'

const NOBODY = 65_534

describe('readSecretFile', () => {
  let folder: string
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'baoco-secret-'))))
  afterEach(() => rmSync(folder, { recursive: true }))

  /** A file with exactly this mode. */
  const file = (content: string | Buffer, mode = 0o600): string => {
    const path = join(folder, 'secret')
    // The one before may not be writable.
    rmSync(path, { force: true })
    writeFileSync(path, content)
    chmodSync(path, mode)
    return path
  }

  it('returns the content without the line breaks at its end', () => {
    expect(readSecretFile(file('hunter2'))).to.deep.equal({ content: 'hunter2' })
    expect(readSecretFile(file('hunter2\n'))).to.deep.equal({ content: 'hunter2' })
    expect(readSecretFile(file(' two words \r\n\n'))).to.deep.equal({ content: ' two words ' })
  })

  it('follows links, as Kubernetes mounts secrets', () => {
    symlinkSync(file('hunter2'), join(folder, 'link'))
    expect(readSecretFile(join(folder, 'link'))).to.deep.equal({ content: 'hunter2' })
  })

  it('refuses a file of this user that others can read, and any file that others can write', () => {
    for (const mode of [0o644, 0o604, 0o606, 0o602, 0o666])
      expect(readSecretFile(file('x', mode)).problem, mode.toString(8)).to.match(
        /^names a file that every user can (read|write): run chmod 600 on it$/,
      )
    for (const mode of [0o600, 0o400, 0o640])
      expect(readSecretFile(file('x', mode)).content, mode.toString(8)).to.equal('x')
  })

  it('accepts a file of another user that all can read, as Docker mounts secrets', function () {
    if (process.getuid?.() !== 0) this.skip()
    const path = file('x', 0o444)
    chownSync(path, NOBODY, NOBODY)
    expect(readSecretFile(path)).to.deep.equal({ content: 'x' })
    chmodSync(path, 0o446)
    expect(readSecretFile(path).problem).to.include('can write')
  })

  it('says what is wrong and never shows the path', () => {
    const folderInPlace = join(folder, 'folder')
    mkdirSync(folderInPlace)
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const cases: [string, string][] = [
      [join(folder, 'missing'), 'names a file that does not exist'],
      [join(file('x'), 'below'), 'names a file that does not exist'],
      [folderInPlace, 'does not name a file'],
      [pipe, 'does not name a file'],
      ['/dev/zero', 'does not name a file'],
      ['x'.repeat(5_000), 'names a file that cannot be read (ENAMETOOLONG)'],
    ]
    for (const [path, problem] of cases) expect(readSecretFile(path), path.slice(0, 99)).to.deep.equal({ problem })
    expect(readSecretFile(file(' \n'))).to.deep.equal({ problem: 'names an empty file' })
    expect(readSecretFile(file(Buffer.alloc(65_537, 97)))).to.deep.equal({
      problem: 'names a file of more than 65536 bytes',
    })
  })
})
