/** The first start never loses its secrets: they are printed again until they have been printed completely. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import {
  callApi,
  launchBaoco,
  newDataFolder,
  readInstallation,
  removeDataFolder,
  startBaoco,
  type DataFolder,
  type Running,
} from '../harness/baoco-process.ts'
import { giveCluster } from '../harness/copied-cluster.ts'
import { eventually } from '../harness/eventually.ts'
import { showFigures } from '../harness/figures.ts'
import { freePorts } from '../harness/free-ports.ts'
import { repetitions } from '../harness/repetitions.ts'

/** Variables of the shell for other programs. The embedded database must not heed them. */
const SHELL = { PGSSLMODE: 'require', PGHOST: 'db.example', PGUSER: 'someone', PGPASSWORD: 'else', PGPORT: '1' }

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

describe('the first start', function () {
  let dataFolder: DataFolder
  const running: { kill(): Promise<void> }[] = []
  beforeEach(async () => (dataFolder = await newDataFolder()))
  afterEach(async () => {
    for (const process of running.splice(0)) await process.kill()
    await removeDataFolder(dataFolder)
  })
  const start = async (): Promise<Running> => {
    const baoco = await startBaoco(dataFolder, SHELL)
    running.push(baoco)
    return baoco
  }
  const showsWorkingSecrets = async (baoco: Running): Promise<void> => {
    const { apiKey, email, password } = readInstallation(dataFolder, baoco.output())
    expect((await callApi(baoco, apiKey, 'GET', '/api/transactions')).status).to.equal(200)
    expect((await callApi(baoco, '', 'POST', '/api/auth/login', { email, password })).status).to.equal(200)
  }

  it('with a PORT or a METRICS_PORT in use says so, and the next start prints the secrets once', async () => {
    const taker = createServer().listen(0)
    await once(taker, 'listening')
    const { port } = taker.address() as { port: number }
    for (const setting of ['PORT', 'METRICS_PORT']) {
      const refused = launchBaoco(dataFolder, { [setting]: String(port) })
      running.push(refused)
      expect(await refused.ended, setting).to.equal(1)
      expect(refused.output()).to.include(`baoco: port ${port} is in use: set ${setting} to another port\n`)
    }
    taker.close()
    const next = await start()
    await showsWorkingSecrets(next)
    await next.stop()
    expect((await start()).output()).to.not.include('API key')
  })

  it('that Ctrl-C ends while the database is created says only that it was stopped', async () => {
    const stopped = launchBaoco(dataFolder)
    running.push(stopped)
    // On a busy machine it may have its last name already.
    const isBegun = () => ['postgres.new', 'postgres'].some((name) => existsSync(join(dataFolder.dataDir, name)))
    await eventually(isBegun, { within: 30_000, what: 'the creation of the database' })
    // A terminal sends it to initdb too, and so does systemd.
    process.kill(-stopped.process.pid!, 'SIGINT')
    expect([await stopped.ended, stopped.output()]).to.deep.equal([0, 'Baoco was stopped before it was ready\n'])
    // An unfinished folder of initdb may stay. The next start removes it.
    expect(readdirSync(dataFolder.dataDir)).to.not.include('lock')
  })

  it('with METRICS_PORT equal to PORT is refused, and the message names both', async () => {
    await giveCluster(dataFolder.dataDir, true)
    const refused = launchBaoco(dataFolder, { METRICS_PORT: String(dataFolder.port) })
    running.push(refused)
    expect(await refused.ended).to.equal(1)
    const words = `PORT and METRICS_PORT are both ${dataFolder.port}: set one of them to another port`
    expect(refused.output()).to.include(`baoco: ${words}\n`)
  })

  it('prints the secrets again if the terminal was gone and the process was killed', async () => {
    await giveCluster(dataFolder.dataDir, true)
    const [port = 0] = await freePorts(1)
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      BAOCO_DATA_DIR: dataFolder.dataDir,
    }
    const child = spawn(process.execPath, ['cmd/baoco.mjs', 'serve'], {
      cwd: ROOT,
      detached: true,
      env: { ...env, LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const kill = async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return
      process.kill(-child.pid!, 'SIGKILL')
      await once(child, 'exit')
    }
    running.push({ kill })
    child.stdout.destroy()
    await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200, { within: 60_000 })
    await kill()
    await showsWorkingSecrets(await start())
  })

  it('generates the only key: a later start without it refuses, and generates none', async () => {
    await giveCluster(dataFolder.dataDir, true)
    await (await start()).stop()
    const path = join(dataFolder.dataDir, 'vault-key')
    const key = readFileSync(path, 'utf8')
    rmSync(path)
    const refused = launchBaoco(dataFolder)
    running.push(refused)
    expect(await refused.ended).to.equal(1)
    expect(refused.output()).to.match(/^baoco: \S+vault-key is missing, .*VAULT_KEY.*\n$/)
    expect(existsSync(path)).to.equal(false)
    const withKey = await startBaoco(dataFolder, { ...SHELL, VAULT_KEY: key })
    running.push(withKey)
    expect(existsSync(path)).to.equal(false)
  })

  const KILLS = repetitions(30, 2)
  /** Milliseconds, about as long as a first start takes. */
  const LONGEST = 4_000

  it(`prints them completely, wherever it is killed (${KILLS} times)`, async function () {
    this.timeout(KILLS * 60_000)
    for (let kill = 0; kill < KILLS; kill++) {
      await removeDataFolder(dataFolder)
      dataFolder = await newDataFolder()
      const moment = Math.round(((kill + Math.random()) / KILLS) * LONGEST)
      const killed = launchBaoco(dataFolder)
      running.push(killed)
      await Promise.race([killed.ready, killed.ended, pause(moment)])
      await killed.kill()
      const next = await start()
      const all = killed.output() + next.output()
      expect(all, `killed after ${moment} ms`).to.include('API key')
      await showsWorkingSecrets({ ...next, output: () => (next.output().includes('API key') ? next.output() : all) })
      await next.stop()
    }
    showFigures('kill -9 during the first start', `${KILLS} times, no secret lost`)
  })
})
