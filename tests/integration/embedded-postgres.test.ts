import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import pg from 'pg'
import { FolderInUse } from '../../adapters/system/data-folder.ts'
import { silent } from '../../adapters/telemetry/log-lines.ts'
import { linkLibraries, packedBinaries } from '../../adapters/postgres/embedded/directory.ts'
import { removeDirectory } from '../harness/remove-directory.ts'
import {
  attachOrStart,
  openEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../adapters/postgres/embedded/embedded.ts'
import { bundledScript } from '../harness/bundled-script.ts'
import { giveCluster } from '../harness/copied-cluster.ts'
import { eventually } from '../harness/eventually.ts'
import { isAlive } from '../harness/is-alive.ts'

const HOLDER = fileURLToPath(new URL('../harness/embedded-process.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
/** For `node --import`: prints the process id and the arguments of the first process that it starts with the directory of the database. */
const KILLED_AS_IT_STARTS = `data:text/javascript,${encodeURIComponent(`
  import childProcess from 'node:child_process'
  import { writeSync } from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const { spawn } = childProcess
  childProcess.spawn = (command, args, options) => {
    const child = spawn(command, args, options)
    if (!args.includes('-D')) return child
    writeSync(1, [child.pid, command, ...args].join(' ') + '\\n')
    process.kill(process.pid, 'SIGKILL')
  }
  syncBuiltinESMExports()
`)}`

/** For `node --import`: no file can be opened any more while it starts the guard. */
const TOO_MANY_FILES = `data:text/javascript,${encodeURIComponent(`
  import childProcess from 'node:child_process'
  import { closeSync, openSync } from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const { spawn } = childProcess
  childProcess.spawn = (command, args, options) => {
    if (!args.some((argument) => argument.endsWith('postmaster.pid'))) return spawn(command, args, options)
    const opened = []
    try {
      for (;;) opened.push(openSync('/dev/null'))
    } catch {}
    try {
      return spawn(command, args, options)
    } finally {
      opened.forEach((file) => closeSync(file))
    }
  }
  syncBuiltinESMExports()
`)}`
/** For `node --import`: prints the process id of the server when it has a guard. It does not begin before the file `HELD` is gone. */
const SLOW_TO_BEGIN = `data:text/javascript,${encodeURIComponent(`
  import childProcess from 'node:child_process'
  import { syncBuiltinESMExports } from 'node:module'
  const { spawn } = childProcess
  const { HELD } = process.env
  const script = 'read -r word; echo $$ >&3; while [ -e "' + HELD + '" ]; do :; done; exec "$0" "$@" < /dev/null'
  childProcess.spawn = (command, [first, ...args], options) => {
    if (!args.includes('-D')) return spawn(command, [first, ...args], options)
    return spawn(command, [first, script, ...args.slice(1)], { ...options, stdio: [...options.stdio, 1] })
  }
  syncBuiltinESMExports()
`)}`

const ask = async (url: string, statement: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}

const keepNote = (url: string, note: string) =>
  ask(url, `CREATE TABLE IF NOT EXISTS note (text text); INSERT INTO note VALUES ('${note}')`)
const notes = async (url: string) => (await ask(url, 'SELECT text FROM note ORDER BY text')).map(({ text }) => text)

describe('embedded Postgres', () => {
  let dataDir: string
  const opened: EmbeddedPostgres[] = []
  const processes: ChildProcess[] = []

  const open = async (): Promise<EmbeddedPostgres> => {
    const embedded = await openEmbeddedPostgres({ dataDir, log: silent })
    opened.push(embedded)
    return embedded
  }

  /** Starts another process that opens the data folder. Returns its answer without the leading word. */
  const holder = async (env = process.env): Promise<{ answer: string; child: ChildProcess }> => {
    const child = spawn(process.execPath, [await bundledScript(HOLDER), dataDir], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    processes.push(child)
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    return { answer: line.replace(/^\w+ /, ''), child }
  }

  const place = (): string => fs.realpathSync(dataDir)
  const kill = async ({ child }: { child: ChildProcess }): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const pidFile = (): string => join(place(), 'postgres', 'postmaster.pid')
  const serverPid = (): number => Number.parseInt(fs.readFileSync(pidFile(), 'utf8'), 10)

  beforeEach(() => {
    dataDir = fs.mkdtempSync(join(tmpdir(), 'baoco-embedded-'))
  })

  afterEach(async () => {
    for (const embedded of opened.splice(0)) await embedded.stop()
    for (const child of processes.splice(0)) child.kill('SIGKILL')
    // The guard of a killed process stops its server. Remove the folder only after that.
    await eventually(() => !fs.existsSync(pidFile()), { what: 'the end of the server' })
    removeDirectory(dataDir)
  })

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
    beforeEach(() => giveCluster(dataDir))

    it('runs in a session of its own, so that Ctrl-C does not reach it', async () => {
      await open()
      const group = (pid: number) => execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim()
      expect(group(serverPid())).to.equal(String(serverPid()))
      expect(group(serverPid())).to.not.equal(group(process.pid))
    })

    it('refuses a second process on the same data folder with one line that names the first process', async () => {
      await open()
      const { answer } = await holder()
      expect(answer).to.equal(`the data folder ${dataDir} is in use by another Baoco (process ${process.pid})`)
      const again = await openEmbeddedPostgres({ dataDir, log: silent }).catch((error: unknown) => error)
      expect(again).to.be.instanceOf(FolderInUse)
    })

    it('lets a command attach to the running server without stopping it', async () => {
      const { answer: url } = await holder()
      await keepNote(url, 'by serve')
      const attached = await attachOrStart({ dataDir, log: silent })
      expect(await notes(attached.url)).to.deep.equal(['by serve'])
      await attached.stop()
      expect(await notes(url)).to.deep.equal(['by serve'])
    })

    it('starts for a command if no server runs, and stops with the command', async () => {
      const own = await attachOrStart({ dataDir, log: silent })
      await keepNote(own.url, 'by a command')
      const pid = serverPid()
      await own.stop()
      expect(isAlive(pid)).to.equal(false)
      expect(await notes((await open()).url)).to.deep.equal(['by a command'])
    })

    it('restarts under the same URL when its server is killed', async () => {
      const { url } = await open()
      await keepNote(url, 'before')
      const killed = serverPid()
      process.kill(killed, 'SIGKILL')
      await eventually(async () => serverPid() !== killed && (await notes(url)), { what: 'a new server' })
      expect(await notes(url)).to.deep.equal(['before'])
    })

    it('starts as soon as the last process of a killed server has ended', async () => {
      const first = await holder()
      await keepNote(first.answer, 'kept')
      const [{ pid } = {}] = await ask(
        first.answer,
        "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'",
      )
      process.kill(Number(pid), 'SIGSTOP')
      let opening: Promise<EmbeddedPostgres>
      try {
        process.kill(serverPid(), 'SIGKILL')
        await kill(first)
        opening = open()
        const printed = () => fs.readFileSync(join(place(), 'postgres.log'), 'utf8')
        await eventually(() => printed().includes('pre-existing shared memory')).catch((error: Error) => {
          throw new Error(`${error.message}\n${fs.readFileSync(pidFile(), 'utf8')}\n${printed()}`)
        })
      } finally {
        process.kill(Number(pid), 'SIGCONT')
      }
      expect(await notes((await opening).url)).to.deep.equal(['kept'])
    })

    it('can be stopped while it restarts', async () => {
      await open()
      process.kill(serverPid(), 'SIGKILL')
      await opened.pop()?.stop()
      expect(await ask((await open()).url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }])
    })

    it('does not outlive a killed Baoco, and the next Baoco starts at once', async () => {
      const first = await holder()
      await keepNote(first.answer, 'before')
      const server = serverPid()
      await kill(first)
      expect(await notes((await open()).url)).to.deep.equal(['before'])
      expect(serverPid()).to.not.equal(server)
      await opened.pop()?.stop()

      const second = await holder()
      const left = serverPid()
      await kill(second)
      await eventually(() => !isAlive(left), { what: 'the end of the server' })
    })

    it('does not outlive a killed Baoco where `kill` is only a command of the shell, as in small images', async () => {
      const programs = fs.mkdtempSync(join(tmpdir(), 'baoco-programs-'))
      try {
        fs.chmodSync(programs, 0o755)
        for (const name of ['head', 'sleep'])
          fs.symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(programs, name))
        const baoco = await holder({ ...process.env, PATH: programs })
        const server = serverPid()
        await kill(baoco)
        await eventually(() => !isAlive(server), { what: 'the end of the server' })
      } finally {
        fs.rmSync(programs, { recursive: true })
      }
    })

    it('is not left by a Baoco that is killed as it starts the server', async () => {
      const script = await bundledScript(HOLDER)
      const child = spawn(process.execPath, ['--import', KILLED_AS_IT_STARTS, script, dataDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      processes.push(child)
      const [[line]] = await Promise.all([once(createInterface(child.stdout), 'line'), once(child, 'exit')])
      const [pid, ...server] = String(line).split(' ')
      expect(server).to.include(join(place(), 'postgres'))
      await eventually(() => !isAlive(Number(pid)), { what: 'the end of the server' })
    })

    it('does not outlive a killed Baoco, however long it takes to begin', async () => {
      const programs = fs.mkdtempSync(join(tmpdir(), 'baoco-programs-'))
      try {
        fs.chmodSync(programs, 0o777)
        const real = (name: string) => execFileSync('which', [name], { encoding: 'utf8' }).trim()
        fs.symlinkSync(real('head'), join(programs, 'head'))
        // The guard waits often, and not long.
        const waits = join(programs, 'waits')
        const sleep = `#!/bin/sh\necho waits >> ${waits}\nexec ${real('sleep')} 0.01\n`
        fs.writeFileSync(join(programs, 'sleep'), sleep, { mode: 0o755 })
        const held = join(programs, 'held')
        fs.writeFileSync(held, '')
        const child = spawn(process.execPath, ['--import', SLOW_TO_BEGIN, await bundledScript(HOLDER), dataDir], {
          env: { ...process.env, PATH: programs, HELD: held },
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        processes.push(child)
        const server = Number((await once(createInterface(child.stdout), 'line'))[0])
        await kill({ child })
        const waited = () => fs.readFileSync(waits, 'utf8').split('\n').length
        await eventually(() => waited() > 10, { within: 10_000, what: 'a guard that still waits' })
        fs.rmSync(held)
        await eventually(() => !isAlive(server), { within: 10_000, what: 'the end of the server' })
      } finally {
        fs.rmSync(programs, { recursive: true })
      }
    })

    it('does not run without a guard: it says why, and leaves no process', async () => {
      const script = [process.execPath, '--import', TOO_MANY_FILES, await bundledScript(HOLDER), dataDir]
      const child = spawn('/bin/sh', ['-c', 'ulimit -n 256; exec "$0" "$@"', ...script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      processes.push(child)
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
      expect(line).to.match(/^refused the embedded Postgres did not start: spawn \S*sh EMFILE/)
      expect(fs.existsSync(pidFile())).to.equal(false)
    })

    it('stops a server that was left without Baoco and without a guard', async () => {
      const first = await holder()
      await keepNote(first.answer, 'before')
      const server = serverPid()
      const guard = Number(execFileSync('pgrep', ['-P', String(first.child.pid), '-x', 'sh'], { encoding: 'utf8' }))
      process.kill(guard, 'SIGKILL')
      await kill(first)
      expect(isAlive(server)).to.equal(true)
      expect(await notes((await open()).url)).to.deep.equal(['before'])
      // The process that adopted the server may take a moment to reap it.
      await eventually(() => !isAlive(server), { what: 'the end of the server that was left' })
    })

    it('starts although the server that it stopped is not reaped, as in a container without an init process', async () => {
      const first = await holder()
      await keepNote(first.answer, 'before')
      const server = serverPid()
      for (const pid of [first.child.pid!, server]) process.kill(pid, 'SIGSTOP')
      fs.rmSync(join(place(), 'lock'))
      expect(await notes((await open()).url)).to.deep.equal(['before'])
      expect(isAlive(server)).to.equal(true)
    })

    for (const [whose, pidOf] of [
      ['nobody any more', () => 2_147_483_646],
      [
        'another process by now',
        (): number => {
          const { uid, gid } = fs.statSync(join(place(), 'postgres'))
          const other = spawn('sleep', ['600'], { cwd: '/', stdio: 'ignore', ...(isRoot && { uid, gid }) })
          processes.push(other)
          return other.pid ?? 0
        },
      ],
    ] as const) {
      it(`starts despite a stale postmaster.pid whose process id belongs to ${whose}`, async () => {
        const first = await open()
        await keepNote(first.url, 'before')
        const text = fs.readFileSync(pidFile(), 'utf8')
        await first.stop()
        const pid = pidOf()
        fs.writeFileSync(pidFile(), text.replace(/^\d+/, String(pid)))
        if (isRoot) fs.chownSync(pidFile(), fs.statSync(join(place(), 'postgres')).uid, -1)
        expect(await notes((await open()).url)).to.deep.equal(['before'])
        if (pid < 2_000_000_000) expect(isAlive(pid), 'the other process was left alone').to.equal(true)
      })
    }
  })

  it('creates the library links that an install without scripts leaves out', () => {
    const native = join(dataDir, 'native')
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
      const home = dataDir
      dataDir = join(home, 'data')
      try {
        const first = await open()
        expect(place()).to.match(/^\/var\/lib\/baoco\/[0-9a-f]{16}$/)
        await keepNote(first.url, 'kept')
        expect(fs.lstatSync(dataDir).isSymbolicLink()).to.equal(true)
        expect(fs.readdirSync(place())).to.include.members(['postgres', 'postgres.json', 'lock'])
        await first.stop()
        expect(await notes((await open()).url)).to.deep.equal(['kept'])
        await opened.pop()?.stop()

        const old = place()
        fs.rmSync(dataDir)
        const anew = await open()
        expect(place()).to.equal(old)
        const tables = await ask(anew.url, "SELECT to_regclass('note') AS note")
        expect(tables, 'a new data folder has a new database').to.deep.equal([{ note: null }])
        const aside = fs
          .readdirSync('/var/lib/baoco')
          .filter((name) => join('/var/lib/baoco', name).startsWith(`${old}.before-`))
        expect(aside).to.have.length(1)
        fs.rmSync(join('/var/lib/baoco', aside[0] ?? ''), { recursive: true })
      } finally {
        for (const embedded of opened.splice(0)) await embedded.stop()
        removeDirectory(dataDir)
        dataDir = home
      }
    })
  }
})
