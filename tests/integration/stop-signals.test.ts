/** How a process ends on a signal: the first one finishes its work, and copies of it change nothing. */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { startBaoco, type DataFolder, type Running } from '../harness/baoco-process.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { isAlive } from '../harness/is-alive.ts'
import { hang, status, type Answer, type Shop } from '../harness/shop.ts'
import { World } from '../harness/world.ts'

const SCRIPT = '/usr/bin/script'

/** Answers after half a second, so that a signal can come between call and answer. */
const slow: Answer = (call, response) => void setTimeout(() => status(200)(call, response), 500)

/** @param signal  that ends the parent of Baoco */
const startIn =
  (command: string, words: readonly string[], signal: NodeJS.Signals) =>
  async (dataFolder: DataFolder, env: Record<string, string>): Promise<Running> => {
    const { PATH, HOME } = process.env
    const parent = spawn(command, words, {
      env: { PATH, HOME, BAOCO_DATA_DIR: dataFolder.dataDir, PORT: String(dataFolder.port), ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    parent.stdout.setEncoding('utf8').on('data', (text: string) => (output += text.replaceAll('\r', '')))
    await eventually(() => /^Baoco is ready/m.test(output), { within: 60_000, what: `Baoco in ${command}` })
    const { pid } = JSON.parse(readFileSync(join(dataFolder.dataDir, 'lock'), 'utf8')) as { pid: number }
    const end = async (): Promise<number> => {
      const began = performance.now()
      parent.kill(signal)
      await eventually(() => !isAlive(pid), { within: 20_000, what: 'the end of Baoco' })
      return performance.now() - began
    }
    const kill = async (): Promise<void> => void (await end())
    return { baseUrl: `http://127.0.0.1:${dataFolder.port}`, output: () => output, process: parent, stop: end, kill }
  }

/** Starts `baoco serve` in a terminal, which closes when its process is killed. */
const startInTerminal = startIn(SCRIPT, ['-qefc', `${process.execPath} cmd/baoco.mjs serve`, '/dev/null'], 'SIGKILL')
const startByNpx = startIn('npx', ['baoco', 'serve'], 'SIGTERM')

describe('a signal', function () {
  let world: World
  let start: typeof startInTerminal
  let shop: Shop

  const open = async (): Promise<void> => {
    world = await World.open({ start: (...given) => start(...given) })
    shop = await world.openShop()
    await world.addRule(shop)
  }
  beforeEach(() => {
    start = startBaoco
  })
  afterEach(() => world.close())

  const exit = ({ process }: Running) =>
    new Promise<number | NodeJS.Signals | null>((resolve) =>
      process.once('exit', (code, signal) => resolve(signal ?? code)),
    )
  const callUnderWay = async (answer: Answer): Promise<void> => {
    shop.answer(answer)
    await world.post(vietcombankText(shop.calls.length + 1, 'DH1042'))
    await eventually(() => shop.calls.length === 1)
  }
  /** After the next start, the call must not be made again: its result was recorded. */
  const expectOneCall = async (): Promise<void> => {
    start = startBaoco
    await world.start()
    await eventually(async () => {
      const { body } = await world.api('GET', '/api/transactions')
      return (body.data as { webhook_status: string }[])[0]?.webhook_status === 'success'
    })
    expect(shop.calls).to.have.length(1)
  }

  /** A process that handles its first signal accepts no more connections. */
  const isStopping = () =>
    fetch(`${world.baoco.baseUrl}/healthz`).then(
      () => false,
      () => true,
    )

  /**
   * @param isHandled  resolves when the second signal may follow
   * @returns the exit status, and the milliseconds from the second signal to the end
   */
  const interruptTwice = async (isHandled: () => Promise<unknown>) => {
    const ended = exit(world.baoco)
    world.baoco.process.kill('SIGINT')
    await isHandled()
    const again = performance.now()
    world.baoco.process.kill('SIGINT')
    return { status: await ended, tookMs: performance.now() - again }
  }

  it('that a terminal and npm both send counts once: the call in progress is finished', async () => {
    await open()
    await callUnderWay(slow)
    expect((await interruptTwice(() => pause(30))).status).to.equal(0)
    await expectOneCall()
  })

  it('that is sent again a second later ends the process at once', async () => {
    await open()
    await callUnderWay(hang)
    const { status, tookMs } = await interruptTwice(async () => {
      await eventually(isStopping, { what: 'the first signal is handled' })
      await pause(1_100)
    })
    expect(status).to.equal(1)
    expect(tookMs).to.be.below(1_000)
  })

  it('of a terminal that was closed lets the call in progress finish', async function () {
    if (!existsSync(SCRIPT)) this.skip()
    start = startInTerminal
    await open()
    await callUnderWay(slow)
    await world.baoco.stop()
    await expectOneCall()
  })

  it('to npx lets the call in progress finish and ends Baoco too', async () => {
    start = startByNpx
    await open()
    await callUnderWay(slow)
    await world.baoco.stop()
    await expectOneCall()
  })
})

describe('the end of npx', () => {
  it('is no second signal if Baoco has got the first one itself', async () => {
    const work = `
      import { stopSignal } from './cmd/process/stop-signal.ts'
      stopSignal().addEventListener('abort', () => setTimeout(() => (console.log('finished'), process.exit()), 2_500))
      setInterval(() => {}, 1_000)
      console.log(process.pid)`
    const shell = spawn('sh', ['-c', '"$0" --import tsx --input-type=module -e "$1"; :', process.execPath, work], {
      env: { ...process.env, npm_command: 'exec' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let output = ''
    shell.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    const pid = Number(await eventually(() => /^\d+\n/.exec(output)?.[0], { within: 20_000 }))
    process.kill(pid)
    await pause(1_200)
    shell.kill('SIGKILL')
    await eventually(() => !isAlive(pid), { within: 10_000, what: 'the end of the process' })
    expect(output).to.match(/finished/)
  })
})
