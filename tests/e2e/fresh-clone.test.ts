/** A fresh clone in an empty home folder that only its owner may enter, started by `npm start` with no other settings. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { fromVietcombank, vietcombankText } from '../harness/bank-texts.ts'
import { readInstallation } from '../harness/baoco-process.ts'
import { eventually } from '../harness/eventually.ts'
import { freePorts } from '../harness/free-ports.ts'
import { installNode, NODE_18 } from '../harness/node/install.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Not part of a clone. */
const LEFT_OUT = new Set(['node_modules', '.git', '.baoco'])
const isRoot = process.getuid?.() === 0

describe('a fresh clone', function () {
  let home: string
  let clone: string
  let started: ChildProcess[] = []

  before(() => {
    home = fs.mkdtempSync(join(tmpdir(), 'baoco-home-'))
    fs.chmodSync(home, 0o700)
    clone = join(home, 'baoco')
    const isOfClone = (path: string) => !LEFT_OUT.has(path.slice(ROOT.length).split(sep)[0]!)
    fs.cpSync(ROOT, clone, { recursive: true, filter: isOfClone })
  })
  after(async () => {
    for (const child of started)
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
    const data = fs.realpathSync(join(clone, '.baoco'))
    // The guard stops the database of a killed Baoco.
    await eventually(() => !fs.existsSync(join(data, 'postgres', 'postmaster.pid')))
    fs.rmSync(data, { recursive: true })
    fs.rmSync(home, { recursive: true })
  })

  const npmStart = (env: Record<string, string> = {}) => {
    const child = spawn('npm', ['start'], {
      cwd: clone,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: home, ...env },
    })
    started = [...started, child]
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    return { child, output: () => output, ended: once(child, 'close').then(([status]) => status as number | null) }
  }

  it('with Node 18 first in the PATH is refused in one sentence, and nothing is installed', async function () {
    const old = await installNode(NODE_18).catch((error: Error) => {
      if (process.env.REQUIRE_ALL === '1') throw error
      return this.skip()
    })
    const { output, ended } = npmStart({ PATH: [dirname(old), process.env.PATH].join(delimiter) })
    expect(await ended).to.not.equal(0)
    expect(output()).to.contain(`Baoco needs Node 20 or later; this is Node ${NODE_18}.\n`)
    for (const name of ['node_modules', '.baoco']) expect(fs.existsSync(join(clone, name)), name).to.equal(false)
  })

  it('with port 8080 taken says what to do, and creates no account', async () => {
    // The packages are there, so that this test needs no network.
    execFileSync('cp', ['-a', join(ROOT, 'node_modules'), join(clone, 'node_modules')])
    const taker: Server = createServer()
    taker.on('error', () => {}) // Another program has the port already.
    taker.listen(8080)
    try {
      const { output, ended } = npmStart()
      expect(await ended, output()).to.equal(1)
      expect(output()).to.match(/^baoco: port 8080 is in use: set PORT to another port$/m)
      expect(output()).to.not.contain('API key')
      const where =
        /^Root's database user cannot enter .*: the data folder lies in (\S+), and \S+\/\.baoco is a link to it\.$/m
      if (isRoot) expect(where.exec(output())?.[1]).to.equal(fs.realpathSync(join(clone, '.baoco')))
    } finally {
      taker.close()
    }
  })

  it('then starts on another port and prints the secrets, as root under a home folder with mode 0700 too', async () => {
    const [port = 0] = await freePorts(1)
    const { child, output, ended } = npmStart({ PORT: String(port) })
    await eventually(() => child.exitCode !== null || /^Baoco is ready/m.test(output()), { within: 120_000 })
    const { personalUrl } = readInstallation({ dataDir: join(clone, '.baoco'), port }, output())
    const body = vietcombankText(1, 'DH1')
    expect((await fetch(fromVietcombank(personalUrl), { method: 'POST', body })).status).to.equal(200)
    const data = fs.realpathSync(join(clone, '.baoco'))
    expect(data).to.match(isRoot ? /^\/var\/lib\/baoco\/[0-9a-f]{16}$/ : /\.baoco$/)
    expect(fs.readdirSync(data)).to.include.members(['jwt-secret', 'vault-key', 'postgres'])
    child.kill('SIGTERM')
    await ended
  })
})
