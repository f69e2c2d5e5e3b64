import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openEmbeddedPostgres } from '../../../../adapters/postgres/embedded/embedded.ts'
import { silent } from '../../../../adapters/telemetry/log-lines.ts'
import { FolderInUse, lockDataFolder, makeDataFolder, unusableFolder } from '../../../../adapters/system/data-folder.ts'
import { replacePrivateFile } from '../../../../adapters/system/private-file.ts'
import { keepSecrets } from '../../../../adapters/secrets/secrets.ts'
import { mountSmallDisk, obstacle } from '../../../harness/small-disk.ts'

describe('the data directory', () => {
  let folder: string
  beforeEach(() => {
    folder = join(fs.mkdtempSync(join(tmpdir(), 'baoco-folder-')), 'data')
    makeDataFolder(folder)
  })
  afterEach(() => fs.rmSync(join(folder, '..'), { recursive: true }))

  it('is not readable by other users, even if it was before', () => {
    fs.chmodSync(folder, 0o755)
    makeDataFolder(folder)
    expect(fs.statSync(folder).mode & 0o777).to.equal(process.getuid?.() === 0 ? 0o711 : 0o700)
  })

  it('cannot be a directory that contains other files', () => {
    fs.writeFileSync(join(folder, 'letter.txt'), '')
    fs.chmodSync(folder, 0o755)
    expect(() => makeDataFolder(folder)).to.throw('BAOCO_DATA_DIR')
    expect(fs.statSync(folder).mode & 0o777).to.equal(0o755)
  })

  it('is named in one sentence if the file system refuses it', async () => {
    const file = join(folder, 'file')
    fs.writeFileSync(file, '')
    await openEmbeddedPostgres({ dataDir: file, log: silent }).then(
      () => expect.fail('it is a file'),
      ({ message }: Error) =>
        expect(message).to.equal(`the data folder ${file} (BAOCO_DATA_DIR) cannot be used: it is not a folder`),
    )
    const refused = (code: string, syscall: string) =>
      unusableFolder(folder, Object.assign(new Error(code), { code, syscall }))
    expect(String(refused('EROFS', 'fchmod'))).to.match(/cannot be used: it is on a read-only file system$/)
    expect(String(refused('ENOSPC', 'write'))).to.match(/cannot be used: its disk is full$/)
    for (const [code, syscall] of [
      ['EACCES', 'listen'],
      ['EACCES', 'spawn /usr/bin/initdb'],
      ['EMFILE', 'open'],
    ] as const)
      expect(String(refused(code, syscall)), `${code} ${syscall}`).to.equal(`Error: ${code}`)
  })

  it('is locked by one process at a time', () => {
    const release = lockDataFolder(folder)
    expect(() => lockDataFolder(folder)).to.throw(FolderInUse, `process ${process.pid}`)
    release()
    lockDataFolder(folder)()
    expect(fs.readdirSync(folder)).to.deep.equal([])
  })

  it('is free when its owner has ended, even if another process has the same process id', () => {
    const gone = spawnSync('true').pid
    for (const left of [
      JSON.stringify({ pid: gone, started: '1@x' }),
      JSON.stringify({ pid: process.ppid, started: '1@an earlier boot' }),
      '',
      'not ours',
    ]) {
      fs.writeFileSync(join(folder, 'lock'), left)
      lockDataFolder(folder)()
    }
  })

  it('is free if the lock was copied from another folder', () => {
    const copy = `${folder}-copy`
    lockDataFolder(folder)
    fs.cpSync(folder, copy, { recursive: true })
    const release = lockDataFolder(copy)
    expect(() => lockDataFolder(copy)).to.throw(FolderInUse)
    release()
    expect(() => lockDataFolder(folder)).to.throw(FolderInUse)
  })

  describe('contains secrets that', () => {
    it('are created once, kept for later starts, and not readable by other users', () => {
      const made = keepSecrets(folder, {})
      expect(Buffer.byteLength(made.jwtSecret)).to.be.at.least(32)
      expect(made.vaultKeys).to.have.length(1)
      expect(made.vaultKeys[0]).to.match(/^[0-9a-f]{64}$/)
      expect(keepSecrets(folder, {})).to.deep.equal(made)
      for (const name of ['jwt-secret', 'vault-key']) {
        expect(fs.statSync(join(folder, name)).mode & 0o777).to.equal(0o600)
      }
    })

    it('come from the settings if set, and then no file is written', () => {
      const given = { jwtSecret: 'j'.repeat(32), vaultKey: ['a'.repeat(64)] }
      expect(keepSecrets(folder, given)).to.deep.equal({ jwtSecret: given.jwtSecret, vaultKeys: given.vaultKey })
      expect(fs.readdirSync(folder)).to.deep.equal([])
    })

    it('leave nothing if there is no space for them', function () {
      if (obstacle() !== null) this.skip()
      const disk = mountSmallDisk(1)
      const dataFolder = { dataDir: join(folder, '..', 'small'), port: 0 }
      disk.hold(dataFolder)
      disk.fill(0)
      try {
        expect(() => keepSecrets(dataFolder.dataDir, {})).to.throw('ENOSPC')
        expect(() => replacePrivateFile(join(dataFolder.dataDir, 'store-memory'), 'text')).to.throw('ENOSPC')
        expect(fs.readdirSync(dataFolder.dataDir)).to.deep.equal([])
      } finally {
        disk.remove()
      }
    })

    it('are not replaced if a file is empty, because sealed data would be lost', () => {
      fs.writeFileSync(join(folder, 'vault-key'), '')
      expect(() => keepSecrets(folder, {})).to.throw('vault-key')
    })
  })
})
