/** `baoco export` and `baoco account list` read the read models. They say so if these lack something that was stored. */
import { expect } from 'chai'
import {
  launchBaoco,
  newDataFolder,
  printedValue,
  removeDataFolder,
  type DataFolder,
  type Starting,
} from '../../harness/baoco-process.ts'
import { fromVietcombank, vietcombankText } from '../../harness/bank-texts.ts'
import { commandInProcess } from '../../harness/command-in-process.ts'
import { emptyDatabase, type TestDatabase } from '../../harness/postgres.ts'
import { secrets } from '../../harness/servers.ts'

describe('commands that print from the read models', () => {
  let database: TestDatabase
  let dataFolder: DataFolder
  let env: Record<string, string>
  const started: Starting[] = []

  before(async () => {
    ;[database, dataFolder] = await Promise.all([emptyDatabase(), newDataFolder()])
    env = { DATABASE_URL: database.url, ...secrets() }
  })
  after(async () => {
    await Promise.all(started.map((each) => each.kill()))
    await removeDataFolder(dataFolder)
    await database?.drop()
  })

  const start = async (role: string): Promise<Starting> => {
    const running = launchBaoco(dataFolder, { ...env, METRICS_PORT: '' }, role)
    started.push(running)
    await running.ready
    return running
  }
  const baoco = (...args: string[]) => commandInProcess(args, { PATH: process.env.PATH ?? '', ...env })
  const exported = () => baoco('export', '--user', 'owner@baoco.local', '--format', 'jsonl')

  it('print the rows that exist, say what is missing, and exit with 1, until a process projects', async () => {
    const api = await start('api')
    const url = fromVietcombank(printedValue(api.output(), 'personal URL'))
    const { status } = await fetch(url, { method: 'POST', body: vietcombankText(1, 'DH77') })
    expect(status).to.equal(200)

    for (const before of [await exported(), await baoco('account', 'list')]) {
      expect(before.stderr).to.match(/^baoco: the read models are behind, so everything that was stored is missing\./)
      expect([before.status, before.stdout]).to.deep.equal([1, ''])
    }

    // It also writes events of its own, so it runs until everything is printed.
    const project = await start('project')
    const rows = await exported()
    expect([rows.status, rows.stderr, rows.stdout.split('\n').length]).to.deep.equal([0, '', 2])
    expect(await baoco('account', 'list')).to.deep.equal({
      status: 0,
      stdout: '1  owner@baoco.local  Pro  operator\n',
      stderr: '',
    })
    await project.stop()

    await fetch(url, { method: 'POST', body: vietcombankText(2, 'DH78') })
    const behind = await exported()
    expect(behind.stderr).to.match(/^baoco: the read models are behind, so what was stored after 20\S+Z is missing\./)
    expect([behind.status, behind.stdout]).to.deep.equal([1, rows.stdout])
  })
})
