/**
 * Attack: somebody reads everything that is not a user's own answer: logs, the topic, the readable history, alerts, and displayed
 * settings. Webhook URLs of Slack, Telegram and inboxes are keys, and so are parts of server addresses.
 */
import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import type { StoredEvent } from '../../domain/parse-event.ts'
import { messageOf } from '../../adapters/log/kafka/cloud-event.ts'
import { configLines } from '../../cmd/commands/config.ts'
import { readSettings } from '../../cmd/settings/settings.ts'
import { shownAddress } from '../../cmd/settings/shown-address.ts'
import { historyOf } from '../../domain/transaction/history.ts'
import { endpointOf } from '../../domain/webhook/endpoint.ts'
import { shownUrl } from '../../domain/webhook/shown-url.ts'
import {
  callApi,
  readInstallation,
  removeDataFolder,
  startBaoco,
  type Installation,
  type Running,
} from '../harness/baoco-process.ts'
import { newFolderWithCluster } from '../harness/copied-cluster.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { freePorts } from '../harness/free-ports.ts'
import { repetitions } from '../harness/repetitions.ts'
import { openShop, status, type Shop } from '../harness/shop.ts'

const BAOCO = fileURLToPath(new URL('../../cmd/baoco.mjs', import.meta.url))

const baoco = async (args: string[], env: Record<string, string>) => {
  const child = spawn(process.execPath, [BAOCO, ...args], { env: { PATH: process.env.PATH ?? '', ...env } })
  child.stdin.end()
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { code, printed: stdout + stderr }
}

describe('the URL of a webhook', () => {
  it('is shown as its origin and a hash', () => {
    expect(shownUrl('https://hooks.slack.com/services/T0/B0/XXXX')).to.match(
      /^https:\/\/hooks\.slack\.com\/#[0-9a-f]{6}$/,
    )
    expect(shownUrl('https://me:pw@shop.vn:8443/a?b#c')).to.match(/^https:\/\/shop\.vn:8443\/#[0-9a-f]{6}$/)
  })

  it('never shows path, query, user part or fragment, whatever it contains', () => {
    const marker = fc.stringMatching(/^[g-z]{12,20}$/)
    fc.assert(
      fc.property(marker, fc.webUrl(), fc.nat(5), (secret, base, index) => {
        const origin = new URL(base).origin
        const forms = [
          `${origin}/${secret}`,
          `${origin}/a?x=${secret}`,
          `${origin}/a#${secret}`,
          `https://${secret}@x.vn/`,
          `https://u:${secret}@x.vn/`,
          `${secret} is no url`,
        ]
        const url = forms[index]!
        expect(shownUrl(url)).not.to.include(secret)
        expect(endpointOf(url)).not.to.include(secret)
      }),
    )
  })

  describe('in an installation', () => {
    let running: Running
    let installation: Installation
    let shop: Shop
    const markers = ['slackmarker', 'querymarker', 'fragmentmarker', 'refusedmarker', 'tlsmarker', 'alertmarker', 'namelessmarker'] // prettier-ignore
    let inboxToken = ''

    before(async () => {
      shop = await openShop(status(500, 'no'))
      const dataFolder = await newFolderWithCluster()
      running = await startBaoco(dataFolder, {
        ALLOW_PRIVATE_TARGETS: '1',
        LOG_LEVEL: 'debug',
        RETRY_SCHEDULE: '0.2,0.2',
        RATE_LIMITS: 'off',
      })
      installation = readInstallation(dataFolder, running.output())
    })
    after(async () => {
      await running.stop()
      await removeDataFolder(installation)
      await shop.close()
    })
    const call = async (method: string, path: string, body?: unknown) =>
      (await callApi(running, installation.apiKey, method, path, body)).body as { data: never }

    it('appears only in answers to its owner', async () => {
      const inbox = (await call('POST', '/api/inbox', {})).data as { id: number; token: string; url: string }
      inboxToken = inbox.token
      await call('PUT', `/api/inbox/${inbox.id}`, { answer: 500 })
      const port = new URL(shop.url).port
      const urls = [
        `http://127.0.0.1:${port}/services/slackmarker`,
        `http://127.0.0.1:${port}/x?token=querymarker#fragmentmarker`,
        'http://127.0.0.1:9/refusedmarker',
        `https://127.0.0.1:${port}/tlsmarker`,
        'https://nothing.invalid/namelessmarker',
        inbox.url,
      ]
      for (const url of urls) await call('POST', '/api/webhooks', { name: 'r', url })
      await call('PUT', '/api/account/alerts', { webhook_url: `http://127.0.0.1:${port}/alertmarker` })
      const personal = installation.personalUrl.replace(/^http:\/\/[^/]+/, running.baseUrl)
      const ids: number[] = []
      for (let number = 0; number < 4; number++) {
        const answer = await fetch(`${personal}?sender=Vietcombank`, {
          method: 'POST',
          body: vietcombankText(number, `DH70${number}`),
          headers: { 'content-type': 'text/plain' },
        })
        ids.push(((await answer.json()) as { data: { id: number } }).data.id)
      }
      await eventually(
        async () =>
          (await Promise.all(ids.map((id) => call('GET', `/api/transactions/${id}`)))).every(
            ({ data }) => (data as { webhook_status: string }).webhook_status === 'failed',
          ),
        { what: 'failed deliveries' },
      )
      await eventually(
        async () =>
          ((await call('GET', '/api/alerts')).data as { kind: string }[]).some(
            ({ kind }) => kind === 'endpoint_failing',
          ),
        { what: 'an alert', within: 90_000 },
      )
      const env = { BAOCO_DATA_DIR: installation.dataDir, PORT: String(installation.port) }
      const tail = spawn(process.execPath, [BAOCO, 'tail', '--all'], { env: { PATH: process.env.PATH ?? '', ...env } })
      let tailed = ''
      tail.stdout.setEncoding('utf8').on('data', (piece: string) => (tailed += piece))
      await eventually(() => tailed.includes('WebhookAttempted') && tailed.includes('AlertRaised'), {
        what: 'the tail',
      })
      tail.kill()
      const seen: Record<string, string> = {
        log: running.output(),
        metrics: await (await fetch(`${running.baseUrl}/metrics`)).text(),
        history: JSON.stringify(await Promise.all(ids.map((id) => call('GET', `/api/transactions/${id}/history`)))),
        alerts: JSON.stringify(await call('GET', '/api/alerts')),
        operator: JSON.stringify(await call('GET', '/api/operator/status')),
        mails: JSON.stringify(await call('GET', '/api/outbox')),
        'baoco history': (await baoco(['history', String(ids[0])], env)).printed,
        tail: tailed,
      }
      for (const [where, shown] of Object.entries(seen)) {
        expect(shown.length, where).to.be.greaterThan(20)
        for (const marker of [...markers, inboxToken]) expect(shown, where).not.to.include(marker)
      }
      expect(seen.log).to.match(/"url":"http:\/\/127\.0\.0\.1:\d+\/#[0-9a-f]{6}"/)
      expect(seen['baoco history']).to.match(/POST http:\/\/127\.0\.0\.1:\d+\/#[0-9a-f]{6},/)
      const listed = JSON.stringify(await call('GET', '/api/webhooks'))
      for (const url of urls) expect(listed).to.include(url)
    })
  })

  it('appears on the topic and in the history without its path', () => {
    const url = 'https://api.telegram.org/bot123:TELEGRAMTOKEN/sendMessage'
    const event = {
      id: '6f1d2e3f-0000-4b0c-8f5e-0f6f9a8f7b33', stream: 'transaction-7', revision: 2, checkpoint: '41', type: 'WebhookAttempted',
      data: { transaction_id: 7, rule_id: 3, attempt: 1, method: 'POST', url, http_status: 0, error: 'dns', duration_ms: 1, outcome: 'retrying', next_attempt_at: null },
      metadata: { user_id: 5, at: '2026-11-21T05:00:00.000Z', correlation_id: 'c', causation_id: 'c', version: 1 },
    } // prettier-ignore
    const message = messageOf(event, { source: 'https://pay.example.vn', installation: 'x' })!
    expect(String(message.value)).to.include('https://api.telegram.org/#').and.not.include('TELEGRAMTOKEN')
    expect(JSON.stringify(historyOf([event as unknown as StoredEvent])))
      .to.include('https://api.telegram.org/#')
      .and.not.include('TELEGRAMTOKEN')
  })
})

describe('settings', () => {
  it('are shown without the secrets in addresses', () => {
    for (const [address, shown] of [
      [
        'postgres://baoco:hunter2@db:5432/baoco?sslmode=require&sslpassword=hunter2',
        'postgres://baoco:***@db:5432/baoco?sslmode=require&sslpassword=***',
      ],
      ['postgres://db/baoco?user=baoco&password=hunter2', 'postgres://db/baoco?user=***&password=***'],
      ['postgres://hunter2@db/baoco', 'postgres://***@db/baoco'],
      ['postgres://a1b2c3d4hunter2:x@db/baoco', 'postgres://***@db/baoco'],
      ['postgres://baoco:p@hunter2@db/baoco', 'postgres://baoco:***@db/baoco'],
      ['postgres://baoco:p/hunter2?x=y#z@db/baoco', 'postgres://***'],
      [
        'esdb://admin:hunter2@a:2113,b:2113?tls=true&userKeyFile=hunter2',
        'esdb://admin:***@a:2113,b:2113?tls=true&userKeyFile=***',
      ],
      ['esdb://a:2113,b:2113?tls=false', 'esdb://a:2113,b:2113?tls=false'],
      ['esdb+discover://admin:hun?ter2@a:2113', 'esdb+discover://***'],
      [
        'smtp://hunter2:hunter2@smtp.postmarkapp.com:587?from=pay@shop.vn',
        'smtp://***@smtp.postmarkapp.com:587?from=pay@shop.vn',
      ],
      ['smtp://smtp.shop.vn?hunter2', 'smtp://smtp.shop.vn?***'],
      ['https://pay.shop.vn', 'https://pay.shop.vn'],
    ] as const)
      expect(shownAddress(address), address).to.equal(shown)
  })

  it('never show a secret, in any position of an address', () => {
    const settings = (DATABASE_URL: string) => ({
      DATABASE_URL,
      JWT_SECRET: 'j'.repeat(32),
      VAULT_KEY: 'ab'.repeat(32),
    })
    const wild = fc.stringMatching(/^[@:/?#&=%a-f.,-]{0,6}$/)
    fc.assert(
      fc.property(fc.constantFrom('postgres', 'esdb', 'smtps'), wild, wild, (scheme, before, behind) => {
        const secret = 'xhunterx2x'
        expect(shownAddress(`${scheme}://user:${before}${secret}${behind}@host/path`)).not.to.include(secret)
        expect(shownAddress(`${scheme}://host/path?pass${before}${secret}`)).not.to.include(secret)
      }),
      { numRuns: repetitions(2_000, 300) },
    )
    const lines = configLines(readSettings({ ...settings('postgres://u:hunter2@db/b'), KAFKA_SASL: 'plain:u:hunter2', METRICS_TOKEN: 'hunter2hunter2hunter2' })) // prettier-ignore
    expect(lines.join('\n')).not.to.include('hunter2')
  })

  it('are refused at the start without their values in the message', async () => {
    const secrets = { JWT_SECRET: 'j'.repeat(32), VAULT_KEY: 'ab'.repeat(32) }
    const bad: Record<string, string>[] = [
      { EVENTSTORE_URL: 'esdb://admin:hunter2', ...secrets },
      { KAFKA_BROKERS: 'u:hunter2@k:9092', ...secrets },
      { EVENTSTORE_URL: 'esdb://admin:hunter2@a:2113?tls=maybe', ...secrets },
      { EVENTSTORE_URL: 'esdb://admin:hunter2@a:2113?unknown=hunter2', ...secrets },
      { EVENTSTORE_URL: 'esdb://admin:hunter2%zz@a:2113', ...secrets },
      { EVENTSTORE_URL: 'esdb://admin:hunter2@a:2113?tls=false&tlsVerifyCert=false', ...secrets },
      { EVENTSTORE_URL: 'kurrentdb://admin:hunter2@a:2113?tls_verify-cert=false', ...secrets },
      { DATABASE_URL: 'postgres://u:hunter2@host:notaport/', ...secrets },
      { DATABASE_URL: 'mysql://u:hunter2@host/', ...secrets },
      { SMTP_URL: 'smtp//u:hunter2@host' },
      { KAFKA_SASL: 'hunter2' },
      { JWT_SECRET: 'hunter2' },
      { VAULT_KEY: 'hunter2' },
      { ADMIN_PASSWORD: 'hunter2' },
      { METRICS_TOKEN: 'hunter2 hunter2 hunter2' },
    ]
    for (const env of bad) {
      const [name] = Object.keys(env)
      const { code, printed } = await baoco(['config'], env)
      expect(code, name).to.equal(1)
      expect(printed).to.include(name).and.not.include('hunter2')
    }
  })

  it('are never printed by the client of the event store', async function () {
    // The client prints a warning about this option if it is false, with the whole address.
    const env = {
      EVENTSTORE_URL: 'kurrentdb://admin:hunter2@127.0.0.1:9?tls=false&tls_verify-cert=true&dns_discover=false',
      DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:9/b',
      JWT_SECRET: 'j'.repeat(32),
      VAULT_KEY: 'ab'.repeat(32),
      PORT: String((await freePorts(1))[0]),
    }
    const child = spawn(process.execPath, [BAOCO, 'api'], { env: { PATH: process.env.PATH ?? '', ...env } })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => (printed += piece))
    await eventually(() => printed.includes('start.waiting'), { what: 'a role that waits' })
    child.kill('SIGKILL')
    expect(printed).not.to.include('hunter2')
  })
})
