/** A mailbox that stopped working, as its owner and the operator meet it. */
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openMailboxNotes } from '../../../adapters/postgres/ops/mailbox-notes.ts'
import {
  countFailingMailboxes,
  failingMailboxes,
  lastingMailboxAlerts,
} from '../../../projections/mail-account/queries.ts'
import { watchMailboxes } from '../../../workflows/scheduled/watch-mailboxes.ts'
import { timoMail } from '../../harness/bank-mails.ts'
import { needsDovecot } from '../../harness/dovecot/install.ts'
import { startDovecot, PASSWORD, type Dovecot } from '../../harness/dovecot/server.ts'
import { eventually } from '../../harness/eventually.ts'
import { inside } from '../../harness/installation-database.ts'
import { World } from '../../harness/world.ts'
import { openApi, type ApiUnderTest } from '../http/api-under-test.ts'
import { shownAlerts } from '../http/shown-alerts.ts'
import { mailAccountOf } from './collecting.ts'

interface Alert {
  kind: string
  subject: string
  text: string
  until: string | null
}

describe('a mailbox that stopped working', function () {
  this.timeout(300_000)
  needsDovecot()

  it('raises an alert within five minutes, with a mail, one log line and a metric, which end when it works again', async () => {
    let dovecot: Dovecot | undefined
    const world = await World.open()
    try {
      dovecot = await startDovecot()
      const created = await world.api('POST', '/api/mail-accounts', mailAccountOf(dovecot))
      const { id } = created.body.data as { id: number }
      const lastError = async () =>
        ((await world.api('GET', `/api/mail-accounts/${id}`)).body.data as { last_error: string | null }).last_error
      const alerts = async () =>
        ((await world.api('GET', '/api/alerts')).body.data as Alert[]).filter(({ kind }) => kind === 'mailbox_failing')
      const lines = (name: string) => world.baoco.output().split(`"${name}"`).length - 1
      expect(await alerts()).to.deep.equal([])

      await world.api('PUT', `/api/mail-accounts/${id}`, { password: 'not the password' })
      await eventually(async () => /password/.test((await lastError()) ?? ''), { within: 60_000 })
      if (process.env.REPEAT !== 'full')
        // As if it had lasted for a minute.
        await inside(world.installation, async (url) => {
          const database = openDatabase(url, { poolSize: 1 })
          await database.query(`UPDATE ops.mailbox SET failing_since = failing_since - interval '1 minute'`)
          await database.close()
        })
      await eventually(async () => (await alerts()).length === 1, { within: 290_000, what: 'the alert' })
      const [{ subject, text, until }] = (await alerts()) as [Alert]
      expect([subject, until]).to.deep.equal([`mail_account:${id}`, null])
      expect(text).to.match(
        /^The mailbox shop on 127\.0\.0\.1 cannot be read\. The server rejected .*password.*app password/,
      )
      expect(await world.metric('baoco_mailboxes_failing')).to.equal(1)
      expect(lines('mailbox.failing')).to.equal(1)
      expect(/"mailbox\.failing".*/.exec(world.baoco.output())).to.not.equal(null)
      expect(world.baoco.output()).to.contain('app password')
      const mails = async () => (await world.api('GET', '/api/outbox')).body.data as { subject: string }[]
      await eventually(async () => (await mails()).some(({ subject }) => subject === 'Baoco: a mailbox cannot be read'))

      await world.api('PUT', `/api/mail-accounts/${id}`, { password: PASSWORD })
      await eventually(async () => (await alerts()).every(({ until }) => until !== null), {
        within: 60_000,
        what: 'its end',
      })
      expect(await alerts()).to.have.length(1)
      expect(await world.metric('baoco_mailboxes_failing')).to.equal(0)
      expect(lines('mailbox.works_again')).to.equal(1)
    } finally {
      await world.close()
      await dovecot?.remove()
    }
  })
})

/** It takes as long as it takes, so only the long runs have it. */
if (process.env.REPEAT === 'full')
  describe('a mailbox whose server stops answering', function () {
    this.timeout(600_000)
    needsDovecot()

    it('raises the alert within five minutes, although its connections stay open', async () => {
      let dovecot: Dovecot | undefined
      const world = await World.open()
      try {
        dovecot = await startDovecot()
        await world.api('POST', '/api/mail-accounts', mailAccountOf(dovecot))
        await eventually(async () => (await world.metric('baoco_mailboxes_held')) === 1, { within: 60_000 })
        await dovecot.deliver('shop', timoMail(1, 'DH1'))
        const total = async () => (await world.api('GET', '/api/transactions')).body.total
        await eventually(async () => (await total()) === 1, { within: 60_000, what: 'a mail that is read' })
        dovecot.freeze()
        const began = performance.now()
        const isRaised = async () =>
          ((await world.api('GET', '/api/alerts')).body.data as Alert[]).some(({ kind }) => kind === 'mailbox_failing')
        await eventually(isRaised, { within: 400_000, what: 'the alert' })
        expect(performance.now() - began).to.be.below(300_000)
      } finally {
        dovecot?.thaw()
        await world.close()
        await dovecot?.remove()
      }
    })
  })

describe('the watch on mailboxes', function () {
  let api: ApiUnderTest
  let database: Database
  before(async () => {
    api = await openApi()
    database = openDatabase(api.databaseUrl, { poolSize: 2 })
  })
  after(async () => {
    await database.close()
    await api.close()
  })

  const never = new AbortController().signal
  const lines: { fields: object; what: string }[] = []
  const note = (fields: object, what: string) => void lines.push({ fields, what })
  let watch: ReturnType<typeof watchMailboxes>
  beforeEach(() => {
    lines.splice(0)
    watch = watchMailboxes({
      failing: (afterSeconds) => failingMailboxes(database, afterSeconds),
      lasting: () => lastingMailboxAlerts(database),
      alerts: shownAlerts(api),
      log: { warn: note, info: note },
    })
  })
  const alerts = async () =>
    ((await api.ask('GET', '/api/alerts', { key: api.owner.api_key })).body.data as Alert[]).filter(
      ({ kind }) => kind === 'mailbox_failing',
    )
  const lasting = async () => (await alerts()).filter(({ until }) => until === null).length
  const connect = async (username: string): Promise<number> => {
    const json = {
      email: `${username}@shop.example`,
      host: 'mail.example',
      port: 993,
      tls: true,
      username,
      password: 'x',
    }
    const { body, status } = await api.ask('POST', '/api/mail-accounts', { key: api.owner.api_key, json })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.data.id as number
  }
  /** Lets a mailbox fail, and the failure be this old. */
  const fails = async (id: number, error: string | null, seconds = 0): Promise<void> => {
    await openMailboxNotes(database).report({ mail_account_id: id } as never, error)
    await database.query(
      `UPDATE ops.mailbox SET failing_since = failing_since - make_interval(secs => $2) WHERE mail_account_id = $1`,
      [id, seconds],
    )
  }
  const look = () => watch.run(never)

  it('waits a minute, and keeps the beginning while the reason changes', async () => {
    const id = await connect('minute')
    await fails(id, 'The server refuses the connection.')
    await look()
    expect(await lasting()).to.equal(0)
    expect(await countFailingMailboxes(database)).to.equal(1)
    await fails(id, 'The server does not respond. It says: secret', 61)
    await look()
    await look()
    expect(await lasting()).to.equal(1)
    expect(lines.map(({ what }) => what)).to.deep.equal(['mailbox.failing'])
    // The owner sees what the server answered, the log does not.
    expect((await alerts())[0]!.text).to.contain('It says: secret')
    expect(lines[0]!.fields).to.include({ reason: 'The server does not respond.' })
    await fails(id, null)
    await look()
    expect(await lasting()).to.equal(0)
    expect(lines.at(-1)!.what).to.equal('mailbox.works_again')
  })

  it('does not end a second alert of a day at once, because the mailbox may fail and work by turns', async () => {
    const id = await connect('turns')
    await fails(id, 'The server does not respond.', 61)
    await look()
    await fails(id, null)
    await look()
    expect(await lasting()).to.equal(0)
    await fails(id, 'The server does not respond.', 0)
    await database.query(`UPDATE ops.mailbox SET failing_since = clock_timestamp() WHERE mail_account_id = $1`, [id])
    // The second outage began after the first alert ended, and is old enough for the watch.
    watch = watchMailboxes({
      failing: () => failingMailboxes(database, 0),
      lasting: () => lastingMailboxAlerts(database),
      alerts: shownAlerts(api),
      log: { warn: note, info: note },
    })
    await look()
    expect(await lasting()).to.equal(1)
    await fails(id, null)
    await look()
    expect(await lasting()).to.equal(1)
    await api.ask('DELETE', `/api/mail-accounts/${id}`, { key: api.owner.api_key })
    await look()
    expect(await lasting()).to.equal(0)
  })

  it('leaves out mailboxes that are switched off', async () => {
    const id = await connect('off')
    await fails(id, 'The server does not respond.', 61)
    await api.ask('PUT', `/api/mail-accounts/${id}`, { key: api.owner.api_key, json: { is_active: 0 } })
    await look()
    expect([await lasting(), await countFailingMailboxes(database)]).to.deep.equal([0, 0])
  })
})
