import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { configLines } from '../../../../cmd/commands/config.ts'
import { SETTINGS } from '../../../../cmd/settings/setting-table.ts'
import { readSettings, allSettings } from '../../../../cmd/settings/settings.ts'
import { refusal } from '../../../harness/settings-refusal.ts'

const KEY = '0123456789abcdef'.repeat(4)
const SECRET = 'x'.repeat(32)
const PLAN_ACCOUNT = { PLAN_BANK: 'VCB', PLAN_ACCOUNT: '0011000415567', PLAN_HOLDER: 'BAOCO CO LTD' }

describe('settings', () => {
  it('have defaults, so none is required', () => {
    const settings = readSettings({ PATH: '/usr/bin' })
    expect(settings).to.deep.include({
      port: 8080,
      baseUrl: 'http://localhost:8080',
      dataDir: resolve('.baoco'),
      databaseUrl: undefined,
      adminEmail: 'owner@baoco.local',
      allowPrivateTargets: false,
      retrySchedule: [60, 300, 1800, 7200, 28800, 86400],
      abusePerHour: 1000,
      abusePolls: 20,
      abuseParallel: 20,
      overQuotaDelay: 900,
      keepUnread: 31_536_000,
      planPrefix: 'BC',
      commission: 20,
      reparseMaxAge: 86400,
      trustProxy: 0,
      logLevel: 'info',
      metricsPort: undefined,
    })
  })

  it('contain the rate limits of section 8 by default', () => {
    const { rateLimits } = readSettings({})
    expect(rateLimits).to.deep.include({ login: { requests: 10, seconds: 60 }, receive: { requests: 60, seconds: 60 } })
    expect(readSettings({ RATE_LIMITS: 'receive=600/60, demo=1/10' }).rateLimits).to.deep.equal({
      ...(rateLimits as object),
      receive: { requests: 600, seconds: 60 },
      demo: { requests: 1, seconds: 10 },
    })
    expect(readSettings({ RATE_LIMITS: 'off' }).rateLimits).to.equal('off')
  })

  it('are parsed from their text', () => {
    const settings = readSettings({
      PORT: '9000',
      BASE_URL: 'https://pay.example.vn/',
      BAOCO_DATA_DIR: '/srv/baoco',
      RETRY_SCHEDULE: '1, 2.5,3',
      ALLOW_PRIVATE_TARGETS: '1',
      VAULT_KEY: `${KEY},${KEY.toUpperCase()}`,
      ADMIN_EMAIL: 'Chu.Shop@Example.vn',
      COMMISSION: '12.5 %',
      PLAN_PREFIX: 'bcx',
      KAFKA_BROKERS: 'kafka-1:9092, kafka-2:9092',
      KAFKA_SASL: 'scram-sha-512:baoco:pass:word',
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20a=b, x-tenant = 7',
    })
    expect(settings).to.deep.include({
      port: 9000,
      baseUrl: 'https://pay.example.vn',
      dataDir: '/srv/baoco',
      retrySchedule: [1, 2.5, 3],
      allowPrivateTargets: true,
      vaultKey: [KEY, KEY.toUpperCase()],
      adminEmail: 'chu.shop@example.vn',
      commission: 12.5,
      planPrefix: 'BCX',
      kafkaBrokers: ['kafka-1:9092', 'kafka-2:9092'],
      kafkaSasl: { mechanism: 'scram-sha-512', username: 'baoco', password: 'pass:word' },
      otlpHeaders: { authorization: 'Bearer a=b', 'x-tenant': '7' },
    })
  })

  it('take the size of the disk of a Postgres server in GB', () => {
    const server = { DATABASE_URL: 'postgres://a', JWT_SECRET: 'x'.repeat(32), VAULT_KEY: KEY }
    expect(readSettings({ ...server, DATABASE_DISK_GB: '7.5' }).databaseDiskGb).to.equal(7.5)
    expect(readSettings(server).databaseDiskGb).to.equal(undefined)
  })

  it('take the account for plan payments as a whole, or not at all', () => {
    expect(readSettings(PLAN_ACCOUNT).planAccount).to.equal('0011000415567')
    expect(refusal({ PLAN_BANK: 'VCB' })).to.equal('setting PLAN_ACCOUNT and PLAN_HOLDER must be set with PLAN_BANK')
    expect(refusal({ ...PLAN_ACCOUNT, PLAN_BANK: '' })).to.equal(
      'setting PLAN_BANK must be set with PLAN_ACCOUNT and PLAN_HOLDER',
    )
  })

  it('treat an empty text as not set', () => {
    expect(readSettings({ PORT: '', ADMIN_PASSWORD: ' ' })).to.deep.include({ port: 8080, adminPassword: undefined })
    expect(readSettings({ ADMIN_PASSWORD: ' blank before' }).adminPassword).to.equal(' blank before')
  })

  it('do not contain the line break of a file that was written on Windows', () => {
    const given = {
      PORT: '9000',
      DATABASE_URL: 'postgres://baoco@db/baoco',
      DATABASE_PASSWORD: 'p@ssword',
      SMTP_URL: 'smtp://shop@mail.example',
      SMTP_PASSWORD: 'p@ssword',
      ADMIN_PASSWORD: 'correct horse ',
      VAULT_KEY: `${KEY},${KEY}`,
      KAFKA_SASL: 'plain:baoco:p@ssword',
      METRICS_TOKEN: 'x'.repeat(16),
    }
    const read = (end: string) =>
      readSettings({
        JWT_SECRET: SECRET,
        ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value + end])),
      })
    expect(read('\r')).to.deep.equal(read(''))
  })

  it('keep a JWT_SECRET as it is, because another one ends every login', () => {
    expect(readSettings({ JWT_SECRET: `${SECRET}\r` }).jwtSecret).to.equal(`${SECRET}\r`)
  })

  it('accept a data folder with the name ~ if Baoco has used it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'baoco-settings-'))
    const before = process.cwd()
    try {
      process.chdir(folder)
      expect(refusal({ BAOCO_DATA_DIR: '~/baoco' })).to.equal(
        'setting BAOCO_DATA_DIR must be a path without ~ or $ at its beginning: only a shell replaces them',
      )
      mkdirSync('~/baoco/postgres', { recursive: true })
      expect(readSettings({ BAOCO_DATA_DIR: '~/baoco' }).dataDir).to.equal(resolve('~/baoco'))
      // Beside an external Postgres, it has no files of the embedded one.
      mkdirSync('$HOME/baoco', { recursive: true })
      writeFileSync('$HOME/baoco/store-memory', '{}')
      expect(readSettings({ BAOCO_DATA_DIR: '$HOME/baoco' }).dataDir).to.equal(resolve('$HOME/baoco'))
    } finally {
      process.chdir(before)
      rmSync(folder, { recursive: true })
    }
  })

  it('never repeat an invalid secret in the error', () => {
    for (const name of ['JWT_SECRET', 'VAULT_KEY', 'ADMIN_PASSWORD', 'KAFKA_SASL', 'DATABASE_URL', 'SMTP_URL']) {
      expect(refusal({ [name]: 'hunter-2' }))
        .to.include(name)
        .and.not.include('hunter')
    }
  })

  it('say for every invalid value which values are accepted', () => {
    const refused = Object.values(SETTINGS).flatMap(({ env }) => {
      try {
        readSettings({ ...PLAN_ACCOUNT, [env]: '\u1ef7 {' })
        return []
      } catch (error) {
        return [[env, (error as Error).message] as const]
      }
    })
    expect(refused.length).to.be.greaterThan(30)
    for (const [env, message] of refused) expect(message).to.match(new RegExp(`^setting ${env} must (?!be set with)`))
    expect(refusal({ ADMIN_LANGUAGE: 'fr' })).to.equal('setting ADMIN_LANGUAGE must be vi or en')
  })

  it('refuse an unknown BAOCO_ name, and report all errors at once', () => {
    expect(refusal({ BAOCO_DATADIR: '/x' })).to.equal('unknown setting BAOCO_DATADIR')
    expect(refusal({ BAOCO_X: '1', PORT: 'x' }))
      .to.include('BAOCO_X')
      .and.include('PORT')
  })

  it('require the secrets if the database is a server', () => {
    const DATABASE_URL = 'postgres://baoco:pw@db/baoco'
    expect(refusal({ DATABASE_URL })).to.equal('setting JWT_SECRET and VAULT_KEY must be set with DATABASE_URL')
    expect(refusal({ DATABASE_URL, JWT_SECRET: SECRET })).to.equal('setting VAULT_KEY must be set with DATABASE_URL')
    expect(readSettings({ DATABASE_URL, JWT_SECRET: SECRET, VAULT_KEY: KEY }).databaseUrl).to.equal(DATABASE_URL)
  })

  it('accept the URL of an EventStoreDB or a cluster if the secrets are set', () => {
    const EVENTSTORE_URL = 'esdb://admin:changeit@a:2113,b:2113,c:2113?nodePreference=leader'
    expect(refusal({ EVENTSTORE_URL })).to.equal('setting JWT_SECRET and VAULT_KEY must be set with EVENTSTORE_URL')
    const settings = readSettings({ EVENTSTORE_URL, JWT_SECRET: SECRET, VAULT_KEY: KEY })
    expect(settings).to.include({ eventStoreUrl: EVENTSTORE_URL, eventStorePrefix: 'baoco.' })
    expect(configLines(settings).join('\n')).to.include('esdb://admin:***@a:2113').and.not.include('changeit')
    for (const url of [
      'kurrentdb://admin:changeit@a:2113,b:2113',
      'kurrentdb+discover://a.example',
      'esdb+discover://a',
    ])
      expect(readSettings({ EVENTSTORE_URL: url, JWT_SECRET: SECRET, VAULT_KEY: KEY }).eventStoreUrl).to.equal(url)
    for (const url of ['http://localhost:2113', 'esdb://a?tlss=true', 'esdb://a?tlsVerifyCert=false'])
      expect(refusal({ EVENTSTORE_URL: url })).to.match(/^setting EVENTSTORE_URL /)
  })

  it('refuse an invalid EVENTSTORE_PREFIX', () => {
    for (const EVENTSTORE_PREFIX of ['$baoco.', 'with blank', 'dấu'])
      expect(refusal({ EVENTSTORE_PREFIX }), EVENTSTORE_PREFIX).to.include('EVENTSTORE_PREFIX')
  })

  it('are printed without their secrets', () => {
    const lines = configLines(
      readSettings({
        DATABASE_URL: 'postgres://baoco:p@hunter2@db/baoco',
        JWT_SECRET: SECRET,
        VAULT_KEY: KEY,
        ADMIN_PASSWORD: 'correct horse',
        SMTP_URL: 'smtps://mail%40shop.vn:hunter2@mail.example:465?from=shop@example.com',
      }),
    )
    expect(lines).to.include.members([
      'DATABASE_URL=postgres://baoco:***@db/baoco',
      'PORT=8080',
      'RATE_LIMITS=login=10/60,reset=10/60,forgot=5/300,register=10/3600,resend=3/600,withdraw=5/3600,links=30/3600,bank=10/600,receive=60/60,demo=20/60,inbox=120/60',
    ])
    for (const secret of ['hunter2', SECRET, KEY, 'correct horse']) expect(lines.join('\n')).to.not.include(secret)
    expect(lines).to.have.length(allSettings.length)
  })

  describe('that may contain a secret', () => {
    const GIVEN: Record<string, string> = {
      DATABASE_URL: 'postgres://baoco:hunter2@db/baoco',
      DATABASE_PASSWORD: ' hunter2 / @ # % $ : ',
      EVENTSTORE_URL: 'esdb://admin:hunter2@a:2113',
      EVENTSTORE_PASSWORD: 'hunter2/@#%$:',
      KAFKA_SASL: 'plain:baoco:hunter2',
      SMTP_URL: 'smtps://shop:hunter2@mail.example',
      SMTP_PASSWORD: 'hunter2:/@',
      ADMIN_PASSWORD: 'hunter2 hunter2',
      JWT_SECRET: 'hunter2'.repeat(5),
      VAULT_KEY: KEY,
      METRICS_TOKEN: 'hunter2hunter2hunter2',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2',
    }
    let folder: string
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'baoco-settings-'))))
    afterEach(() => rmSync(folder, { recursive: true }))
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content, { mode: 0o600 })
      return join(folder, name)
    }

    it('are all those that are hidden and all URLs of servers', () => {
      const from = allSettings.filter(({ fromFile }) => fromFile)
      expect(from.map(({ env }) => env)).to.have.members(Object.keys(GIVEN))
      const hidden = Object.values(SETTINGS).filter((one) => 'secret' in one || /_(URL|SASL)$/.test(one.env))
      expect(hidden.map(({ env }) => env).filter((name) => name !== 'BASE_URL')).to.have.members(Object.keys(GIVEN))
    })

    it('can each be given as a file, whose last line break does not count', () => {
      const files = Object.entries(GIVEN).map(([name, value]) => [`${name}_FILE`, file(name, `${value}\n`)])
      expect(readSettings(Object.fromEntries(files))).to.deep.equal(readSettings(GIVEN))
    })

    it('are refused if both are given, or if the file is bad, in one sentence without path and content', () => {
      for (const [name, value] of Object.entries(GIVEN)) {
        const path = file(name, value)
        expect(refusal({ ...GIVEN, [`${name}_FILE`]: path })).to.equal(
          `setting ${name} and ${name}_FILE are both set: unset one of them`,
        )
        const others = Object.fromEntries(Object.entries(GIVEN).filter(([other]) => other !== name))
        for (const hunter2 of [join(folder, 'hunter2'), 'hunter2'])
          expect(refusal({ ...others, [`${name}_FILE`]: hunter2 })).to.match(
            new RegExp(
              `^setting ${name}_FILE names a file that does not exist(; setting [A-Z_ ]+ must be set with [A-Z_]+)?$`,
            ),
          )
      }
      const short = { JWT_SECRET_FILE: file('short', 'hunter2\n') }
      expect(refusal(short)).to.equal('setting JWT_SECRET must have at least 32 bytes')
    })

    it('are never printed, wherever they come from', () => {
      const files = Object.entries(GIVEN).map(([name, value]) => [`${name}_FILE`, file(name, value)])
      const lines = configLines(readSettings(Object.fromEntries(files))).join('\n')
      expect(lines).to.include('JWT_SECRET=(set, hidden)').and.include('DATABASE_URL=postgres://baoco:***@db/baoco')
      expect(lines).to.not.include('hunter2').and.not.include(folder)
    })

    it('contain the password that is given beside the URL', () => {
      const secrets = { JWT_SECRET: SECRET, VAULT_KEY: KEY }
      const password = ' / @ # % $ : '
      const settings = readSettings({
        ...secrets,
        DATABASE_URL: 'postgres://baoco@db/baoco',
        DATABASE_PASSWORD: password,
        EVENTSTORE_URL: 'esdb://admin@a:2113',
        EVENTSTORE_PASSWORD_FILE: file('eventstore', password),
        SMTP_URL: 'smtp://shop@mail.example',
        SMTP_PASSWORD: password,
      })
      expect(settings).to.include({
        databaseUrl: 'postgres://baoco:%20%2F%20%40%20%23%20%25%20%24%20%3A%20@db/baoco',
        eventStoreUrl: 'esdb://admin:%20%2F%20%40%20%23%20%25%20%24%20%3A%20@a:2113',
        smtpUrl: 'smtp://shop:%20%2F%20%40%20%23%20%25%20%24%20%3A%20@mail.example',
      })
      expect(refusal({ ...secrets, DATABASE_URL: 'postgres://db/baoco', DATABASE_PASSWORD: 'hunter2' })).to.equal(
        'setting DATABASE_PASSWORD needs a user in DATABASE_URL, as in …://user@host',
      )
      // A file for one of them may be shared by installations without that server.
      expect(readSettings({ DATABASE_PASSWORD: 'hunter2' }).databaseUrl).to.equal(undefined)
    })
  })
})
