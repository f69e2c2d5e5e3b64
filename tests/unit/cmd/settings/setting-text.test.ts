import { expect } from 'chai'
import { readSettings } from '../../../../cmd/settings/settings.ts'
import { refusal } from '../../../harness/settings-refusal.ts'

const KEY = '0123456789abcdef'.repeat(4)

describe('the texts of settings', () => {
  for (const [name, bad] of [
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80 80'],
    ['BASE_URL', 'pay.example.vn'],
    ['BASE_URL', 'ftp://pay.example.vn'],
    ['BASE_URL', 'https://pay.example.vn/?a=1'],
    ['BASE_URL', 'https://pay.example.vn/?'],
    ['BASE_URL', 'https://pay.example.vn/#a'],
    ['BASE_URL', 'https://user:pw@pay.example.vn'],
    ['BASE_URL', 'https://user@pay.example.vn'],
    ['DATABASE_URL', 'mysql://localhost'],
    ['DATABASE_DISK_GB', '0'],
    ['DATABASE_DISK_GB', '50 GB'],
    // The disk of the embedded database is measured.
    ['DATABASE_DISK_GB', '50'],
    ['ADMIN_EMAIL', 'owner'],
    ['ADMIN_LANGUAGE', 'de'],
    ['ADMIN_PASSWORD', 'too-short'],
    ['JWT_SECRET', 'x'.repeat(31)],
    ['VAULT_KEY', 'x'.repeat(64)],
    ['VAULT_KEY', KEY.slice(1)],
    ['ALLOW_PRIVATE_TARGETS', 'yes'],
    ['RETRY_SCHEDULE', '60,soon'],
    ['RETRY_SCHEDULE', '60,-1'],
    ['RETRY_SCHEDULE', '60,9999999999999'],
    ['RETRY_SCHEDULE', '60,2592000.5'],
    ['RATE_LIMITS', 'logins=1/1'],
    ['RATE_LIMITS', 'constructor=1/1'],
    ['RATE_LIMITS', 'login=0/60'],
    ['RATE_LIMITS', 'none'],
    ['RATE_LIMITS', 'login=5/1209601'],
    ['ABUSE_PER_HOUR', '0'],
    ['ABUSE_PER_HOUR', '2147483648'],
    ['ABUSE_POLLS', '2147483648'],
    ['ABUSE_PARALLEL', '2147483648'],
    ['OVER_QUOTA_DELAY', '1.5'],
    ['OVER_QUOTA_DELAY', '2592001'],
    ['REPARSE_MAX_AGE', '999999999999999'],
    ['KEEP_UNREAD', '999999999999999'],
    ['PLAN_PREFIX', 'B'],
    ['PLAN_PREFIX', 'sd'],
    ['COMMISSION', '101'],
    ['SCAVENGE_AT', '24:00'],
    ['ID_SKIP', '-1'],
    ['ID_SKIP', '999999999999999'],
    ['WINDOW_MEGABYTES', '999999999999999'],
    ['TRUST_PROXY', '999999999999999'],
    ['TRUST_PROXY', 'true'],
    ['LOG_LEVEL', 'loud'],
    ['METRICS_PORT', 'x'],
    ['INTERNAL_ADDRESS', 'http://10.0.0.5'],
    ['INTERNAL_ADDRESS', '10.0.0.5:70000'],
    ['INTERNAL_ADDRESS', '0.0.0.0'],
    ['INTERNAL_ADDRESS', '[::]:7400'],
    ['SMTP_URL', 'smtp://shop:50%@mail.example'],
    ['SMTP_URL', 'smtps://sh%op@mail.example'],
    ['KAFKA_SASL', 'plain:user'],
    ['KAFKA_BROKERS', 'kafka-1,kafka-2:9092'],
    ['KAFKA_BROKERS', 'http://kafka:9092'],
    ['KAFKA_BROKERS', 'kafka-1:9092,kafka-2:92092'],
    ['KAFKA_BROKERS', 'kafka-1:0'],
    ['KAFKA_BROKERS', 'kafka-1:9092;kafka-2:9092'],
    // The client takes everything before the first colon as the host.
    ['KAFKA_BROKERS', '[2001:db8::5]:9092'],
    ['KAFKA_BROKERS', '::1:9092'],
    ['BAOCO_DATA_DIR', '~'],
    ['BAOCO_DATA_DIR', '~/baoco'],
    ['BAOCO_DATA_DIR', '$HOME/baoco'],
    ['BAOCO_DATA_DIR', '${HOME}/baoco'],
    ['KAFKA_TOPIC', 'money in'],
    ['KAFKA_TOPIC', '..'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:password@collector:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=c'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=%'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=x%0D%0Ay'],
    ['OTEL_SDK_DISABLED', 'yes'],
  ] as const) {
    it(`refuse ${name}=${bad} with one line that names the setting`, () => {
      const message = refusal({ [name]: bad })
      expect(message)
        .to.match(new RegExp(`^setting ${name} must `))
        .and.not.include('\n')
    })
  }

  it('accept the longest delays, and a public address with a path', () => {
    expect(readSettings({ RETRY_SCHEDULE: '1,2592000', OVER_QUOTA_DELAY: '2592000' })).to.deep.include({
      retrySchedule: [1, 2_592_000],
      overQuotaDelay: 2_592_000,
    })
    expect(readSettings({ BASE_URL: 'https://x.vn:8443/baoco/' }).baseUrl).to.equal('https://x.vn:8443/baoco')
  })

  it('name the bound in the error', () => {
    expect(refusal({ RETRY_SCHEDULE: '60,2592001' })).to.equal(
      'setting RETRY_SCHEDULE must be seconds of at most 2592000 (30 days) each',
    )
    expect(refusal({ ABUSE_POLLS: '0' })).to.equal('setting ABUSE_POLLS must be a whole number from 1 to 1000000000')
    expect(refusal({ BASE_URL: 'https://user:pw@x.vn' })).to.equal(
      'setting BASE_URL must not contain a query, a fragment, a user or a password',
    )
  })

  it('name several hosts of DATABASE_URL, which the driver does not support', () => {
    for (const bad of ['a:5432,b:5433/baoco', 'a,b/baoco', 'user:p@ss,word@a,b:5432', '/baoco?host=a,b'])
      expect(refusal({ DATABASE_URL: `postgres://${bad}` }), bad).to.equal(
        'setting DATABASE_URL must name one host: several are not supported',
      )
    const secrets = { JWT_SECRET: 'x'.repeat(32), VAULT_KEY: KEY }
    for (const good of ['user:p,w@a/baoco', 'user:p@ss,word@a:5432', 'a/b,c?application_name=d,e'])
      expect(readSettings({ ...secrets, DATABASE_URL: `postgres://${good}` }).databaseUrl).to.contain(good)
  })

  it('name a DATABASE_URL whose mode needs an authority, if it has none', () => {
    const of = (options: string) => `postgres://baoco@db/baoco?uselibpqcompat=true&sslmode=${options}`
    expect(refusal({ DATABASE_URL: of('verify-ca') })).to.equal(
      'setting DATABASE_URL must name sslrootcert, which sslmode=verify-ca needs',
    )
    const secrets = { JWT_SECRET: 'x'.repeat(32), VAULT_KEY: KEY }
    for (const good of ['verify-ca&sslrootcert=ca.pem', 'verify-full', 'require'])
      expect(readSettings({ ...secrets, DATABASE_URL: of(good) }).databaseUrl).to.equal(of(good))
  })
})
