// Tests: tests/unit/cmd/settings/settings.test.ts
/**
 * All settings: the environment variable, the default and the description of each.
 * `baoco --help` and `baoco config` are generated from this table.
 */
import { z } from 'zod'
import * as text from './setting-text.ts'

export interface Setting<Value> {
  env: string
  /** Parses the text of the environment variable. */
  schema: z.ZodType<Value, string>
  description: string
  /** The text used if the variable is not set; undefined: the setting then has no value. */
  fallback?: string
  /** The value is never shown. */
  secret?: true
  /** Also read from the file that `<env>_FILE` names, as the value is or may contain a secret. */
  fromFile?: true
  /** The setting with the password of this URL. */
  passwordIn?: string
}

const setting = <Value>(env: string, fallback: string, schema: z.ZodType<Value, string>, description: string) =>
  ({ env, fallback, schema, description }) satisfies Setting<Value>

const optional = <Value>(env: string, schema: z.ZodType<Value, string>, description: string) =>
  ({ env, schema: schema as z.ZodType<Value | undefined, string>, description }) satisfies Setting<Value | undefined>

/** A server whose URL may contain a password. */
const server = (env: string, passwordIn: string, schema: z.ZodType<string, string>, description: string) =>
  ({ ...optional(env, schema, description), fromFile: true as const, passwordIn }) satisfies Setting<string | undefined>

const secret = <Value>(env: string, schema: z.ZodType<Value, string>, description: string) =>
  ({ ...optional(env, schema, description), secret: true as const, fromFile: true as const }) satisfies Setting<
    Value | undefined
  >

export const SETTINGS = {
  port: setting('PORT', '8080', text.port, 'port of the API and the dashboard'),
  baseUrl: optional('BASE_URL', text.publicAddress, 'public address; default http://localhost:PORT'),
  dataDir: setting(
    'BAOCO_DATA_DIR',
    '.baoco',
    text.folder,
    'data folder for the embedded database and generated secrets',
  ),
  databaseUrl: server(
    'DATABASE_URL',
    'DATABASE_PASSWORD',
    text.databaseUrl,
    'Postgres 15 or later; default: the embedded server',
  ),
  databasePassword: secret('DATABASE_PASSWORD', z.string(), 'the password, if DATABASE_URL contains none'),
  databaseDiskGb: optional(
    'DATABASE_DISK_GB',
    text.gigabytes,
    'disk size of the server of DATABASE_URL in GB (2^30 bytes), for alerts when it is nearly full; not set: no alerts',
  ),
  eventStoreUrl: server('EVENTSTORE_URL', 'EVENTSTORE_PASSWORD', text.eventStoreUrl, 'EventStoreDB; not set: Postgres'),
  eventStorePassword: secret('EVENTSTORE_PASSWORD', z.string(), 'the password, if EVENTSTORE_URL contains none'),
  eventStorePrefix: setting(
    'EVENTSTORE_PREFIX',
    'baoco.',
    text.streamPrefix,
    'prefix of the names of all streams in EventStoreDB; ends in . or -',
  ),
  kafkaBrokers: optional('KAFKA_BROKERS', text.hostPorts, 'host:port, comma separated; default: the embedded log'),
  kafkaTopic: setting('KAFKA_TOPIC', 'baoco.transactions', text.kafkaTopic, 'topic of the transaction events'),
  kafkaSsl: setting('KAFKA_SSL', '0', text.flag, 'TLS to the brokers: 0 or 1'),
  kafkaSasl: secret(
    'KAFKA_SASL',
    text.kafkaSasl,
    'mechanism:user:password, mechanism plain, scram-sha-256 or scram-sha-512',
  ),
  kafkaPersonalData: setting(
    'KAFKA_PERSONAL_DATA',
    '0',
    text.flag,
    '1 adds account numbers and the name of the other party to the topic',
  ),
  smtpUrl: server(
    'SMTP_URL',
    'SMTP_PASSWORD',
    text.smtpUrl,
    'mail server, smtp(s)://user:password@host:port?from=sender; not set: mails go to the outbox',
  ),
  smtpPassword: secret('SMTP_PASSWORD', z.string(), 'the password, if SMTP_URL contains none'),
  adminEmail: setting('ADMIN_EMAIL', 'owner@baoco.local', text.email, 'email of the operator, the first account'),
  adminLanguage: setting(
    'ADMIN_LANGUAGE',
    'vi',
    text.language,
    'language of the first account and of the greeting: vi or en',
  ),
  adminPassword: secret(
    'ADMIN_PASSWORD',
    text.password,
    'password of the first account, used only at the first start; not set: generated and printed',
  ),
  jwtSecret: secret(
    'JWT_SECRET',
    text.jwtSecret,
    'signs logins, 32 bytes or more; not set: generated once (embedded database only)',
  ),
  vaultKey: secret(
    'VAULT_KEY',
    text.vaultKeys,
    '64 hexadecimal characters; older keys after it, comma separated; not set: generated once (embedded database only)',
  ),
  lostVaultKey: optional(
    'LOST_VAULT_KEY',
    text.vaultKeyId,
    'id of a lost vault key: lets Baoco start without it; the message of a refused start names it',
  ),
  allowPrivateTargets: setting(
    'ALLOW_PRIVATE_TARGETS',
    '0',
    text.flag,
    '1 allows webhooks to private addresses and over plain HTTP',
  ),
  retrySchedule: setting(
    'RETRY_SCHEDULE',
    '60,300,1800,7200,28800,86400',
    text.seconds,
    'seconds before each retry, comma separated',
  ),
  rateLimits: setting(
    'RATE_LIMITS',
    '',
    text.rateLimits,
    `off, or name=requests/seconds, comma separated: ${text.RATE_LIMIT_NAMES.join(' ')}`,
  ),
  abusePerHour: setting(
    'ABUSE_PER_HOUR',
    '1000',
    text.whole(1, text.LARGEST_COUNT),
    'requests per hour; an account that exceeds this number is locked',
  ),
  abusePolls: setting(
    'ABUSE_POLLS',
    '20',
    text.whole(1, text.LARGEST_COUNT),
    'consecutive equal polls less than 30 s apart; an account that reaches this number is locked',
  ),
  abuseParallel: setting(
    'ABUSE_PARALLEL',
    '20',
    text.whole(1, text.LARGEST_COUNT),
    'parallel requests; an account that exceeds this number repeatedly is locked',
  ),
  overQuotaDelay: setting(
    'OVER_QUOTA_DELAY',
    '900',
    text.whole(0, text.DAYS_30),
    'seconds by which a delivery over the quota is delayed',
  ),
  planPrefix: setting('PLAN_PREFIX', 'BC', text.prefix, "prefix of the operator's own plan orders"),
  planBank: optional(
    'PLAN_BANK',
    text.bankOfTransfers,
    'bank code of the account for plan payments, set together with PLAN_ACCOUNT and PLAN_HOLDER',
  ),
  planAccount: optional('PLAN_ACCOUNT', text.accountNumber, 'number of the account for plan payments'),
  planHolder: optional('PLAN_HOLDER', z.string(), 'holder of the account for plan payments'),
  commission: setting('COMMISSION', '20', text.percent, "commission, in percent of a referred account's plan payment"),
  reparseMaxAge: setting(
    'REPARSE_MAX_AGE',
    '86400',
    text.whole(0, text.YEARS_50),
    'seconds; an older notification is recorded, but sends no webhook automatically',
  ),
  keepUnread: setting(
    'KEEP_UNREAD',
    '31536000',
    text.whole(1, text.YEARS_50),
    'seconds for which an unparsed notification is kept',
  ),
  scavengeAt: setting(
    'SCAVENGE_AT',
    '03:30',
    text.timeOfDay,
    'time of day (Asia/Ho_Chi_Minh) of the scheduled EventStoreDB scavenge',
  ),
  idSkip: setting(
    'ID_SKIP',
    '0',
    text.whole(0, 1_000_000_000_000),
    'number of ids to skip once, if an old backup was restored and nothing remembers newer ids',
  ),
  trustProxy: setting(
    'TRUST_PROXY',
    '0',
    text.whole(0, 100),
    'number of trusted reverse proxies that set X-Forwarded-*',
  ),
  windowMegabytes: setting(
    'WINDOW_MEGABYTES',
    '150',
    text.whole(1, 1_000_000),
    'megabytes of memory in each process for deduplication windows; each notification of the last seven days takes about 300 bytes',
  ),
  internalAddress: optional(
    'INTERNAL_ADDRESS',
    text.internalAddress,
    'host or host:port at which other receiving processes reach this machine, or off; default: its address as seen by Postgres',
  ),
  logLevel: setting('LOG_LEVEL', 'info', text.logLevel, 'trace, debug, info, warn, error, fatal or silent'),
  metricsPort: optional('METRICS_PORT', text.port, 'separate port for /metrics, /healthz and /readyz; default: PORT'),
  metricsToken: secret(
    'METRICS_TOKEN',
    text.metricsToken,
    'bearer token for /metrics; without it, /metrics on PORT answers only to this machine',
  ),
  otlpEndpoint: optional(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    text.collector,
    'OpenTelemetry collector (OTLP over HTTP) that receives traces, such as http://localhost:4318',
  ),
  otlpHeaders: secret(
    'OTEL_EXPORTER_OTLP_HEADERS',
    text.headers,
    'headers for the collector: name=value, comma separated',
  ),
  otlpServiceName: setting('OTEL_SERVICE_NAME', 'baoco', z.string(), 'name of this installation in its traces'),
  otlpDisabled: setting('OTEL_SDK_DISABLED', '0', text.flag, '1 sends no traces'),
} as const
