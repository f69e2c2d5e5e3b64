/**
 * All settings: the environment variable, the default and the description of each. They are read and checked once, at the start.
 * `baoco --help`, `baoco config` and the documentation are generated from this table.
 */
import { resolve } from 'node:path'
import { z } from 'zod'
import { language } from '../../domain/account/language.ts'
import { readSecretFile } from './secret-file.ts'
import * as text from './setting-text.ts'
import { withPassword } from './url-password.ts'

interface Setting<Value> {
  env: string
  /** Parses the text of the environment variable. */
  schema: z.ZodType<Value, string>
  description: string
  /** The text used if the variable is not set; undefined: the setting then has no value. */
  fallback?: string
  /** Never shown. */
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
  baseUrl: optional('BASE_URL', text.url('http', 'https'), 'public address; default http://localhost:PORT'),
  dataDir: setting(
    'BAOCO_DATA_DIR',
    '.baoco',
    z.string(),
    'data folder for the embedded database and generated secrets',
  ),
  databaseUrl: server(
    'DATABASE_URL',
    'DATABASE_PASSWORD',
    text.url('postgres', 'postgresql'),
    'Postgres 15 or later; default: the embedded server',
  ),
  databasePassword: secret('DATABASE_PASSWORD', z.string(), 'the password, if DATABASE_URL contains none'),
  eventStoreUrl: server('EVENTSTORE_URL', 'EVENTSTORE_PASSWORD', text.eventStoreUrl, 'EventStoreDB; not set: Postgres'),
  eventStorePassword: secret('EVENTSTORE_PASSWORD', z.string(), 'the password, if EVENTSTORE_URL contains none'),
  eventStorePrefix: setting(
    'EVENTSTORE_PREFIX',
    'baoco.',
    text.streamPrefix,
    "stands before every stream's name there; ends in . or -",
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
    text.url('smtp', 'smtps'),
    'mail server, smtp(s)://user:password@host:port?from=sender; not set: mails go to the outbox',
  ),
  smtpPassword: secret('SMTP_PASSWORD', z.string(), 'the password, if SMTP_URL contains none'),
  adminEmail: setting('ADMIN_EMAIL', 'owner@baoco.local', text.email, 'email of the operator, the first account'),
  adminLanguage: setting(
    'ADMIN_LANGUAGE',
    'vi',
    language,
    'language of the first account and of the greeting: vi or en',
  ),
  adminPassword: secret(
    'ADMIN_PASSWORD',
    text.password,
    "the first account's, at the first start only; not set: made and printed",
  ),
  jwtSecret: secret(
    'JWT_SECRET',
    text.jwtSecret,
    'signs logins, 32 bytes or more; not set: made once (embedded database only)',
  ),
  vaultKey: secret(
    'VAULT_KEY',
    text.vaultKeys,
    '64 hexadecimal characters; older keys after it, comma separated; not set: made once (embedded database only)',
  ),
  allowPrivateTargets: setting(
    'ALLOW_PRIVATE_TARGETS',
    '0',
    text.flag,
    '1 lets webhooks go to private addresses and by HTTP',
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
    text.whole(1),
    'requests per hour; an account that exceeds them is locked',
  ),
  abusePolls: setting(
    'ABUSE_POLLS',
    '20',
    text.whole(1),
    'consecutive equal polls less than 30 s apart; an account that reaches them is locked',
  ),
  abuseParallel: setting(
    'ABUSE_PARALLEL',
    '20',
    text.whole(1),
    'parallel requests; an account that exceeds them repeatedly is locked',
  ),
  overQuotaDelay: setting(
    'OVER_QUOTA_DELAY',
    '900',
    text.whole(0),
    'seconds by which a delivery over the quota is delayed',
  ),
  planPrefix: setting('PLAN_PREFIX', 'BC', text.prefix, "prefix of the operator's own plan orders"),
  planBank: optional('PLAN_BANK', text.bankOfTransfers, 'bank code of the account for plan payments'),
  planAccount: optional('PLAN_ACCOUNT', text.accountNumber, 'number of that account'),
  planHolder: optional('PLAN_HOLDER', z.string(), 'holder of that account'),
  commission: setting('COMMISSION', '20', text.percent, "per cent of a referred account's plan payment"),
  reparseMaxAge: setting(
    'REPARSE_MAX_AGE',
    '86400',
    text.whole(0),
    'seconds; an older notification is recorded, but sends no webhook by itself',
  ),
  keepUnread: setting('KEEP_UNREAD', '31536000', text.whole(1), 'seconds for which an unparsed notification is kept'),
  scavengeAt: setting(
    'SCAVENGE_AT',
    '03:30',
    text.timeOfDay,
    'time of day (Asia/Ho_Chi_Minh) of the scheduled EventStoreDB scavenge',
  ),
  idSkip: setting(
    'ID_SKIP',
    '0',
    text.whole(0),
    'number of ids to skip once, if an old backup was restored and nothing remembers newer ids',
  ),
  trustProxy: setting('TRUST_PROXY', '0', text.whole(0), 'number of trusted reverse proxies that set X-Forwarded-*'),
  windowMegabytes: setting(
    'WINDOW_MEGABYTES',
    '150',
    text.whole(1),
    'memory of a process for deduplication windows; each notification of the last seven days takes about 300 bytes',
  ),
  internalAddress: optional(
    'INTERNAL_ADDRESS',
    text.internalAddress,
    'host or host:port of this machine on which processes that receive reach each other; off; default: its address towards Postgres',
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
  otlpHeaders: secret('OTEL_EXPORTER_OTLP_HEADERS', text.headers, 'headers for it: name=value, comma separated'),
  otlpServiceName: setting('OTEL_SERVICE_NAME', 'baoco', z.string(), 'name of this installation in its traces'),
  otlpDisabled: setting('OTEL_SDK_DISABLED', '0', text.flag, '1 sends no traces'),
} as const

type Read = { [Key in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[Key]['schema']> }

/** `dataDir` is absolute. `baseUrl` has no trailing slash. */
export type Settings = Readonly<Omit<Read, 'baseUrl'> & { baseUrl: string }>

/** Invalid settings, which prevent the start. The message is one line that names the settings and never shows a secret. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}

const entries = Object.entries(SETTINGS) as [keyof typeof SETTINGS, Setting<unknown>][]

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The text of a setting, from the environment or from the file that `<env>_FILE` names; undefined if it is not set.
 * @throws an error whose message continues "setting "
 */
const textOf = ({ env: name, secret, fromFile }: Setting<unknown>, env: Environment): string | undefined => {
  // Secrets are not trimmed, because a password may begin with a blank.
  const given = (env[name]?.trim() && (secret ? env[name] : env[name].trim())) || undefined
  const file = fromFile && env[`${name}_FILE`]?.trim()
  if (!file) return given
  if (given !== undefined) throw new Error(`${name} and ${name}_FILE are both set: unset one of them`)
  const { content, problem } = readSecretFile(file)
  if (problem !== undefined) throw new Error(`${name}_FILE ${problem}`)
  return secret ? content : content.trim()
}

/** The text of a setting; a URL contains its password. @throws as `textOf` */
const wholeTextOf = (setting: Setting<unknown>, env: Environment): string | undefined => {
  const text = textOf(setting, env) ?? setting.fallback
  const [, holder] = entries.find(([, { env: name }]) => name === setting.passwordIn) ?? []
  const password = holder && textOf(holder, env)
  if (text === undefined || password === undefined) return text
  const url = withPassword(text, password)
  if (url === null) throw new Error(`${setting.passwordIn} needs a user in ${setting.env}, as in …://user@host`)
  return url
}

/**
 * @param env  the process's environment; an empty value counts as not set
 * @throws {SettingsError} for an invalid value, an unknown `BAOCO_…` variable, or a missing secret with external servers
 */
export const readSettings = (env: Environment): Settings => {
  const faults: string[] = []
  const known = new Set(entries.map(([, { env }]) => env))
  for (const name of Object.keys(env)) {
    if (name.startsWith('BAOCO_') && !known.has(name)) faults.push(`unknown setting ${name}`)
  }
  const read = entries.map(([key, setting]) => {
    try {
      const given = wholeTextOf(setting, env)
      if (given === undefined) return [key, undefined]
      const parsed = setting.schema.safeParse(given)
      if (!parsed.success) faults.push(`setting ${setting.env} ${parsed.error.issues[0]?.message ?? 'is not valid'}`)
      return [key, parsed.data]
    } catch (error) {
      faults.push(`setting ${(error as Error).message}`)
      return [key, undefined]
    }
  })
  if (faults.length > 0) throw new SettingsError([...new Set(faults)].join('; '))
  const settings = Object.fromEntries(read) as Read
  refuseGaps(settings)
  return {
    ...settings,
    dataDir: resolve(settings.dataDir),
    baseUrl: (settings.baseUrl ?? `http://localhost:${settings.port}`).replace(/\/+$/, ''),
  }
}

const refuseGaps = (settings: Read): void => {
  // Secrets generated in a data folder would differ between machines, and would be lost with the machine while the events stay.
  const server = settings.databaseUrl ? 'DATABASE_URL' : settings.eventStoreUrl ? 'EVENTSTORE_URL' : undefined
  const missing = [SETTINGS.jwtSecret, SETTINGS.vaultKey].filter(
    ({ env }) => settings[env === 'JWT_SECRET' ? 'jwtSecret' : 'vaultKey'] === undefined,
  )
  if (server && missing.length > 0) {
    throw new SettingsError(`setting ${missing.map(({ env }) => env).join(' and ')} must be set with ${server}`)
  }
}

/** A setting's line in `baoco --help`. */
export interface SettingLine {
  name: string
  default: string
  description: string
  /** Also read from the file that `<name>_FILE` names. */
  fromFile: boolean
}

export const settingLines = (): SettingLine[] =>
  entries.map(([, { env, fallback, description, fromFile }]) => ({
    name: env,
    default: fallback ?? '',
    description,
    fromFile: fromFile === true,
  }))
