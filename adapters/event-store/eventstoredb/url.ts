// Tests: tests/integration/eventstoredb/cluster.test.ts
/**
 * Checks EVENTSTORE_URL before the client reads it. If the client cannot read a URL, it prints it with the password, as an
 * error or directly to the console.
 */

const WHOLE = /^\d{1,9}$/
const FLAG = /^(true|false)$/
const TEXT = /^[^?&\s]+$/

/**
 * The client's options and the format of their values. Names are in lower case without `_` and `-`, as the client compares
 * them.
 */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  connectionname: TEXT,
  defaultdeadline: WHOLE,
  discoveryinterval: WHOLE,
  dnsdiscover: FLAG,
  gossiptimeout: WHOLE,
  keepaliveinterval: /^-?\d{1,9}$/,
  keepalivetimeout: /^-?\d{1,9}$/,
  maxdiscoverattempts: WHOLE,
  nodepreference: /^(leader|follower|random|read[_-]?only[_-]?replica)$/i,
  throwonappendfailure: FLAG,
  tls: FLAG,
  tlscafile: TEXT,
  tlsverifycert: FLAG,
  usercertfile: TEXT,
  userkeyfile: TEXT,
}

const URL_PARTS =
  /^(?:esdb|esdb\+discover|kurrentdb):\/\/(?:([^:@/?#\s]+):([^:@/?#\s]+)@)?[\w.-]+(?::\d{1,5})?(?:,[\w.-]+(?::\d{1,5})?)*\/?(?:\?([^#\s]+))?$/

const decodes = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

const fits = (option: string): boolean => {
  const [name = '', value = ''] = option.split(/=(.*)/s)
  const key = name.toLowerCase().replace(/[_-]/g, '')
  return Object.hasOwn(OPTIONS, key) && OPTIONS[key]!.test(value) && decodes(value)
}

/**
 * @returns why the client could not read the URL, or null if it can. The text continues "setting NAME …" and contains no part
 *   of the URL.
 */
export const eventStoreUrlProblem = (url: string): string | null => {
  const [whole, user = '', password = '', options] = URL_PARTS.exec(url) ?? []
  if (whole === undefined || !decodes(user + password))
    return 'must be esdb://user:password@host:2113, with % codes for other characters in user and password'
  if (options !== undefined && !options.split('&').every(fits))
    return 'has an option that is unknown or has a bad value'
  return null
}

/** Removes an option that has no effect in this client and makes it print the whole URL. */
export const readableUrl = (url: string): string =>
  url
    .replace(/^kurrentdb/, 'esdb')
    .replace(/(?<=[?&])tls[_-]?verify[_-]?cert=[^&]*&?/gi, '')
    .replace(/[?&]$/, '')
