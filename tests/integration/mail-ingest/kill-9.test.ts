import { expect } from 'chai'
import { callApi, readInstallation, removeDataFolder, startBaoco } from '../../harness/baoco-process.ts'
import { newFolderWithCluster } from '../../harness/copied-cluster.ts'
import { timoMail } from '../../harness/bank-mails.ts'
import { needsDovecot } from '../../harness/dovecot/install.ts'
import { startDovecot } from '../../harness/dovecot/server.ts'
import { eventually } from '../../harness/eventually.ts'
import { mailAccountOf } from './collecting.ts'

describe('a collecting process that is killed', () => {
  needsDovecot()

  it('among many mails is continued by the next start, and each mail becomes one transaction', async () => {
    const dovecot = await startDovecot()
    const dataFolder = await newFolderWithCluster()
    const env = { ALLOW_PRIVATE_TARGETS: '1', RATE_LIMITS: 'off' }
    let running = await startBaoco(dataFolder, env)
    try {
      const { apiKey } = readInstallation(dataFolder, running.output())
      const { status } = await callApi(running, apiKey, 'POST', '/api/mail-accounts', mailAccountOf(dovecot))
      expect(status).to.equal(201)
      const total = async () =>
        (await callApi(running, apiKey, 'GET', '/api/transactions?source_type=email')).body.total as number
      const mails = 200
      for (let n = 0; n < mails; n++) await dovecot.deliver('shop', timoMail(n, `DH${1000 + n}`))
      await eventually(async () => (await total()) > 0, { within: 60_000, what: 'the first mails' })
      await running.kill()
      running = await startBaoco(dataFolder, env)
      await eventually(async () => (await total()) === mails, { within: 60_000, what: 'all mails' })
      await dovecot.deliver('shop', timoMail(mails, 'DH9999'))
      await eventually(async () => (await total()) === mails + 1, { within: 60_000, what: 'one more' })
      await running.stop()
    } finally {
      await running.kill()
      await removeDataFolder(dataFolder)
      await dovecot.remove()
    }
  })
})
