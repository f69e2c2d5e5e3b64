/** Tests `baoco export-events` and `import-events` as the operator types them: an installation migrates to EventStoreDB and back. */
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import {
  callApi,
  launchBaoco,
  readInstallation,
  removeDataFolder,
  startBaoco,
  type Installation,
  type DataFolder,
  type Running,
} from '../../harness/baoco-process.ts'
import { bundledScript } from '../../harness/bundled-script.ts'
import { commandAsProcess, commandInProcess } from '../../harness/command-in-process.ts'
import { newFolderWithCluster } from '../../harness/copied-cluster.ts'
import { fromVietcombank, vietcombankText } from '../../harness/bank-texts.ts'
import { givenOrOwnEventStore, type TestEventStore } from '../../harness/eventstoredb/given-or-own.ts'
import { eventually } from '../../harness/eventually.ts'
import { openShop, status, type Shop } from '../../harness/shop.ts'

const BAOCO = fileURLToPath(new URL('../../../cmd/baoco.mjs', import.meta.url))
const ENV = { ALLOW_PRIVATE_TARGETS: '1', RETRY_SCHEDULE: '4,4,4,4,4,4', RATE_LIMITS: 'off' }

/** Removes the progress lines, which are printed on a slow machine. */
const besidesProgress = (stderr: string): string => stderr.replaceAll(/^\d+ events (stored|written.*)\n/gm, '')

interface Shown {
  id: number
  order_id: string
  webhook_status: string
}

describe('baoco export-events and import-events', function () {
  this.timeout(600_000)
  let server: TestEventStore
  let shop: Shop
  let installation: Installation
  let baoco: Running | undefined
  let other: DataFolder
  /** `there` are the settings with EventStoreDB, `here` those without. */
  let there: Record<string, string>
  let here: Record<string, string>
  let sent = 0

  const command = async (
    { dataDir }: DataFolder,
    env: Record<string, string>,
    args: string[],
    input = '',
    run = commandInProcess,
  ) => {
    const settings = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', BAOCO_DATA_DIR: dataDir, ...env }
    const { status, stdout, stderr } = await run(args, settings, input)
    return { code: status, stdout, stderr }
  }
  const list = async (): Promise<Shown[]> =>
    (await callApi(baoco!, installation.apiKey, 'GET', '/api/transactions')).body.data as Shown[]
  const statusOf = async (order: string) => (await list()).find(({ order_id }) => order_id === order)?.webhook_status
  const pay = async (order: string): Promise<void> => {
    const { pathname, search } = new URL(fromVietcombank(installation.personalUrl))
    const answer = await fetch(baoco!.baseUrl + pathname + search, {
      method: 'POST',
      body: vietcombankText(++sent, order),
    })
    expect(answer.status).to.equal(200)
  }
  const callsFor = (order: string) => shop.calls.filter(({ body }) => body.includes(`"${order}"`))

  before(async () => {
    ;[server, shop, other] = await Promise.all([givenOrOwnEventStore(), openShop(), newFolderWithCluster()])
    const dataFolder = await newFolderWithCluster()
    baoco = await startBaoco(dataFolder, ENV)
    installation = readInstallation(dataFolder, baoco.output())
    const secret = (name: string) => readFile(join(dataFolder.dataDir, name), 'utf8').then((value) => value.trim())
    here = { ...ENV, JWT_SECRET: await secret('jwt-secret'), VAULT_KEY: await secret('vault-key') }
    there = { ...here, EVENTSTORE_URL: server.url, EVENTSTORE_PREFIX: server.prefix }
  })
  after(async () => {
    await baoco?.kill()
    await shop?.close()
    await server?.close()
    for (const dataFolder of [installation, other]) if (dataFolder) await removeDataFolder(dataFolder)
  })

  it('migrate an installation to EventStoreDB and back', async () => {
    const rule = await callApi(baoco!, installation.apiKey, 'POST', '/api/webhooks', { name: 'shop', url: shop.url })
    expect(rule.status).to.equal(201)
    await pay('DH1')
    await eventually(async () => (await statusOf('DH1')) === 'success')
    await pay('DH2')
    await eventually(async () => (await statusOf('DH2')) === 'success')
    const deleted = (await list()).find(({ order_id }) => order_id === 'DH2')!
    expect((await callApi(baoco!, installation.apiKey, 'DELETE', `/api/transactions/${deleted.id}`)).status).to.equal(
      200,
    )
    shop.answer(status(500, 'not now'))
    await pay('DH3')
    await eventually(() => callsFor('DH3').length > 0)
    const running = await command(installation, here, ['export-events'])
    expect([running.code, running.stdout]).to.deep.equal([1, ''])
    expect(running.stderr).to.match(/in use: baoco \(.*deliver.*\) runs on it/)
    const before = await list()
    await baoco!.stop()

    const LEAVER = 'leaver@example.com'
    for (const args of [
      ['create', LEAVER, '--plan', 'Free', '--password', 'a long password'],
      ['delete', LEAVER, '--yes'],
    ])
      expect(await command(installation, here, ['account', ...args])).to.include({ code: 0, stderr: '' })

    const file = await command(installation, here, ['export-events'], '', commandAsProcess)
    expect(file.code, file.stderr).to.equal(0)
    const lines = file.stdout.trimEnd().split('\n')
    expect(JSON.parse(lines.at(-1)!)).to.include({ events: lines.length - 1 })
    expect(lines.filter((line) => line.includes(`"stream":"transaction-${deleted.id}"`))).to.have.lengthOf(1)

    const cut = await command(installation, there, ['import-events'], lines.slice(0, -1).join('\n'))
    expect([cut.code, cut.stderr]).to.deep.equal([
      1,
      'baoco: nothing was imported: its last line does not say how many events there are: the file was cut off\n',
    ])
    shop.answer(status(200))
    const moved = await command(installation, there, ['import-events'], file.stdout, commandAsProcess)
    expect([moved.code, besidesProgress(moved.stderr)]).to.deep.equal([0, ''])
    expect(moved.stdout).to.contain(`${lines.length - 1} events imported`)
    const again = await command(installation, there, ['import-events'], file.stdout)
    expect(again.code).to.equal(1)
    expect(again.stderr).to.contain('the event store is not empty')

    const calls = { DH1: callsFor('DH1').length, DH2: callsFor('DH2').length }
    baoco = await startBaoco(installation, there)
    await eventually(async () => (await statusOf('DH3')) === 'success', {
      within: 60_000,
      what: 'the pending delivery',
    })
    const attempts = callsFor('DH3').map(({ headers }) => headers['x-webhook-attempt'])
    expect(attempts).to.deep.equal(attempts.map((_, index) => String(index + 1)))
    expect({ DH1: callsFor('DH1').length, DH2: callsFor('DH2').length }).to.deep.equal(calls)
    expect((await list()).map(({ id, order_id }) => [id, order_id])).to.deep.equal(
      before.map(({ id, order_id }) => [id, order_id]),
    )
    await pay('DH4')
    await eventually(async () => (await statusOf('DH4')) === 'success')
    await baoco.stop()

    const back = join(installation.dataDir, 'events.jsonl')
    expect((await command(installation, there, ['export-events', back])).code).to.equal(0)
    expect((await command(installation, there, ['export-events', back])).stderr).to.contain(
      'already exists: name a new file',
    )
    const returned = await command(other, here, ['import-events', back])
    expect([returned.code, besidesProgress(returned.stderr)]).to.deep.equal([0, ''])
    baoco = await startBaoco(other, here)
    expect((await list()).map(({ order_id, webhook_status }) => [order_id, webhook_status])).to.deep.equal([
      ['DH4', 'success'],
      ['DH3', 'success'],
      ['DH1', 'success'],
    ])
    await pay('DH5')
    await eventually(async () => (await statusOf('DH5')) === 'success')
    const total = shop.calls.length
    expect(callsFor('DH5')).to.have.lengthOf(1)
    expect(total).to.equal(calls.DH1 + calls.DH2 + attempts.length + 2)
    expect(await baoco.stop()).to.be.below(10_000)
    const verified = await command(other, here, ['replay', '--verify'])
    expect(verified.stdout).to.contain('every row matches the rebuilt one')
  })

  it('leaves nothing of its input when it is interrupted', async () => {
    const temporary = await mkdtemp(join(tmpdir(), 'baoco-interrupted-'))
    const env = { PATH: process.env.PATH ?? '', BAOCO_DATA_DIR: join(temporary, 'data'), TMPDIR: temporary }
    const child = spawn(process.execPath, [BAOCO, 'import-events'], { env, stdio: ['pipe', 'ignore', 'pipe'] })
    const errors = text(child.stderr)
    try {
      child.stdin.write('the beginning')
      const files = async () =>
        (await readdir(temporary, { recursive: true })).filter((name) => name.endsWith('.jsonl'))
      await eventually(async () => (await files()).length === 1, { what: 'the input in a file' })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      expect([await ended, await errors]).to.deep.equal([
        143,
        'baoco: the import was interrupted: run it again with the same input to continue\n',
      ])
      expect(await readdir(temporary)).to.deep.equal([])
    } finally {
      child.kill('SIGKILL')
      await rm(temporary, { recursive: true, force: true })
    }
  })

  it('lets nothing start on a store whose import was killed, and continues the import', async () => {
    const dataFolder = await newFolderWithCluster()
    try {
      const file = join(other.dataDir, 'events.jsonl')
      const made = await command(other, here, ['export-events', file])
      expect(made.code, made.stderr).to.equal(0)
      const hanging = { ...here, EVENTSTORE_URL: server.url, EVENTSTORE_PREFIX: `${server.prefix}second.` }
      const child = spawn(process.execPath, [await bundledScript(KILLED), file], {
        env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...hanging },
        stdio: 'inherit',
      })
      await new Promise((resolve) => child.once('exit', resolve))
      expect(child.signalCode).to.equal('SIGKILL')
      const start = launchBaoco(dataFolder, hanging)
      expect(await start.ended).to.equal(1)
      expect(start.output()).to.contain('an import into this event store has not finished')
      const resumed = await command(dataFolder, hanging, ['import-events', file])
      expect([resumed.code, besidesProgress(resumed.stderr)]).to.deep.equal([0, ''])
      baoco = await startBaoco(dataFolder, hanging)
      expect(await list()).to.have.lengthOf(4)
      await baoco.stop()
    } finally {
      await removeDataFolder(dataFolder)
    }
  })
})

const KILLED = fileURLToPath(new URL('killed-import.ts', import.meta.url))
