/** Tests `baoco serve` with a mail server as an operator sets it up, from registration to the first login. */
import { expect } from 'chai'
import {
  callApi,
  readInstallation,
  removeDataFolder,
  startBaoco,
  type DataFolder,
  type Running,
} from '../../harness/baoco-process.ts'
import { newFolderWithCluster } from '../../harness/copied-cluster.ts'
import { eventually } from '../../harness/eventually.ts'
import { startMailServer, type TestMailServer } from '../../harness/mail-server.ts'

describe('serve with SMTP_URL', () => {
  let server: TestMailServer
  let dataFolder: DataFolder
  let baoco: Running | undefined
  before(async () => {
    ;[server, dataFolder] = await Promise.all([startMailServer(), newFolderWithCluster()])
  })
  after(async () => {
    await baoco?.kill()
    await server.close()
    await removeDataFolder(dataFolder)
  })

  it('sends the link that verifies the address of an account', async () => {
    const SMTP_URL = `smtp://127.0.0.1:${server.port}?from=no-reply@shop.example`
    baoco = await startBaoco(dataFolder, { SMTP_URL, RATE_LIMITS: 'off' })
    const { apiKey, email: owner, password: ownersPassword } = readInstallation(dataFolder, baoco.output())
    const pair = { email: 'chu.shop@example.com', password: 'mật khẩu đủ dài' }
    const post = (path: string, body: object) => callApi(baoco!, '', 'POST', `/api/auth/${path}`, body)
    expect((await post('register', pair)).status).to.equal(200)
    await eventually(() => server.mails.length === 1)
    expect(server.senders).to.deep.equal(['no-reply@shop.example'])
    const [, token] = /verify-email\?token=(\S+)/.exec(server.mails[0]!.text!) ?? []
    expect((await post('login', pair)).status).to.equal(403)
    expect((await post('verify-email', { token })).status).to.equal(200)
    expect((await post('login', pair)).status).to.equal(200)
    expect((await post('login', { email: owner, password: ownersPassword })).status).to.equal(200)
    await eventually(async () => {
      const { body } = await callApi(baoco!, apiKey, 'GET', '/api/outbox')
      return (body.data as unknown[]).length === 0
    })
    expect(baoco.output(), 'links are in no log').to.not.include(token!)
    expect(await baoco.stop()).to.be.below(10_000)
  })
})
