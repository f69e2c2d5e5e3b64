/**
 * Attack: the database's user, or another user of the machine, puts links, pipes and files where a Baoco that runs as root reads and
 * writes in its data folder. Baoco follows none of them: the start refuses in one line that names the file.
 */
import { expect } from 'chai'
import { build } from 'esbuild'
import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FolderInUse, lockDataFolder, makeDataFolder } from '../../adapters/system/data-folder.ts'
import { silent } from '../../adapters/telemetry/log-lines.ts'
import { removeDirectory } from '../harness/remove-directory.ts'
import { clearLeftovers } from '../../adapters/postgres/embedded/server.ts'
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/embedded.ts'
import { finishRelocation } from '../../adapters/postgres/embedded/relocate.ts'
import { FileNotTrusted, openToAppend, readPrivateFile } from '../../adapters/system/private-file.ts'
import { keepSecrets } from '../../adapters/secrets/secrets.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534
const SECRETS = fileURLToPath(new URL('../../adapters/secrets/secrets.ts', import.meta.url))

/** Runs a function and returns its output to standard error. */
const toldBy = (work: () => void): string => {
  const write = process.stderr.write.bind(process.stderr)
  let output = ''
  process.stderr.write = (text: string | Uint8Array) => {
    output += String(text)
    return true
  }
  try {
    work()
  } finally {
    process.stderr.write = write
  }
  return output
}

describe('an attacked data folder', () => {
  let home: string
  let folder: string
  let elsewhere: string
  beforeEach(() => {
    home = fs.mkdtempSync(join(tmpdir(), 'baoco-attack-'))
    fs.chmodSync(home, 0o755)
    folder = join(home, 'data')
    elsewhere = join(home, 'elsewhere')
    fs.writeFileSync(elsewhere, 'known to everybody, and longer than a key has to be', { mode: 0o600 })
    makeDataFolder(folder)
  })
  afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

  const secrets = () => keepSecrets(folder, {})
  const pipe = (path: string) => execFileSync('mkfifo', [path])

  for (const name of ['jwt-secret', 'vault-key', 'lock', 'postgres.json'])
    for (const [what, put, words] of [
      ['a link', (path: string) => fs.symlinkSync(elsewhere, path), 'is a link'],
      ['a link to nothing', (path: string) => fs.symlinkSync(join(home, 'nothing'), path), 'is a link'],
      ['a hard link', (path: string) => fs.linkSync(elsewhere, path), 'hard link'],
      ['a pipe', pipe, 'is not a file'],
      ['a folder', (path: string) => fs.mkdirSync(path), 'is not a file'],
      ...(isRoot
        ? [
            [
              'a file of another user',
              (path: string) => (fs.writeFileSync(path, 'x', { mode: 0o600 }), fs.chownSync(path, NOBODY, NOBODY)),
              `belongs to user ${NOBODY}`,
            ] as const,
          ]
        : []),
    ] as const)
      it(`is refused with ${what} as ${name}`, () => {
        const path = join(folder, name)
        put(path)
        const read =
          name === 'lock' ? () => lockDataFolder(folder) : name.includes('.') ? () => readPrivateFile(path) : secrets
        expect(read).to.throw(FileNotTrusted, words).with.property('message').that.includes(path).and.not.includes('\n')
        expect(fs.readFileSync(elsewhere, 'utf8')).to.include('known to everybody')
        expect(fs.existsSync(join(home, 'nothing'))).to.equal(false)
      })

  it('makes its secrets private again if others could read them, and warns', () => {
    const before = secrets()
    for (const name of ['jwt-secret', 'vault-key']) fs.chmodSync(join(folder, name), 0o644)
    expect(toldBy(() => expect(secrets()).to.deep.equal(before)))
      .to.include('jwt-secret')
      .and.include('0600')
    for (const name of ['jwt-secret', 'vault-key']) expect(fs.statSync(join(folder, name)).mode & 0o777).to.equal(0o600)
    expect(toldBy(secrets)).to.equal('')
  })

  it('works although a crash left a draft of a secret as its second name', () => {
    const before = secrets()
    fs.linkSync(join(folder, 'vault-key'), join(folder, 'vault-key.123.00ff00ff'))
    expect(secrets()).to.deep.equal(before)
    expect(fs.readdirSync(folder).sort()).to.deep.equal(['jwt-secret', 'vault-key'])
  })

  it('does not let a log be redirected', () => {
    const log = join(folder, 'postgres.log')
    fs.symlinkSync(elsewhere, log)
    expect(() => openToAppend(log)).to.throw(FileNotTrusted, 'is a link')
    fs.rmSync(log)
    pipe(log)
    expect(() => openToAppend(log)).to.throw(FileNotTrusted, 'is not a file')
    fs.rmSync(log)
    fs.linkSync(elsewhere, log)
    expect(() => openToAppend(log)).to.throw(FileNotTrusted, 'hard link')
  })

  it('does not let the database’s postmaster.pid redirect a write or block as a pipe', async () => {
    const data = join(folder, 'postgres')
    fs.mkdirSync(data)
    fs.writeFileSync(elsewhere, `${process.pid}\nroot's own file\n`)
    for (const put of [
      (path: string) => fs.symlinkSync(elsewhere, path),
      (path: string) => fs.linkSync(elsewhere, path),
      pipe,
    ]) {
      put(join(data, 'postmaster.pid'))
      await clearLeftovers({ data }).catch((error: unknown) => expect(error).to.be.instanceOf(FileNotTrusted))
      expect(fs.readFileSync(elsewhere, 'utf8')).to.equal(`${process.pid}\nroot's own file\n`)
      fs.rmSync(join(data, 'postmaster.pid'))
    }
  })

  it('is still locked by one process at a time', () => {
    const release = lockDataFolder(folder)
    expect(() => lockDataFolder(folder)).to.throw(FolderInUse)
    release()
  })

  // The other tests need other users, and only root can become another user.
  if (!isRoot) return

  it('belongs to root, can be traversed, and cannot be listed or written by others', () => {
    secrets()
    const { mode, uid } = fs.statSync(folder)
    expect([mode & 0o777, uid]).to.deep.equal([0o711, 0])
    const asNobody = (script: string) =>
      spawnSync('/bin/sh', ['-c', script, folder], { cwd: '/', uid: NOBODY, gid: NOBODY }).status
    expect(asNobody('cd "$0"')).to.equal(0)
    for (const script of [
      'ls "$0"',
      'cat "$0/vault-key"',
      'touch "$0/x"',
      'mv "$0/vault-key" "$0/y"',
      'ln -s /etc/passwd "$0/z"',
    ])
      expect(asNobody(script), script).not.to.equal(0)
  })

  it('is taken back from the database’s user, the owner in earlier versions, with a warning', () => {
    const before = secrets()
    const postgres = Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }))
    fs.mkdirSync(join(folder, 'postgres'))
    for (const path of [folder, join(folder, 'postgres')]) fs.chownSync(path, postgres, postgres)
    fs.chmodSync(folder, 0o700)
    expect(toldBy(() => makeDataFolder(folder)))
      .to.include(folder)
      .and.include('root')
    expect([fs.statSync(folder).uid, fs.statSync(folder).mode & 0o777]).to.deep.equal([0, 0o711])
    expect(fs.statSync(join(folder, 'postgres')).uid).to.equal(postgres)
    expect(secrets()).to.deep.equal(before)
  })

  it('is not taken by root from another user', () => {
    secrets()
    fs.chownSync(folder, NOBODY, NOBODY)
    expect(() => makeDataFolder(folder)).to.throw(`belongs to user ${NOBODY}`)
    expect(fs.statSync(folder).uid).to.equal(NOBODY)
  })

  it('works as before for a user who is not root, with mode 0700 and no files of others', async () => {
    const own = join(home, 'own')
    const script = `import { keepSecrets } from ${JSON.stringify(SECRETS)}; console.log(JSON.stringify(keepSecrets(${JSON.stringify(own)}, {})))`
    // The user may not be able to read the folder of these sources.
    const { outputFiles } = await build({
      stdin: { contents: script, resolveDir: home },
      bundle: true,
      platform: 'node',
      format: 'esm',
      write: false,
    })
    fs.chmodSync(home, 0o777)
    const run = () =>
      spawnSync(process.execPath, ['--input-type=module'], {
        input: outputFiles[0]!.text,
        cwd: '/',
        encoding: 'utf8',
        uid: NOBODY,
        gid: NOBODY,
        env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home },
      })
    const first = run()
    expect(first.status, first.stderr).to.equal(0)
    expect(run().stdout).to.equal(first.stdout)
    expect(fs.statSync(own).mode & 0o777).to.equal(0o700)
    fs.chownSync(join(own, 'vault-key'), 0, 0)
    fs.chmodSync(join(own, 'vault-key'), 0o644)
    expect(run().stderr).to.include('vault-key belongs to root')
  })

  describe('that the database’s user cannot enter', () => {
    let closed: string
    beforeEach(() => {
      closed = fs.mkdtempSync(join(tmpdir(), 'baoco-closed-'))
    })
    afterEach(() => {
      removeDirectory(join(closed, 'data'))
      fs.rmSync(closed, { recursive: true, force: true })
    })

    it('stays where it is with a database in it, or if the database that an earlier version kept elsewhere is gone', async () => {
      const dataDir = join(closed, 'data')
      const refusal = () => openEmbeddedPostgres({ dataDir, log: silent }).catch((error: Error) => error)
      fs.mkdirSync(join(dataDir, 'postgres'), { recursive: true })
      expect(await refusal())
        .to.have.property('message')
        .that.contains(`cannot enter ${closed} any more`)
      fs.rmdirSync(join(dataDir, 'postgres'))
      const gone = join(closed, 'gone')
      fs.writeFileSync(join(dataDir, 'database-folder'), `${gone}\n`, { mode: 0o600 })
      expect(await refusal())
        .to.have.property('message')
        .that.contains(`${gone}, which does not exist`)
      expect(fs.lstatSync(dataDir).isDirectory()).to.equal(true)
    })

    it('moves as a whole, with the parts that an earlier version kept elsewhere, even if the move was interrupted', async () => {
      const dataDir = join(closed, 'data')
      const first = await openEmbeddedPostgres({ dataDir, log: silent })
      const made = keepSecrets(dataDir, {})
      await first.stop()
      const target = fs.realpathSync(dataDir)
      expect(target).to.match(/^\/var\/lib\/baoco\/[0-9a-f]{16}$/)
      expect([fs.statSync(target).uid, fs.statSync(target).mode & 0o777]).to.deep.equal([0, 0o711])

      // The layout of an earlier version: secrets here, the database there.
      fs.rmSync(dataDir)
      fs.mkdirSync(dataDir, { mode: 0o700 })
      for (const name of ['jwt-secret', 'vault-key', 'postgres.json']) {
        fs.copyFileSync(join(target, name), join(dataDir, name))
        fs.rmSync(join(target, name))
      }
      fs.writeFileSync(join(dataDir, 'database-folder'), `${target}\n`, { mode: 0o600 })
      fs.mkdirSync(join(dataDir, 'backups'))
      fs.writeFileSync(join(dataDir, 'backups', 'events.jsonl'), '{}')
      fs.chmodSync(target, 0o755)

      const second = await openEmbeddedPostgres({ dataDir, log: silent })
      expect(keepSecrets(dataDir, {})).to.deep.equal(made)
      await second.stop()
      expect(fs.realpathSync(dataDir)).to.equal(target)
      expect(fs.readFileSync(join(dataDir, 'backups', 'events.jsonl'), 'utf8')).to.equal('{}')
      expect(fs.readdirSync(closed)).to.deep.equal(['data'])

      // The state after a kill between the two steps: the old folder is set aside, and there is no link yet.
      fs.rmSync(dataDir)
      fs.mkdirSync(`${dataDir}.moved`, { mode: 0o700 })
      fs.writeFileSync(join(`${dataDir}.moved`, 'moves-to'), `${target}\n`, { mode: 0o600 })
      finishRelocation(dataDir)
      expect(keepSecrets(dataDir, {})).to.deep.equal(made)
      expect(fs.readdirSync(closed)).to.deep.equal(['data'])
    })

    it('is refused, without advice to remove anything, if another user has its data where it would be moved', function () {
      if (process.platform !== 'linux') return this.skip()
      // As a service that keeps its data in /var/lib/baoco. Only this process sees it.
      const mount = `mkdir -p /var/lib/baoco && mount -t tmpfs -o uid=${NOBODY},mode=700 none /var/lib/baoco && exec "$@"`
      const { status, stderr } = spawnSync(
        'unshare',
        ['--mount', 'sh', '-c', mount, 'sh', process.execPath, 'cmd/baoco.mjs', 'serve'],
        {
          cwd: fileURLToPath(new URL('../..', import.meta.url)),
          env: { ...process.env, BAOCO_DATA_DIR: join(closed, 'data') },
          encoding: 'utf8',
        },
      )
      expect(status).to.equal(1)
      expect(stderr).to.include('/var/lib/baoco').and.include('BAOCO_DATA_DIR').and.not.include('remove')
    })
  })
})
