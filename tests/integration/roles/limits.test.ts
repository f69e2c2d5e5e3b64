/** Tests limits and the lock on abuse over two processes of one installation, and the command that lifts the lock. */
import { expect } from 'chai'
import {
  callApi,
  launchBaoco,
  newDataFolder,
  readInstallation,
  removeDataFolder,
  startBaoco,
  type Installation,
  type Running,
  type Starting,
} from '../../harness/baoco-process.ts'
import { commandInProcess } from '../../harness/command-in-process.ts'
import { newFolderWithCluster } from '../../harness/copied-cluster.ts'
import { eventually } from '../../harness/eventually.ts'

const PER_HOUR = 40
const ENV = { ABUSE_PER_HOUR: String(PER_HOUR) }

describe('limits over two processes', function () {
  let installation: Installation
  let whole: Running
  let api: Starting

  before(async () => {
    const dataFolder = await newFolderWithCluster()
    whole = await startBaoco(dataFolder, ENV)
    installation = readInstallation(dataFolder, whole.output())
    const { port } = await newDataFolder()
    api = launchBaoco({ dataDir: dataFolder.dataDir, port }, ENV, 'api')
    await api.ready
  })
  after(async () => {
    await api?.kill()
    await whole?.kill()
    if (installation) await removeDataFolder(installation)
  })

  const logIn = (on: Running, password: string) =>
    callApi(on, '', 'POST', '/api/auth/login', { email: installation.email, password })

  it('allow ten logins per minute over both processes together', async () => {
    for (let number = 0; number < 10; number++)
      expect((await logIn(number % 2 ? whole : api, 'wrong password')).status).to.equal(401)
    for (const on of [whole, api]) expect((await logIn(on, installation.password)).status).to.equal(429)
  })

  it('count receive calls together, once the processes have exchanged their counts', async () => {
    const { pathname } = new URL(installation.personalUrl)
    const post = async (on: Running) =>
      (await fetch(on.baseUrl + pathname, { method: 'POST', body: 'OTP 123456' })).status
    const statuses: number[] = []
    // At worst, each process allows the whole limit before it receives the other's count.
    for (let number = 0; number < 130; number++) statuses.push(await post(number % 2 ? whole : api))
    expect(statuses.filter((status) => status === 200).length).to.be.within(60, 120)
    await eventually(async () => (await post(whole)) === 429 && (await post(api)) === 429)
  })

  const command = async (...words: string[]) => {
    const { PATH, HOME } = process.env
    const { status, stdout, stderr } = await commandInProcess(words, {
      PATH,
      HOME,
      BAOCO_DATA_DIR: installation.dataDir,
    })
    expect(status, stderr).to.equal(0)
    return stdout
  }

  it('lock an account for its calls to both processes, until the operator lifts the lock', async () => {
    // The operator's own account is never locked.
    const email = 'shop@example.com'
    const made = await command('account', 'create', email, '--plan', 'Pro', '--password', 'correct horse battery')
    const [apiKey] = /bck_\S+/.exec(made) ?? []
    expect(apiKey, made).to.be.a('string')
    let page = 0
    const ask = async (on: Running) => (await callApi(on, apiKey!, 'GET', `/api/transactions?page=${++page}`)).status
    let calls = 0
    await eventually(async () => {
      for (const on of [whole, api]) {
        calls++
        if ((await ask(on)) === 403) return true
      }
      return false
    })
    expect(calls).to.be.greaterThan(PER_HOUR)
    for (const on of [whole, api]) expect(await ask(on)).to.equal(403)
    expect(await command('account', 'unlock', email)).to.equal(`${email} is unlocked\n`)
    for (const on of [whole, api]) expect(await ask(on)).to.equal(200)
  })
})
