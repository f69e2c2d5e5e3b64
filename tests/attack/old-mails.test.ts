/** Attack: a mailbox was paused for days, or its provider delivers old mails again. Its mails are recorded and not sent. */
import { expect } from 'chai'
import { mailAccountOf, startCollector, type CollectorProcess } from '../integration/mail-ingest/collecting.ts'
import { timoMail } from '../harness/bank-mails.ts'
import { needsDovecot } from '../harness/dovecot/install.ts'
import { startDovecot, type Dovecot } from '../harness/dovecot/server.ts'
import { eventually } from '../harness/eventually.ts'
import { openAttacked, type Attacked } from './real-api.ts'

describe('attack: old mails', () => {
  needsDovecot()
  let dovecot: Dovecot
  let attacked: Attacked
  let collector: CollectorProcess | undefined

  before(async () => {
    dovecot = await startDovecot()
    attacked = await openAttacked()
  })
  after(async () => {
    await collector?.stop()
    await attacked?.close()
    await dovecot?.remove()
  })

  it('from three days ago send nothing and raise an alert; a mail of today is sent', async () => {
    const { api, key } = attacked
    const made = await api.ask('POST', '/api/mail-accounts', { key, json: mailAccountOf(dovecot, 'paused') })
    expect(made.status).to.equal(201)
    collector = await startCollector(api)
    const to = { to: 'paused@mailbox.example' }
    await dovecot.deliver('paused', timoMail(1, 'DH1001', { ...to, at: new Date(Date.now() - 3 * 86_400_000) }))
    await dovecot.deliver('paused', timoMail(2, 'DH1002', to))
    const listed = await eventually(
      async () => {
        const { body } = await api.ask('GET', '/api/transactions', { key })
        return body.data.length === 2 && (body.data as { order_id: string; webhook_status: string }[])
      },
      { within: 60_000 },
    )
    const statusOf = (order: string) => listed.find(({ order_id }) => order_id === order)?.webhook_status
    expect([statusOf('DH1001'), statusOf('DH1002')]).to.deep.equal(['no_match', 'pending'])
    expect(await attacked.sent()).to.deep.equal(['DH1002'])
    const [alert] = await attacked.alerts('old_notification', 1)
    expect(alert!.subject).to.equal(`mail_account:${made.body.data.id}`)
  })
})
