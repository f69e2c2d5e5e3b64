// Tests: tests/unit/adapters/webhook-sender/addresses.test.ts
/** Checks whether a rule may have this URL, as far as possible without DNS. The dialer checks the address itself. */
import { isIP } from 'node:net'
import { inboxTokenIn } from '../inbox/url.ts'
import { isAllowedAddress } from './addresses.ts'

export interface TargetSettings {
  /** `ALLOW_PRIVATE_TARGETS`: permits loopback, private addresses and plain HTTP. For trials, never on a shared server. */
  allowPrivate: boolean
  /** Origins of this installation, such as `https://baoco.example`. It must not call itself. */
  ownOrigins?: readonly string[]
  /** Base URL of this installation. Its inboxes may always be called, because such calls stay in the process. */
  inboxesAt?: string
}

const INSIDE_NAMES = /(^|\.)(localhost|internal|local)$/

/** A URL's host as it is resolved or dialled: without brackets around IPv6 and without a trailing dot. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** The reason why this URL cannot be a target, in plain words. Null if it can. */
export const checkUrl = (text: string, { allowPrivate, ownOrigins = [], inboxesAt }: TargetSettings): string | null => {
  if (!URL.canParse(text)) return 'is not valid'
  if (inboxesAt !== undefined && inboxTokenIn(text, inboxesAt) !== null) return null
  // The URL parser converts every notation of an IPv4 address (octal, hexadecimal, one number) to the usual one.
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'must begin with https://'
  if (url.username || url.password) return 'must not contain a user name or password'
  const host = hostOf(url)
  if (host.endsWith('.')) return 'must not have several dots after the host name'
  // With a trailing dot, the origin is different but the destination is the same.
  const origin = url.origin.replace(url.hostname, url.hostname.replace(/\.$/, ''))
  if (ownOrigins.includes(origin)) return 'must not be an address of this service itself'
  if (!host) return 'has no host'
  if (isIP(host)) return isAllowedAddress(host, allowPrivate) ? null : 'must be a public address'
  return !allowPrivate && INSIDE_NAMES.test(host) ? 'must be a public address' : null
}
