/** The embedded Postgres after the end of its Baoco: a guard, or else the next Baoco, stops a server that was left. */
import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { giveCluster } from '../harness/copied-cluster.ts'
import { EmbeddedFolder, keepNote, kill, notes } from '../harness/embedded-folder.ts'
import { eventually } from '../harness/eventually.ts'
import { isAlive } from '../harness/is-alive.ts'

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

const pathOf = (program: string) => execFileSync('which', [program], { encoding: 'utf8' }).trim()

describe('embedded Postgres, if its Baoco is killed', () => {
  let folder: EmbeddedFolder
  beforeEach(async () => {
    folder = new EmbeddedFolder()
    await giveCluster(folder.dataDir)
  })
  afterEach(() => folder.close())

  it('does not outlive a killed Baoco, and the next Baoco starts at once', async () => {
    const first = await folder.holder()
    await keepNote(first.answer, 'before')
    const server = folder.serverPid()
    await kill(first)
    expect(await notes((await folder.open()).url)).to.deep.equal(['before'])
    expect(folder.serverPid()).to.not.equal(server)
    await folder.opened.pop()?.stop()

    const second = await folder.holder()
    const left = folder.serverPid()
    await kill(second)
    await eventually(() => !isAlive(left), { what: 'the end of the server' })
  })

  it('does not outlive a killed Baoco where `kill` is only a command of the shell, as in small images', async () => {
    const programs = fs.mkdtempSync(join(tmpdir(), 'baoco-programs-'))
    try {
      fs.chmodSync(programs, 0o755)
      for (const name of ['head', 'sleep']) fs.symlinkSync(pathOf(name), join(programs, name))
      const baoco = await folder.holder({ ...process.env, PATH: programs })
      const server = folder.serverPid()
      await kill(baoco)
      await eventually(() => !isAlive(server), { what: 'the end of the server' })
    } finally {
      fs.rmSync(programs, { recursive: true })
    }
  })

  it('is not left by a Baoco that is killed as it starts the server', async () => {
    const { line, ended } = await folder.launch({ imports: KILLED_AS_IT_STARTS })
    await ended
    const [pid, ...server] = line.split(' ')
    expect(server).to.include(join(folder.realPath(), 'postgres'))
    await eventually(() => !isAlive(Number(pid)), { what: 'the end of the server' })
  })

  it('does not outlive a killed Baoco, however long it takes to begin', async () => {
    const programs = fs.mkdtempSync(join(tmpdir(), 'baoco-programs-'))
    try {
      fs.chmodSync(programs, 0o777)
      fs.symlinkSync(pathOf('head'), join(programs, 'head'))
      // The guard waits often, and not long.
      const waits = join(programs, 'waits')
      const sleep = `#!/bin/sh\necho waits >> ${waits}\nexec ${pathOf('sleep')} 0.01\n`
      fs.writeFileSync(join(programs, 'sleep'), sleep, { mode: 0o755 })
      const held = join(programs, 'held')
      fs.writeFileSync(held, '')
      const env = { ...process.env, PATH: programs, HELD: held }
      const baoco = await folder.launch({ imports: SLOW_TO_BEGIN, env })
      const server = Number(baoco.line)
      await kill(baoco)
      const waited = () => fs.readFileSync(waits, 'utf8').split('\n').length
      await eventually(() => waited() > 10, { what: 'a guard that still waits' })
      fs.rmSync(held)
      await eventually(() => !isAlive(server), { what: 'the end of the server' })
    } finally {
      fs.rmSync(programs, { recursive: true })
    }
  })

  it('does not run if its guard cannot be started: Baoco says why, and leaves no process', async () => {
    const by = ['/bin/sh', '-c', 'ulimit -n 256; exec "$0" "$@"']
    const { line, ended } = await folder.launch({ imports: TOO_MANY_FILES, by })
    await ended
    expect(line).to.match(/^refused the embedded Postgres did not start: spawn \S*sh EMFILE/)
    const { stdout } = spawnSync('pgrep', ['-a', '-f', folder.realPath()], { encoding: 'utf8' })
    expect(stdout, 'processes with the data folder').to.equal('')
  })

  it('stops a server that was left without Baoco and without a guard', async () => {
    const first = await folder.holder()
    await keepNote(first.answer, 'before')
    const server = folder.serverPid()
    const guard = Number(execFileSync('pgrep', ['-P', String(first.child.pid), '-x', 'sh'], { encoding: 'utf8' }))
    process.kill(guard, 'SIGKILL')
    await kill(first)
    expect(isAlive(server)).to.equal(true)
    expect(await notes((await folder.open()).url)).to.deep.equal(['before'])
    // The process that adopted the server may take a moment to reap it.
    await eventually(() => !isAlive(server), { what: 'the end of the server that was left' })
  })

  it('starts although the server that it stopped is not reaped, as in a container without an init process', async () => {
    const first = await folder.holder()
    await keepNote(first.answer, 'before')
    const server = folder.serverPid()
    for (const pid of [first.child.pid!, server]) process.kill(pid, 'SIGSTOP')
    fs.rmSync(join(folder.realPath(), 'lock'))
    expect(await notes((await folder.open()).url)).to.deep.equal(['before'])
    expect(isAlive(server)).to.equal(true)
  })
})
