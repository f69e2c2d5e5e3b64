/** Whether a rule may have this url: what can be known without asking DNS. The dialer checks the address itself. */
import { isIP } from 'node:net'
import { inboxTokenIn } from '../inbox/url.ts'
import { isAllowedAddress } from './addresses.ts'

export interface TargetSettings {
  /** `ALLOW_PRIVATE_TARGETS`: loopback, private addresses and plain HTTP. For trying Baoco out, never on a shared server. */
  allowPrivate: boolean
  /** Origins of this installation itself, such as `https://baoco.example`: it does not call itself. */
  ownOrigins?: readonly string[]
  /** Base URL of this installation, whose inboxes it may call at any setting: that is done in process. */
  inboxesAt?: string
}

const INSIDE_NAMES = /(^|\.)(localhost|internal|local)$/

/** A url's host as it is looked up or dialled: no brackets around IPv6, no trailing dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Why this url cannot be a target, in plain words, or null when it can. */
export const checkUrl = (text: string, { allowPrivate, ownOrigins = [], inboxesAt }: TargetSettings): string | null => {
  if (!URL.canParse(text)) return 'is not a URL'
  if (inboxesAt !== undefined && inboxTokenIn(text, inboxesAt) !== null) return null
  // The URL parser turns every notation of an IPv4 address (octal, hexadecimal, one number) into the usual one.
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'must begin with https://'
  if (url.username || url.password) return 'must not contain a user name or password'
  const host = hostOf(url)
  // A trailing dot makes another origin and leads to the same place.
  const origin = url.origin.replace(url.hostname, url.hostname.replace(/\.$/, ''))
  if (ownOrigins.includes(origin)) return 'must not be an address of this service itself'
  if (!host) return 'has no host'
  if (isIP(host)) return isAllowedAddress(host, allowPrivate) ? null : 'must be a public address'
  return !allowPrivate && INSIDE_NAMES.test(host) ? 'must be a public address' : null
}
