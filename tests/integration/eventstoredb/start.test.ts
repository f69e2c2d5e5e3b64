import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { removeDataFolder, type DataFolder } from '../../harness/baoco-process.ts'
import { newFolderWithCluster } from '../../harness/copied-cluster.ts'
import { startOwnStandIn, type OwnStandIn } from '../../harness/eventstoredb/process.ts'
import { eventually } from '../../harness/eventually.ts'
import { showFigures } from '../../harness/figures.ts'
import { repetitions } from '../../harness/repetitions.ts'

/** Events of others on the server. */
const FOREIGN = repetitions(1_000_000, 5_000)

const BAOCO = fileURLToPath(new URL('../../../cmd/baoco.mjs', import.meta.url))

describe('a start while EventStoreDB is unavailable', function () {
  let dataFolder: DataFolder
  let server: OwnStandIn
  before(async () => {
    ;[dataFolder, server] = await Promise.all([newFolderWithCluster(), startOwnStandIn()])
    await server.stop()
  })
  after(async () => {
    await server?.remove()
    if (dataFolder) await removeDataFolder(dataFolder)
  })

  const secrets = { JWT_SECRET: randomBytes(32).toString('hex'), VAULT_KEY: randomBytes(32).toString('hex') }

  const start = () => {
    let output = ''
    const child = spawn(process.execPath, [BAOCO, 'serve'], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: String(dataFolder.port),
        BAOCO_DATA_DIR: dataFolder.dataDir,
        EVENTSTORE_URL: server.url,
        ...secrets,
      },
    })
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    const ended = once(child, 'exit')
    const prints = (what: RegExp) => eventually(() => what.test(output), { within: 60_000, what: String(what) })
    return { child, ended, prints, output: () => output }
  }

  /** Seconds. */
  const lag = async (): Promise<number> => {
    const metrics = await (await fetch(`http://127.0.0.1:${dataFolder.port}/metrics`)).text()
    return Number(/^baoco_projection_lag_seconds\{projector="main"\} (.*)$/m.exec(metrics)?.[1])
  }

  it('logs what it waits for, stops on SIGTERM, completes when the server is up, and shows the lag when it freezes later', async () => {
    const first = start()
    await first.prints(/"waiting_for":"event_store"/)
    first.child.kill('SIGTERM')
    const stopped = performance.now()
    await first.ended
    expect(performance.now() - stopped).to.be.lessThan(5_000)
    expect(first.output()).to.not.contain('Baoco is ready')

    const second = start()
    await second.prints(/"waiting_for":"event_store"/)
    await server.start()
    await second.prints(/^Baoco is ready/m)
    // A subscription that has nothing to receive does not show that the server is away.
    await eventually(async () => (await lag()) === 0, { what: 'no lag' })
    server.freeze()
    await eventually(async () => (await lag()) > 5, { within: 20_000, what: 'a lag that grows' })
    server.thaw()
    await eventually(async () => (await lag()) === 0, { within: 20_000, what: 'no lag again' })
    second.child.kill('SIGTERM')
    await second.ended
    expect(second.child.exitCode, second.output()).to.equal(0)
  })

  it('does not depend on the events of other programs, and neither does /readyz', async function () {
    this.timeout(600_000)
    const isReady = async () => (await fetch(`http://127.0.0.1:${dataFolder.port}/readyz`)).status === 200
    const secondsToStart = async () => {
      const began = performance.now()
      const started = start()
      await started.prints(/^Baoco is ready/m)
      const seconds = (performance.now() - began) / 1_000
      await eventually(isReady, { within: 5_000, what: '/readyz' })
      return { ...started, seconds }
    }
    const alone = await secondsToStart()
    alone.child.kill('SIGTERM')
    await alone.ended
    await writeForeignEvents()
    const crowded = await secondsToStart()
    // Reading them takes minutes. The server itself passes over them for each subscription.
    expect(crowded.seconds).to.be.lessThan(3 * alone.seconds + 5)
    await writeForeignEvents()
    await eventually(isReady, { within: 5_000, what: '/readyz' })
    const [one, other] = [alone, crowded].map(({ seconds }) => seconds.toFixed(1))
    showFigures(`a start behind ${FOREIGN} events of others in EventStoreDB`, `${other} s, alone ${one} s`)
    crowded.child.kill('SIGTERM')
    await crowded.ended
  })

  const writeForeignEvents = () =>
    fetch(`http://127.0.0.1:${server.port}/stand-in/foreign-events`, {
      method: 'POST',
      body: JSON.stringify({ count: FOREIGN }),
    })
})
