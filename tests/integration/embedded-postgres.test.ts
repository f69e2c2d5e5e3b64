import { execFileSync, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { FolderInUse } from '../../adapters/system/data-folder.ts'
import { silent } from '../../adapters/telemetry/log-lines.ts'
import { linkLibraries, openToEveryone, packedBinaries } from '../../adapters/postgres/embedded/directory.ts'
import {
  attachOrStart,
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../adapters/postgres/embedded/embedded.ts'
import { giveCluster } from '../harness/copied-cluster.ts'
import { ask, EmbeddedFolder, keepNote, kill, notes } from '../harness/embedded-folder.ts'
import { eventually } from '../harness/eventually.ts'
import { isAlive } from '../harness/is-alive.ts'
import { removeDirectory } from '../harness/remove-directory.ts'

const isRoot = process.getuid?.() === 0

describe('embedded Postgres', () => {
  let folder: EmbeddedFolder
  beforeEach(() => {
    folder = new EmbeddedFolder()
  })
  afterEach(() => folder.close())

  describe('with a cluster that it made', () => {
    let home: string
    let own: EmbeddedPostgres
    before(async () => {
      home = fs.mkdtempSync(join(tmpdir(), 'baoco-embedded-'))
      own = await openEmbeddedPostgres({ dataDir: home, log: silent })
    })
    after(async () => {
      await own?.stop()
      removeDirectory(home)
    })

    it('keeps its data across a stop and a start, and commits durably', async () => {
      await keepNote(own.url, 'kept')
      for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
        expect(await ask(own.url, `SHOW ${name}`)).to.deep.equal([{ [name]: 'on' }])
      }
      await own.stop()
      own = await openEmbeddedPostgres({ dataDir: home, log: silent })
      expect(await notes(own.url)).to.deep.equal(['kept'])
    })

    it('compresses the whole pages in its log', async () => {
      const { url } = own
      await ask(
        url,
        `CREATE TABLE page AS SELECT 'SD TK 0123 +500,000VND. Ref ' || n AS text FROM generate_series(1, 100) AS n`,
      )
      const position = async () =>
        (await ask(url, `SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`))[0]!.bytes as string
      await ask(url, 'CHECKPOINT')
      const before = await position()
      await ask(url, `UPDATE page SET text = 'changed' WHERE text LIKE '% 1'`)
      expect(Number(await position()) - Number(before)).to.be.within(100, 5_000)
    })

    it('is closed to other users: folder 0700 (0711 if owned by root), files 0600, loopback only, a password, no personal data in its log', async () => {
      const { url } = own
      expect(fs.statSync(home).mode & 0o777).to.equal(isRoot ? 0o711 : 0o700)
      for (const name of ['postgres.json', 'postgres.log', 'lock']) {
        expect(fs.statSync(join(home, name)).mode & 0o777, name).to.equal(0o600)
      }
      expect(await ask(url, 'SHOW listen_addresses')).to.deep.equal([{ listen_addresses: '127.0.0.1' }])
      const guessed = new URL(url)
      guessed.password = 'postgres'
      const refused = await ask(guessed.href, 'SELECT 1').catch((error: Error) => error.message)
      expect(refused).to.match(/password authentication failed/)
      await ask(url, "CREATE TABLE one (text text PRIMARY KEY); INSERT INTO one VALUES ('SD TK 0123')")
      await ask(url, "INSERT INTO one VALUES ('SD TK 0123')").catch(() => {})
      const log = fs.readFileSync(join(fs.realpathSync(home), 'postgres.log'), 'utf8')
      expect(log).to.include('duplicate key')
      expect(log).to.not.include('SD TK 0123')
    })

    it('makes a random password, which a connection checks without delay', async () => {
      const { url } = own
      expect(decodeURIComponent(new URL(url).password)).to.have.length(32)
      const [{ kept } = {}] = await ask(
        url,
        "SELECT split_part(rolpassword, ':', 1) AS kept FROM pg_authid WHERE rolname = 'baoco'",
      )
      expect(kept).to.equal('SCRAM-SHA-256$1')
    })

    it('treats Vietnamese characters as letters, whatever locales the machine has', async () => {
      const { url } = own
      expect(await ask(url, "SELECT lower('CHUYỂN KHOẢN ĐẶT') AS text")).to.deep.equal([{ text: 'chuyển khoản đặt' }])
    })

    it('opens its copy of the binaries to every user, whatever the umask was', () => {
      const native = join(folder.dataDir, 'native')
      const former = process.umask(0o077)
      try {
        fs.mkdirSync(join(native, 'bin'), { recursive: true })
        fs.writeFileSync(join(native, 'bin', 'postgres'), '', { mode: 0o777 })
        fs.writeFileSync(join(native, 'notes'), '')
        fs.symlinkSync('nowhere', join(native, 'lib'))
      } finally {
        process.umask(former)
      }
      openToEveryone(native)
      const modes = ['', 'bin', 'bin/postgres', 'notes'].map((name) => fs.statSync(join(native, name)).mode & 0o777)
      expect(modes).to.deep.equal([0o755, 0o755, 0o755, 0o644])
    })

    // Only root needs a second user for its database.
    if (isRoot)
      it('does not run the server as root if Baoco runs as root', async () => {
        expect(fs.statSync(join(fs.realpathSync(home), 'postgres')).uid).to.not.equal(0)
        expect(fs.statSync(home).uid).to.equal(0)
        for (const name of fs.readdirSync(home))
          expect(fs.lstatSync(join(home, name)).uid === 0, name).to.equal(name !== 'postgres')
      })
  })

  describe('with a cluster', () => {
    beforeEach(() => giveCluster(folder.dataDir))

    it('runs in a session of its own, so that Ctrl-C does not reach it', async () => {
      await folder.open()
      const group = (pid: number) => execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim()
      expect(group(folder.serverPid())).to.equal(String(folder.serverPid()))
      expect(group(folder.serverPid())).to.not.equal(group(process.pid))
    })

    it('refuses a second process on the same data folder with one line that names the first process', async () => {
      await folder.open()
      const { answer } = await folder.holder()
      expect(answer).to.equal(`the data folder ${folder.dataDir} is in use by another Baoco (process ${process.pid})`)
      const again = await openEmbeddedPostgres({ dataDir: folder.dataDir, log: silent }).catch(
        (error: unknown) => error,
      )
      expect(again).to.be.instanceOf(FolderInUse)
    })

    it('does not start without the file that contains its password, and says which it is', async () => {
      await (await folder.open()).stop()
      const file = join(folder.dataDir, 'postgres.json')
      fs.rmSync(file)
      const refused = await folder.open().catch((error: Error) => error)
      expect(refused).to.have.property('message').that.contains(`${file}, which contains the password`)
      expect(fs.existsSync(file)).to.equal(false)
    })

    it('lets a command attach to the running server without stopping it', async () => {
      const { answer: url } = await folder.holder()
      await keepNote(url, 'by serve')
      const attached = await attachOrStart({ dataDir: folder.dataDir, log: silent })
      expect(await notes(attached.url)).to.deep.equal(['by serve'])
      await attached.stop()
      expect(await notes(url)).to.deep.equal(['by serve'])
    })

    it('starts for a command if no server runs, and stops with the command', async () => {
      const own = await attachOrStart({ dataDir: folder.dataDir, log: silent })
      await keepNote(own.url, 'by a command')
      const pid = folder.serverPid()
      await own.stop()
      expect(isAlive(pid)).to.equal(false)
      expect(await notes((await folder.open()).url)).to.deep.equal(['by a command'])
    })

    it('restarts under the same URL when its server is killed', async () => {
      const { url } = await folder.open()
      await keepNote(url, 'before')
      const killed = folder.serverPid()
      process.kill(killed, 'SIGKILL')
      await eventually(async () => folder.serverPid() !== killed && (await notes(url)), { what: 'a new server' })
      expect(await notes(url)).to.deep.equal(['before'])
    })

    it('starts as soon as the last process of a killed server has ended', async () => {
      const first = await folder.holder()
      await keepNote(first.answer, 'kept')
      const [{ pid } = {}] = await ask(
        first.answer,
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
      )
      process.kill(Number(pid), 'SIGSTOP')
      let opening: Promise<EmbeddedPostgres>
      try {
        process.kill(folder.serverPid(), 'SIGKILL')
        await kill(first)
        opening = folder.open()
        const printed = () => fs.readFileSync(join(folder.realPath(), 'postgres.log'), 'utf8')
        await eventually(() => printed().includes('pre-existing shared memory')).catch((error: Error) => {
          throw new Error(`${error.message}\n${fs.readFileSync(folder.pidFile(), 'utf8')}\n${printed()}`)
        })
      } finally {
        process.kill(Number(pid), 'SIGCONT')
      }
      expect(await notes((await opening).url)).to.deep.equal(['kept'])
    })

    it('can be stopped while it restarts', async () => {
      await folder.open()
      process.kill(folder.serverPid(), 'SIGKILL')
      await folder.opened.pop()?.stop()
      expect(await ask((await folder.open()).url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }])
    })

    for (const [whose, pidOf] of [
      ['nobody any more', () => 2_147_483_646],
      [
        'another process by now',
        (): number => {
          const { uid, gid } = fs.statSync(join(folder.realPath(), 'postgres'))
          const other = spawn('sleep', ['600'], { cwd: '/', stdio: 'ignore', ...(isRoot && { uid, gid }) })
          folder.processes.push(other)
          return other.pid ?? 0
        },
      ],
    ] as const) {
      it(`starts despite a stale postmaster.pid whose process id belongs to ${whose}`, async () => {
        const first = await folder.open()
        await keepNote(first.url, 'before')
        const text = fs.readFileSync(folder.pidFile(), 'utf8')
        await first.stop()
        const pid = pidOf()
        fs.writeFileSync(folder.pidFile(), text.replace(/^\d+/, String(pid)))
        if (isRoot) fs.chownSync(folder.pidFile(), fs.statSync(join(folder.realPath(), 'postgres')).uid, -1)
        expect(await notes((await folder.open()).url)).to.deep.equal(['before'])
        if (pid < 2_000_000_000) expect(isAlive(pid), 'the other process was left alone').to.equal(true)
      })
    }
  })

  it('creates the library links that an install without scripts leaves out', () => {
    const native = join(folder.dataDir, 'native')
    fs.cpSync(packedBinaries(), native, { recursive: true, verbatimSymlinks: true })
    for (const name of fs.readdirSync(join(native, 'lib'))) {
      if (fs.lstatSync(join(native, 'lib', name)).isSymbolicLink()) fs.rmSync(join(native, 'lib', name))
    }
    const version = () => execFileSync(join(native, 'bin', 'postgres'), ['--version'], { stdio: 'pipe' }).toString()
    expect(version).to.throw()
    expect(linkLibraries(native)).to.equal(true)
    expect(version()).to.match(/^postgres \(PostgreSQL\) 18/)
  })

  // Only root needs a second user for its database.
  if (isRoot) {
    it('moves as a whole to /var/lib/baoco if root keeps it under a closed folder, and is found again', async () => {
      const home = folder.dataDir
      folder.dataDir = join(home, 'data')
      try {
        const first = await folder.open()
        expect(folder.realPath()).to.match(/^\/var\/lib\/baoco\/[0-9a-f]{16}$/)
        await keepNote(first.url, 'kept')
        expect(fs.lstatSync(folder.dataDir).isSymbolicLink()).to.equal(true)
        expect(fs.readdirSync(folder.realPath())).to.include.members(['postgres', 'postgres.json', 'lock'])
        await first.stop()
        expect(await notes((await folder.open()).url)).to.deep.equal(['kept'])
        await folder.opened.pop()?.stop()

        const old = folder.realPath()
        fs.rmSync(folder.dataDir)
        const anew = await folder.open()
        expect(folder.realPath()).to.equal(old)
        const tables = await ask(anew.url, "SELECT to_regclass('note') AS note")
        expect(tables, 'a new data folder has a new database').to.deep.equal([{ note: null }])
        const aside = fs
          .readdirSync('/var/lib/baoco')
          .filter((name) => join('/var/lib/baoco', name).startsWith(`${old}.before-`))
        expect(aside).to.have.length(1)
        fs.rmSync(join('/var/lib/baoco', aside[0] ?? ''), { recursive: true })
      } finally {
        for (const embedded of folder.opened.splice(0)) await embedded.stop()
        removeDirectory(folder.dataDir)
        folder.dataDir = home
      }
    })
  }
})
