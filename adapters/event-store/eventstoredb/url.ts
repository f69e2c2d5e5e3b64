// Tests: tests/unit/adapters/event-store/eventstoredb/url.test.ts
/**
 * Checks EVENTSTORE_URL and translates it for the client. If the client cannot read a URL, or does not know an option, it
 * prints the whole URL with the password. So it only gets URLs in which this file knows every option.
 */
import { decoded } from '../../system/percent-codes.ts'

const WHOLE = /^\d{1,9}$/
const POSITIVE = /^[1-9]\d{0,8}$/
/** -1: never. */
const KEEP_ALIVE = /^(-1|\d{1,9})$/
const FLAG = /^(true|false)$/
const TEXT = /^[^?&\s]+$/

/** The client's options and the format of their values. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  connectionName: TEXT,
  defaultDeadline: POSITIVE,
  discoveryInterval: WHOLE,
  dnsDiscover: FLAG,
  gossipTimeout: WHOLE,
  keepAliveInterval: KEEP_ALIVE,
  keepAliveTimeout: KEEP_ALIVE,
  maxDiscoverAttempts: WHOLE,
  nodePreference: /^(leader|follower|random|read[_-]?only[_-]?replica)$/i,
  throwOnAppendFailure: FLAG,
  tls: FLAG,
  tlsCAFile: TEXT,
  tlsVerifyCert: FLAG,
  userCertFile: TEXT,
  userKeyFile: TEXT,
}

/** The client compares names without case, `_` and `-`. */
const flat = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')
const NAMES = new Map(Object.keys(OPTIONS).map((name) => [flat(name), name]))

const HOST = String.raw`[\w.-]+(?::\d{1,5})?`
const URL_PARTS = new RegExp(
  String.raw`^(?:esdb|kurrentdb)(\+discover)?://(?:([^:@/?#\s]+:[^:@/?#\s]+)@)?(${HOST}(?:,${HOST})*)/?(?:\?([^#\s]+))?$`,
)

interface Parts {
  discover: string
  credentials: string | undefined
  hosts: string[]
  /** With the client's names. An unknown name stays as it is. */
  options: [name: string, value: string][]
}

const partsOf = (url: string): Parts | null => {
  const [whole, discover = '', credentials, hosts = '', query] = URL_PARTS.exec(url) ?? []
  if (whole === undefined) return null
  const options = (query?.split('&') ?? []).map((option): [string, string] => {
    const [name = '', value = ''] = option.split(/=(.*)/s)
    return [NAMES.get(flat(name)) ?? name, value]
  })
  return { discover, credentials, hosts: hosts.split(','), options }
}

const hasPossiblePort = (host: string): boolean => {
  const [, port] = host.split(':')
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)
}

/** @returns why the client cannot use the URL, or null if it can. The text continues "… must" and contains no part of the URL */
export const eventStoreUrlProblem = (url: string): string | null => {
  const parts = partsOf(url)
  if (parts === null || decoded(parts.credentials ?? '') === null)
    return 'must be esdb://user:password@host:2113, with special characters in user and password percent-encoded'
  if (!parts.hosts.every(hasPossiblePort)) return 'must have ports from 1 to 65535'
  for (const [name, value] of parts.options) {
    if (!OPTIONS[name]?.test(value) || decoded(value) === null)
      return 'has an option that is unknown or has a bad value'
    if (name === 'tlsVerifyCert' && value === 'false')
      return 'has tlsVerifyCert=false, which the client does not support: name the certificate authority in tlsCAFile'
  }
  return null
}

/**
 * The URL for the client, which knows only the scheme `esdb` and warns about `tlsVerifyCert`.
 * @param defaults  options for a URL without them · @param own  options that replace those of the URL
 * @throws if the client cannot use the URL. The message contains no part of it.
 */
export const clientUrl = (
  url: string,
  defaults: Record<string, unknown> = {},
  own: Record<string, unknown> = {},
): string => {
  const problem = eventStoreUrlProblem(url)
  if (problem !== null) throw new Error(`the address of the event store ${problem}`)
  const { discover, credentials, hosts, options } = partsOf(url)!
  const all = Object.entries({ ...defaults, ...Object.fromEntries(options), ...own })
  const query = all.filter(([name]) => name !== 'tlsVerifyCert').map(([name, value]) => `${name}=${String(value)}`)
  return `esdb${discover}://${credentials === undefined ? '' : `${credentials}@`}${hosts.join(',')}?${query.join('&')}`
}

/** Hosts and ports, without anything secret. */
export const hostsOf = (url: string): string =>
  (partsOf(url)?.hosts ?? []).map((host) => (host.includes(':') ? host : `${host}:2113`)).join(',')

/** What a request to the HTTP side needs. Without TLS, the client sends no login, and neither does this. */
export const httpAccess = (url: string): { isSecure: boolean; login: string | null; caFile: string | null } => {
  const { credentials, options } = partsOf(url)!
  const named = Object.fromEntries(options)
  const isSecure = named.tls !== 'false'
  const login = isSecure && credentials !== undefined ? decoded(credentials) : null
  return { isSecure, login, caFile: named.tlsCAFile === undefined ? null : decoded(named.tlsCAFile) }
}
