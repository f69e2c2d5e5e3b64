/**
 * The server behind a rule's url, and its circuit breaker. A fault of a server affects all rules of a user that call it, so they
 * share one circuit breaker. It opens after a number of failures in a row, across several deliveries. While it is open, one
 * attempt at a time probes whether the server is back. The other attempts are not made, and keep their numbers.
 */
import type { CallResult } from '../ports.ts'
import { shownUrl } from './shown-url.ts'

/** Failures in a row that open it, and the deliveries they must come from: one bad order does not mean a dead server. */
export const FAILURES_TO_OPEN = 10
export const DELIVERIES_TO_OPEN = 3

/** Seconds between two probes. */
export const PROBE_EVERY = 30

/** The longest accepted `Retry-After`, in seconds. */
export const LONGEST_WAIT = 86_400

/** Scheme, host and port, such as `https://shop.vn:443`. A url that cannot be parsed is its own endpoint. */
export const endpointOf = (url: string): string => {
  if (!URL.canParse(url)) return shownUrl(url)
  const { protocol, hostname, port } = new URL(url)
  return `${protocol}//${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
}

/** The form for people: without the default port. */
export const originOf = (endpoint: string): string => (URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint)

/** Errors that we or the rule caused. They say nothing about the server. */
const NOT_ITS_FAULT: ReadonlySet<string | null> = new Set(['stopped', 'not_formed', 'invalid_url', 'private_address'])

/** The conclusion from a call about the server: it fails (no response, 5xx), it is up (any other response), or nothing. */
export const saysOfEndpoint = ({
  http_status,
  error,
}: Pick<CallResult, 'http_status' | 'error'>): 'fails' | 'answers' | null => {
  if (http_status >= 500) return 'fails'
  if (http_status > 0) return 'answers'
  return NOT_ITS_FAULT.has(error) ? null : 'fails'
}

/** Seconds that the server asked us to wait. Null if it did not. */
export const askedToWait = ({
  http_status,
  retry_after_s,
}: Pick<CallResult, 'http_status' | 'retry_after_s'>): number | null =>
  (http_status === 429 || http_status === 503) && retry_after_s !== null && retry_after_s > 0
    ? Math.min(retry_after_s, LONGEST_WAIT)
    : null
