/**
 * Every server has TLS, with a certificate of an authority that only `NODE_EXTRA_CA_CERTS` names, and a user whose password contains
 * characters that are special in URLs. The certificates are made with the commands in docs/servers.md. Kafka has its own test,
 * tests/integration/kafka/secured.test.ts.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import pg from 'pg'
import type { SMTPServerOptions } from 'smtp-server'
import {
  callApi,
  launchBaoco,
  newDataFolder,
  readInstallation,
  removeDataFolder,
  startBaoco,
  type DataFolder,
  type Installation,
  type Running,
  type Starting,
} from '../harness/baoco-process.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { needsDovecot } from '../harness/dovecot/install.ts'
import { startDovecot, type Dovecot } from '../harness/dovecot/server.ts'
import { startOwnStandIn, type OwnStandIn } from '../harness/eventstoredb/process.ts'
import { secure, type Secured } from '../harness/eventstoredb/secured.ts'
import { eventually } from '../harness/eventually.ts'
import { startMailServer, type TestMailServer } from '../harness/mail-server.ts'
import { startOwnPostgres, type OwnPostgres } from '../harness/own-postgres.ts'
import { mailAccountOf } from '../integration/mail-ingest/collecting.ts'

const PASSWORD = 'p/a@s#s%w$o:r?d& %2f'

const commandsInDocs = (): string => {
  const page = readFileSync(new URL('../../docs/servers.md', import.meta.url), 'utf8')
  return /^```sh\n(mkdir certificates[\s\S]*?)^```/m.exec(page)![1]!
}

describe('servers with certificates of a private authority', () => {
  needsDovecot()

  let folder: string
  let tls: { certificate: string; key: string }
  let postgres: OwnPostgres
  let standIn: OwnStandIn
  let eventStore: Secured
  let smtp: TestMailServer
  let dovecot: Dovecot
  let shop: Server
  let env: Record<string, string>
  const logins: string[] = []
  const calls: string[] = []
  const dataFolders: DataFolder[] = []
  const running: { kill(): Promise<void> }[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'baoco-authority-'))
    await promisify(execFile)('bash', ['-ec', commandsInDocs()], { cwd: folder })
    const read = (name: string) => readFileSync(join(folder, 'certificates', name), 'utf8')
    tls = { certificate: read('eventstore.crt'), key: read('eventstore.key') }
    const withUser: SMTPServerOptions = {
      secure: true,
      cert: tls.certificate,
      key: tls.key,
      onAuth: ({ username, password }, _session, done) => {
        logins.push(`${username} ${password}`)
        done(null, { user: username })
      },
    }
    shop = createServer({ cert: tls.certificate, key: tls.key }, (request, response) => {
      calls.push(request.url!)
      request.resume().on('end', () => response.end('ok'))
    })
    shop.listen(0, '127.0.0.1')
    await once(shop, 'listening')
    ;[postgres, standIn, smtp, dovecot] = await Promise.all([
      startOwnPostgres({ durable: false, tls }),
      startOwnStandIn(),
      startMailServer(withUser),
      startDovecot(tls),
    ])
    eventStore = await secure(standIn.port, tls, ['baoco', PASSWORD])
    // As docs/servers.md describes the user of the database.
    const administer = new pg.Client({ connectionString: `${postgres.url()}?sslmode=no-verify` })
    await administer.connect()
    await administer.query(`CREATE ROLE baoco_user LOGIN PASSWORD ${administer.escapeLiteral(PASSWORD)}`)
    await administer.query('CREATE DATABASE baoco OWNER baoco_user')
    await administer.end()
    env = {
      DATABASE_URL: `postgres://baoco_user@localhost:${postgres.port}/baoco?sslmode=require`,
      DATABASE_PASSWORD: PASSWORD,
      EVENTSTORE_URL: `esdb://baoco@localhost:${eventStore.port}`,
      EVENTSTORE_PASSWORD: PASSWORD,
      SMTP_URL: `smtps://mailer@localhost:${smtp.port}?from=no-reply@shop.example`,
      SMTP_PASSWORD: PASSWORD,
      JWT_SECRET: 'j'.repeat(32),
      VAULT_KEY: 'ab'.repeat(32),
      ALLOW_PRIVATE_TARGETS: '1',
      RATE_LIMITS: 'off',
    }
  })
  after(async () => {
    await Promise.all(running.map((process) => process.kill()))
    shop?.close()
    await Promise.all([postgres?.remove(), eventStore?.close(), smtp?.close(), dovecot?.remove()])
    await standIn?.remove()
    await Promise.all(dataFolders.map(removeDataFolder))
    await rm(folder, { recursive: true })
  })

  const newFolder = async (): Promise<DataFolder> => {
    const made = await newDataFolder()
    dataFolders.push(made)
    return made
  }
  const launch = async (changed: Record<string, string>): Promise<Starting> => {
    const starting = launchBaoco(await newFolder(), { ...env, ...changed })
    running.push(starting)
    return starting
  }

  let baoco: Running
  let installation: Installation
  const api = (method: string, path: string, body?: object) => callApi(baoco, installation.apiKey, method, path, body)
  /** Adds something and tests it. @returns the answer of the test */
  const tryOut = async (path: string, body: object) => {
    const added = await api('POST', path, body)
    expect(added.status, JSON.stringify(added.body)).to.equal(201)
    return (await api('POST', `${path}/${(added.body.data as { id: number }).id}/test`)).body
  }
  const shopUrl = () => `https://localhost:${(shop.address() as AddressInfo).port}/webhook`
  const mailbox = (user: string) =>
    mailAccountOf(dovecot, user, { host: 'localhost', port: dovecot.securePort, tls: true })
  const register = (email: string) =>
    callApi(baoco, '', 'POST', '/api/auth/register', { email, password: 'mật khẩu đủ dài' })

  describe('with NODE_EXTRA_CA_CERTS', () => {
    before(async () => {
      const where = await newFolder()
      baoco = await startBaoco(where, { ...env, NODE_EXTRA_CA_CERTS: join(folder, 'certificates', 'ca.crt') })
      running.push(baoco)
      installation = readInstallation(where, baoco.output())
    })
    after(() => baoco.stop())

    it('records and lists events in Postgres and EventStoreDB', async () => {
      const posted = await fetch(`${installation.personalUrl}?sender=Vietcombank`, {
        method: 'POST',
        body: vietcombankText(1, 'DH1042'),
      })
      expect(posted.status, baoco.output()).to.equal(200)
      await eventually(async () => ((await api('GET', '/api/transactions')).body.data as unknown[]).length === 1)
      expect(eventStore.accepted.grpc).to.be.above(0)
    })

    it('calls a webhook', async () => {
      await tryOut('/api/webhooks', { name: 'shop', url: shopUrl() })
      await eventually(() => calls.includes('/webhook'), { what: 'a call' })
    })

    it('sends a mail with the password', async () => {
      const email = 'chu.shop@example.com'
      expect((await register(email)).status).to.equal(200)
      // The owner gets one too, about the new bank account.
      const isThere = () => smtp.mails.some(({ to }) => [to].flat().some((each) => each?.text === email))
      await eventually(isThere, { what: 'the mail' }).catch((error: Error) =>
        expect.fail(`${error.message}\n${baoco.output()}`),
      )
      expect(logins).to.include(`mailer ${PASSWORD}`)
      expect(smtp.secured()).to.be.above(0)
    })

    it('reads a mailbox', async () => {
      expect(await tryOut('/api/mail-accounts', mailbox('shop'))).to.include({ success: true })
    })

    it('prints no password', () => expect(baoco.output()).to.not.include('p/a@s').and.not.include('p%2Fa'))
  })

  describe('that only the URLs of Postgres and EventStoreDB name', () => {
    before(async () => {
      const ca = join(folder, 'certificates', 'ca.crt')
      const urls = {
        DATABASE_URL: `${env.DATABASE_URL}&sslrootcert=${ca}`,
        EVENTSTORE_URL: `${env.EVENTSTORE_URL}?tlsCAFile=${ca}`,
      }
      baoco = await startBaoco(await newFolder(), { ...env, ...urls })
      running.push(baoco)
    })
    after(() => baoco.stop())

    it('lists the recorded transactions', async () => {
      expect((await api('GET', '/api/transactions')).body.data).to.have.length(1)
    })

    it('refuses the certificates of all other servers, and says so', async () => {
      const called = calls.length
      const webhook = await tryOut('/api/webhooks', { name: 'other', url: shopUrl() })
      expect(JSON.stringify(webhook)).to.match(/certificate/i)
      expect(calls).to.have.length(called)
      const mail = await tryOut('/api/mail-accounts', mailbox('other'))
      expect(JSON.stringify(mail)).to.match(/certificate/i)
      expect((await register('other@example.com')).status).to.equal(200)
      await eventually(() => baoco.output().includes('mail.failed'), { what: 'a failed mail' })
      expect(smtp.mails.map(({ to }) => [to].flat()[0]!.text)).to.not.include('other@example.com')
    })
  })

  /** Stops at the first server that is not trusted, and says so. */
  const says = async (changed: Record<string, string>, text: RegExp) => {
    const starting = await launch(changed)
    await eventually(() => text.test(starting.output()), { within: 60_000, what: String(text) })
    expect(starting.output()).to.not.include('p/a@s').and.not.include('p%2Fa')
    await starting.kill()
  }

  it('waits for a server that is not trusted, and logs why', () =>
    says({}, /"waiting_for":"database","reason":"[^"]*certificate/))

  it('ends with one line if a file in the address of Postgres does not exist', async () => {
    for (const name of ['sslrootcert', 'sslcert', 'sslkey'])
      await says(
        { DATABASE_URL: `${env.DATABASE_URL}&${name}=/nowhere.pem` },
        /^baoco: \/nowhere\.pem does not exist$/m,
      )
  })

  it('ends with one line if Postgres refuses the client certificate, or its key is that of another one', async () => {
    const administer = async (...statements: string[]) => {
      const client = new pg.Client({ connectionString: `${postgres.url()}?sslmode=no-verify` })
      await client.connect()
      for (const statement of [...statements, 'SELECT pg_reload_conf()']) await client.query(statement)
      await client.end()
    }
    const named = (certificate: string, key: string) => {
      const [ca, sslcert, sslkey] = ['ca.crt', certificate, key].map((name) => join(folder, 'certificates', name))
      return { DATABASE_URL: `${env.DATABASE_URL}&sslrootcert=${ca}&sslcert=${sslcert}&sslkey=${sslkey}` }
    }
    await administer(`ALTER SYSTEM SET ssl_ca_file = 'server.crt'`)
    await says(named('ca.crt', 'ca.key'), /^baoco: the server of DATABASE_URL refuses the client certificate \(.+\): check the files of sslcert and sslkey$/m) // prettier-ignore
    await says(named('ca.crt', 'eventstore.key'), /^baoco: the certificate files .* cannot be used \(key values mismatch\): check sslcert, sslkey and sslrootcert$/m) // prettier-ignore
    await administer('ALTER SYSTEM RESET ssl_ca_file')
  })

  it('does not blame the address of Postgres for a certificate of the user of EventStoreDB that cannot be used', async () => {
    const [ca, user, key] = ['ca.crt', 'ca.crt', 'eventstore.key'].map((name) => join(folder, 'certificates', name))
    const changed = {
      DATABASE_URL: `${env.DATABASE_URL}&sslrootcert=${ca}`,
      EVENTSTORE_URL: `${env.EVENTSTORE_URL}?tlsCAFile=${ca}&userCertFile=${user}&userKeyFile=${key}`,
    }
    const command = launchBaoco(await newFolder(), { ...env, ...changed }, 'status')
    command.ready.catch(() => {})
    await command.ended
    expect(command.output())
      .to.match(/^baoco: /m)
      .and.not.include('DATABASE_URL')
  })

  it('ends with one line if a password is wrong', async () => {
    const NODE_EXTRA_CA_CERTS = join(folder, 'certificates', 'ca.crt')
    await says({ NODE_EXTRA_CA_CERTS, DATABASE_PASSWORD: 'wrong' }, /^baoco: .*password authentication failed/m)
    await says({ NODE_EXTRA_CA_CERTS, EVENTSTORE_PASSWORD: 'wrong' }, /^baoco: .+$/m)
  })
})
