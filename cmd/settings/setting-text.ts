/** Parses setting values from text. Every error message continues "setting NAME …" and never repeats the text. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod'
import type { RateLimitName, RateLimits } from '../../adapters/http/middleware/rate-limits.ts'
import { eventStoreUrlProblem } from '../../adapters/event-store/eventstoredb/url.ts'
import { isDataFolder } from '../../adapters/system/data-folder.ts'
import { decoded } from '../../adapters/system/percent-codes.ts'
import { isPrintedByBanks, normalPrefix, PAYMENT_PREFIX } from '../../domain/account/systems.ts'
import { language as languages } from '../../domain/account/language.ts'
import { binOf } from '../../domain/vietqr/bins.ts'

type Text<Value> = z.ZodType<Value, string>

const matching = (pattern: RegExp, message: string) => z.string().regex(pattern, message)

/** Seconds. Longer delays and ages are mistakes. They would not be a valid time or a valid interval of the database. */
export const DAYS_30 = 30 * 86_400
export const YEARS_50 = 50 * 365 * 86_400
/** The database counts in 32 bits. */
export const LARGEST_COUNT = 1_000_000_000

/** A whole number from `least` to `most`. */
export const whole = (least: number, most: number): Text<number> => {
  const message = `must be a whole number from ${least} to ${most}`
  return matching(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message)
}

export const gigabytes: Text<number> = matching(/^\d{1,7}(\.\d{1,3})?$/, 'must be a number such as 50 or 7.5')
  .transform(Number)
  .refine((value) => value > 0, 'must be more than 0')

const isPort = (value: number): boolean => value >= 1 && value <= 65_535

export const port: Text<number> = matching(/^\d{1,5}$/, 'must be a port: 1 to 65535')
  .transform(Number)
  .refine(isPort, 'must be a port: 1 to 65535')

export const flag: Text<boolean> = z
  .enum(['0', '1', 'false', 'true'], { error: 'must be 0 or 1' })
  .transform((value) => value === '1' || value === 'true')

/**
 * systemd and Docker pass `~` and `$HOME` on as they are. A folder that was made of them by mistake can still be used, also one beside an external
 * Postgres, or one that is being moved.
 */
export const folder: Text<string> = z
  .string()
  .refine(
    (value) => !/^(~|\$[a-z_{])/i.test(value) || existsSync(resolve(value)) || isDataFolder(resolve(value)),
    'must be a path without ~ or $ at its beginning: only a shell replaces them',
  )

/** An address with one of these schemes (without `:`). */
export const url = (...schemes: string[]): Text<string> =>
  z.string().refine(
    (value) => {
      const scheme = /^([a-z+]+):\/\/./.exec(value)?.[1]
      return scheme !== undefined && schemes.includes(scheme) && URL.canParse(value)
    },
    `must be an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  )

/** The hosts of a URL or of its option `host`, with a comma between them, as `psql` takes them. A comma before an @ is in the password. */
const SEVERAL_HOSTS = /^[a-z]+:\/\/(?:[^/?#]*@)?[^/?#@]*,[^/?#@]*(?:[/?#]|$)|[?&]host=[^&]*,/

/** The driver refuses such a URL at each connection. */
const lacksAuthority = (url: string): boolean =>
  ['uselibpqcompat=true', 'sslmode=verify-ca'].every((option) => new RegExp(`[?&]${option}(&|$)`).test(url)) &&
  !/[?&]sslrootcert=[^&]/.test(url)

export const databaseUrl: Text<string> = z
  .string()
  .refine((value) => !SEVERAL_HOSTS.test(value), 'must name one host: several are not supported')
  .refine((value) => !lacksAuthority(value), 'must name sslrootcert, which sslmode=verify-ca needs')
  .pipe(url('postgres', 'postgresql'))

/** Paths are appended to it, and it is printed and published. */
export const publicAddress: Text<string> = url('http', 'https').refine(
  (value) => !/[?#]/.test(value) && (!URL.canParse(value) || isWithoutUser(new URL(value))),
  'must not contain a query, a fragment, a user or a password',
)

const isWithoutUser = ({ username, password }: URL): boolean => username === '' && password === ''

export const smtpUrl: Text<string> = url('smtp', 'smtps').refine((value) => {
  if (!URL.canParse(value)) return true
  const { username, password } = new URL(value)
  return decoded(username) !== null && decoded(password) !== null
}, 'must percent-encode special characters in user and password (or set SMTP_PASSWORD)')

/** An `esdb://…` or `kurrentdb://…` URL. It may name several hosts. */
export const eventStoreUrl: Text<string> = z.string().superRefine((value, context) => {
  const problem = eventStoreUrlProblem(value)
  if (problem !== null) context.addIssue(problem)
})

const list: Text<string[]> = z
  .string()
  .transform((value) => value.split(',').map((item) => item.trim()))
  .refine((items) => items.every(Boolean), 'must be a comma separated list')

/** It is sent in a header without encoding. */
export const metricsToken: Text<string> = matching(
  /^[!-~]{16,200}$/,
  'must be 16 to 200 printable ASCII characters without spaces',
)

/** `off`, or an IP address or name with or without a port. Port 0 is any. */
export const internalAddress: Text<'off' | { host: string; port: number }> = matching(
  /^(?:[\w.-]{1,253}|\[[\da-fA-F:.]{2,45}\])(?::\d{1,5})?$/,
  'must be host or host:port, or off',
)
  .transform((value) => {
    const [, host = '', port = '0'] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(value) ?? []
    return value === 'off' ? value : { host, port: Number(port) }
  })
  .refine((address) => address === 'off' || address.port <= 65_535, 'must have a port of at most 65535')
  .refine(
    (address) => address === 'off' || !/^[0.:]+$/.test(address.host),
    'must be an address that other machines reach',
  )

/** A list of servers, each `host:port`. The Kafka client takes what precedes the first colon as the host. */
export const hostPorts: Text<string[]> = list
  .refine(
    (items) => items.every((item) => /^[^\s/:;]+:\d{1,5}$/.test(item)),
    'must be host:port, comma separated, with a name for a host that has only an IPv6 address',
  )
  .refine(
    (items) => items.every((item) => isPort(Number(item.slice(item.lastIndexOf(':') + 1)))),
    'must have ports from 1 to 65535',
  )

export const kafkaTopic: Text<string> = matching(
  /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/,
  'must be letters, digits, dots, dashes and underscores',
)

export const email: Text<string> = matching(/^[^\s@]+@[^\s@]+$/, 'must be an email address').transform((value) =>
  value.toLowerCase(),
)

export const password: Text<string> = z
  .string()
  .min(10, 'must have 10 to 200 characters')
  .max(200, 'must have 10 to 200 characters')

export const jwtSecret: Text<string> = z
  .string()
  .refine((value) => Buffer.byteLength(value) >= 32, 'must have at least 32 bytes')

/** The first key encrypts. All keys decrypt. */
export const vaultKeys: Text<string[]> = list.refine(
  (keys) => keys.every((key) => /^[0-9a-fA-F]{64}$/.test(key)),
  'must be 64 hexadecimal characters',
)

/** As `vault.ts` names a key in sealed texts. */
export const vaultKeyId: Text<string> = matching(
  /^[0-9a-f]{8}$/,
  'must be the 8 hexadecimal characters that a refused start prints',
)

export const seconds: Text<number[]> = list
  .refine((items) => items.every((item) => /^\d+(\.\d+)?$/.test(item)), 'must be seconds, comma separated')
  .transform((items) => items.map(Number))
  .refine((delays) => delays.every((delay) => delay <= DAYS_30), `must be seconds of at most ${DAYS_30} (30 days) each`)

export const prefix: Text<string> = matching(PAYMENT_PREFIX, 'must be 2 to 10 letters and digits')
  .transform(normalPrefix)
  .refine((value) => !isPrintedByBanks(value), 'must not be a word that banks print, such as TK, SD or ND')

export const percent: Text<number> = matching(/^\d{1,3}(\.\d{1,2})?\s*%?$/, 'must be a percentage: 0 to 100')
  .transform((value) => Number(value.replace('%', '')))
  .refine((value) => value <= 100, 'must be a percentage: 0 to 100')

/** Names that begin with $ are reserved by the server. */
export const streamPrefix: Text<string> = matching(
  /^(?!\$)[!-~]{1,100}$/,
  'must be 1 to 100 printable ASCII characters without spaces, the first not $',
)

export const timeOfDay: Text<string> = matching(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 03:30')

/** A language of accounts, with a message for the operator. */
export const language = z.enum(languages.options, { error: 'must be vi or en' }) satisfies Text<string>

export const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
  error: 'must be trace, debug, info, warn, error, fatal or silent',
}) satisfies Text<string>

export const kafkaSasl = matching(
  /^(plain|scram-sha-256|scram-sha-512):[^:]+:.+$/,
  'must be mechanism:user:password, the mechanism plain, scram-sha-256 or scram-sha-512',
).transform((value) => {
  const [mechanism = '', username = '', ...rest] = value.split(':')
  return { mechanism, username, password: rest.join(':') }
})

/** Defaults from the interface, section 8. `register` and other limits that it leaves open follow the decisions. */
const RATE_LIMITS: RateLimits = {
  login: { requests: 10, seconds: 60 },
  reset: { requests: 10, seconds: 60 },
  forgot: { requests: 5, seconds: 300 },
  register: { requests: 10, seconds: 3600 },
  resend: { requests: 3, seconds: 600 },
  withdraw: { requests: 5, seconds: 3600 },
  links: { requests: 30, seconds: 3600 },
  bank: { requests: 10, seconds: 600 },
  receive: { requests: 60, seconds: 60 },
  demo: { requests: 20, seconds: 60 },
  inbox: { requests: 120, seconds: 60 },
}

/** Seconds, 14 days. A timer cannot wait longer than 24 days. */
const LONGEST_WINDOW = 14 * 86_400

export const RATE_LIMIT_NAMES = Object.keys(RATE_LIMITS) as RateLimitName[]

/** `off`, or the limits to change. All other limits keep their defaults. */
export const rateLimits: Text<'off' | RateLimits> = z.string().transform((value, context) => {
  if (value === 'off') return value
  const limits = { ...RATE_LIMITS }
  for (const item of value.split(',').filter(Boolean)) {
    const [, name, requests, seconds] = /^\s*([a-z]+)=([1-9]\d{0,8})\/([1-9]\d{0,8})\s*$/.exec(item) ?? []
    if (name === undefined || !Object.hasOwn(RATE_LIMITS, name)) {
      context.addIssue(
        `must be off, or name=requests/seconds, comma separated, with the names ${RATE_LIMIT_NAMES.join(' ')}`,
      )
      return z.NEVER
    }
    if (Number(seconds) > LONGEST_WINDOW) {
      context.addIssue(`must have windows of at most ${LONGEST_WINDOW} seconds (14 days)`)
      return z.NEVER
    }
    limits[name as RateLimitName] = { requests: Number(requests), seconds: Number(seconds) }
  }
  return limits
})

/** The code of a bank that accepts QR transfers. */
export const bankOfTransfers: Text<string> = z
  .string()
  .transform((code) => code.toUpperCase())
  .refine((code) => binOf(code) !== null, 'must be the code of a bank that accepts transfers by QR code, such as VCB')

export const accountNumber: Text<string> = matching(/^[A-Za-z0-9]{1,19}$/, 'must be 1 to 19 digits or letters')

/** Credentials belong into its headers. */
export const collector: Text<string> = url('http', 'https').refine(
  (value) => !URL.canParse(value) || isWithoutUser(new URL(value)),
  'must not contain a user or a password',
)

/** As OpenTelemetry writes them: `name=value`, comma separated, values percent-encoded. */
export const headers: Text<Record<string, string>> = list
  .refine(
    (items) => items.every((item) => /^[\w!#$%&'*+.^`|~-]+\s*=\s*[!-~]+$/.test(item) && isEncoded(item)),
    'must be name=value, comma separated',
  )
  .transform((items) =>
    Object.fromEntries(
      items.map((item) => {
        const [name = '', ...value] = item.split('=')
        return [name.trim().toLowerCase(), decodeURIComponent(value.join('=').trim())]
      }),
    ),
  )

const isEncoded = (text: string): boolean => {
  const plain = decoded(text)
  return plain !== null && /^[\t -~]*$/.test(plain)
}
