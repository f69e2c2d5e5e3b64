/** Runs every command of the README in order, as a new user would. Commands that CI itself runs are skipped. */
import { expect } from 'chai'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { banks } from '../../domain/banks/index.ts'
import { newDataFolder, readInstallation, removeDataFolder, type DataFolder } from '../harness/baoco-process.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { freePorts } from '../harness/free-ports.ts'

const root = new URL('../..', import.meta.url).pathname
const run = promisify(execFile)

const shellBlocksIn = (markdown: string): string[] =>
  [...markdown.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) => block!.trim())

describe('the README', () => {
  let dataFolder: DataFolder
  let home: string
  let npmStart: ChildProcess
  let output = ''
  let commands: string[]
  let ended: Promise<void>
  const env = () => ({
    PATH: process.env.PATH,
    HOME: home,
    PORT: String(dataFolder.port),
    BAOCO_DATA_DIR: dataFolder.dataDir,
    LOG_LEVEL: 'warn',
    ALLOW_PRIVATE_TARGETS: '1',
  })

  before(async () => {
    commands = shellBlocksIn(await readFile(join(root, 'README.md'), 'utf8')).flatMap((block) => block.split('\n'))
    dataFolder = await newDataFolder()
    home = await mkdtemp(join(tmpdir(), 'baoco-home-'))
  })

  after(async () => {
    if (npmStart?.pid && npmStart.exitCode === null && npmStart.signalCode === null)
      process.kill(-npmStart.pid, 'SIGKILL')
    await removeDataFolder(dataFolder)
  })

  it('states the right number of supported banks', async () => {
    expect(await readFile(join(root, 'README.md'), 'utf8')).to.include(`mails of ${banks.length} banks and wallets`)
  })

  it('begins with npm start, which becomes ready', async () => {
    expect(commands[0]).to.equal('npm start')
    npmStart = spawn('npm', ['start'], { cwd: root, env: env(), detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    ended = new Promise((resolve) => npmStart.once('exit', () => resolve()))
    for (const stream of [npmStart.stdout!, npmStart.stderr!])
      stream.on('data', (text: Buffer) => (output += text.toString()))
    await eventually(() => /^Baoco is ready/m.test(output), { within: 60_000, what: 'Baoco is ready' })
  })

  it('shows what the list contains after the printed curl line', async () => {
    const { apiKey } = readInstallation(dataFolder, output)
    const [posting = ''] = /^curl .*$/m.exec(output) ?? []
    expect(JSON.parse((await run('bash', ['-c', posting])).stdout)).to.include({ success: true })
    const answer = await fetch(`http://localhost:${dataFolder.port}/api/transactions`, {
      headers: { 'x-api-key': apiKey },
    })
    const { data } = (await answer.json()) as { data: object[] }
    const [, shown = ''] = /^```json\n(.*)\n```/m.exec(await readFile(join(root, 'README.md'), 'utf8'))!
    expect(data).to.have.length(1)
    expect(data[0]).to.deep.include(JSON.parse(shown))
  })

  it('contains only commands that work unchanged', async () => {
    const { apiKey } = readInstallation(dataFolder, output)
    const inCi = await readFile(join(root, '.ci/run'), 'utf8')
    const answers = new Map<string, string>()
    for (const command of commands.slice(1)) {
      if (command === 'npm test' || command === 'npm run check') {
        expect(inCi, `CI runs ${command}`).to.contain(command)
        continue
      }
      const here = command.replaceAll('localhost:8080', `localhost:${dataFolder.port}`)
      const { stdout } = await run('bash', ['-c', here], { cwd: root, env: { ...env(), API_KEY: apiKey } }).catch(
        (error: Error & { stderr?: string }) => {
          throw new Error(`${command}: ${error.message}`)
        },
      )
      if (command.startsWith('curl')) expect(JSON.parse(stdout), command).to.include({ success: true })
      answers.set(command.split(' ').slice(0, 3).join(' '), stdout)
    }
    expect(answers.get('npx baoco config')).to.contain('PORT')
    expect(answers.get('npx baoco account')).to.contain('owner@baoco.local')
    const token = /bcd_\S+/.exec(answers.get('npx baoco device') ?? '')?.[0]
    const sms = {
      sender: 'Vietcombank',
      text: vietcombankText(1, 'DH1042'),
    }
    const posted = await fetch(`http://localhost:${dataFolder.port}/api/receive/sms`, {
      method: 'POST',
      headers: { 'x-device-token': token!, 'content-type': 'application/json' },
      body: JSON.stringify(sms),
    })
    expect(await posted.json()).to.nested.include({ success: true, 'data.webhook_status': 'pending' })
  })

  it('leads to an example shop, whose order is paid by the commands of docs/integrate-a-shop.md', async () => {
    const { apiKey, personalUrl } = readInstallation(dataFolder, output)
    const [block = ''] = shellBlocksIn(await readFile(join(root, 'docs/integrate-a-shop.md'), 'utf8'))
    const [shop] = await freePorts(1)
    const here = block.replaceAll('localhost:8080', `localhost:${dataFolder.port}`).replaceAll('9000', String(shop))
    // With job control, as in a terminal, `kill %1` ends all processes of the shop.
    const { stdout } = await run('bash', ['-c', `set -m\n${here}\nkill %1\nwait`], {
      cwd: root,
      env: { ...env(), API_KEY: apiKey, PERSONAL_URL: personalUrl },
    })
    expect(stdout).to.match(/\{"status":"paid","paid_at":"[^"]+","amount":10000\}$/)
  })

  it('stops all processes within 10 seconds of SIGTERM to npm itself', async () => {
    const began = performance.now()
    npmStart.kill('SIGTERM')
    await ended
    const group = -npmStart.pid!
    await eventually(() => {
      try {
        process.kill(group, 0)
        return false
      } catch {
        return true
      }
    })
    expect(performance.now() - began).to.be.below(10_000)
    await fetch(`http://localhost:${dataFolder.port}/healthz`).then(
      () => expect.fail('it still listens'),
      () => {},
    )
  })
})
