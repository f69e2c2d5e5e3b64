/**
 * The server behind a rule's url, and when it is left alone. What is wrong with a server is wrong with all of a user's rules
 * that go there, so they share a circuit breaker: it opens after so many failures in a row of several deliveries, and while
 * it is open one attempt at a time finds out whether the server is back. The others are not made and keep their numbers.
 */
import type { CallResult } from '../ports.ts'
import { shownUrl } from './shown-url.ts'

/** Failures in a row that open it, and of how many deliveries they must be: one bad order alone is no dead server. */
export const FAILURES_TO_OPEN = 10
export const DELIVERIES_TO_OPEN = 3

/** Seconds between two probes. */
export const PROBE_EVERY = 30

/** Seconds: the longest that a `Retry-After` is believed. */
const LONGEST_WAIT = 86_400

/** Scheme, host and port, as `https://shop.vn:443`. A url that cannot be read is its own endpoint. */
export const endpointOf = (url: string): string => {
  if (!URL.canParse(url)) return shownUrl(url)
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}

/** As people write it: without the port that every browser knows. */
export const originOf = (endpoint: string): string => (URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint)

/** Errors that are ours, or the rule's, and say nothing of the server. */
const NOT_ITS_FAULT: ReadonlySet<string | null> = new Set(['stopped', 'not_formed', 'invalid_url', 'private_address'])

/** What a call says of the server: that it fails (no answer, 5xx), that it is there (any other answer), or nothing. */
export const saysOfEndpoint = ({
  http_status,
  error,
}: Pick<CallResult, 'http_status' | 'error'>): 'fails' | 'answers' | null => {
  if (http_status >= 500) return 'fails'
  if (http_status > 0) return 'answers'
  return NOT_ITS_FAULT.has(error) ? null : 'fails'
}

/** Seconds for which the server asked to be left alone; null where it did not. */
export const askedToWait = ({
  http_status,
  retry_after_s,
}: Pick<CallResult, 'http_status' | 'retry_after_s'>): number | null =>
  (http_status === 429 || http_status === 503) && retry_after_s !== null && retry_after_s > 0
    ? Math.min(retry_after_s, LONGEST_WAIT)
    : null
