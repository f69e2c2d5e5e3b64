// Tests: tests/attack/leaks.test.ts
/** Formats a server's URL for `baoco config`: shows the host, hides all credentials. */

const HIDDEN = '***'

/** Parameters that are not secret. The values of all others are hidden, as each client has its own parameters for secrets. */
const HARMLESS: ReadonlySet<string> = new Set([
  'application_name', 'connect_timeout', 'dbname', 'host', 'port', 'sslmode', 'target_session_attrs',
  'connectionname', 'defaultdeadline', 'discoveryinterval', 'gossiptimeout', 'keepaliveinterval', 'keepalivetimeout',
  'maxdiscoverattempts', 'nodepreference', 'throwonappendfailure', 'tls', 'tlsverifycert',
  'from',
]) // prettier-ignore

/** An ordinary user name: letters, optionally with a few digits at the end. Other names may be tokens. */
const ORDINARY_NAME = /^[a-z][a-z_.-]{0,30}\d{0,3}$/i

const shownUser = (userInfo: string): string => {
  const [name = '', password] = userInfo.split(/:(.*)/s)
  return password && name !== password && ORDINARY_NAME.test(name) ? `${name}:${HIDDEN}@` : `${HIDDEN}@`
}

/** Secret parameters whose names are shown. Unknown names are hidden as well, because they may be a piece of a password. */
const SECRET: ReadonlySet<string> = new Set([
  'user', 'password', 'sslcert', 'sslkey', 'sslpassword', 'sslrootcert', 'tlscafile', 'usercertfile', 'userkeyfile',
]) // prettier-ignore

const shownParameter = (parameter: string): string => {
  const [name = '', value] = parameter.split(/=(.*)/s)
  if (value !== undefined && HARMLESS.has(name.toLowerCase())) return parameter
  return value !== undefined && SECRET.has(name.toLowerCase()) ? `${name}=${HIDDEN}` : HIDDEN
}

const PARTS = /^(?:([^/?#@]*)@)?([^/?#@]*)(\/[^?#@]*)?(?:\?([^#]*))?$/s
const HOSTS = /^[\w.-]*(:\d+)?(,[\w.-]+(:\d+)?)*$|^\[[\da-f:.]+\](:\d+)?$/i

const shownRest = (rest: string): string => {
  const [, userInfo, hosts, path = '', query] = PARTS.exec(rest) ?? []
  const parameters = query?.split('&') ?? []
  // A password may contain unescaped `@`, `/`, `?` or `#`. Then its end cannot be determined, and nothing is shown.
  if (hosts === undefined || !HOSTS.test(hosts)) return HIDDEN
  if (parameters.some((each) => each.includes('@') && !each.startsWith('from='))) return HIDDEN
  const user = userInfo === undefined ? '' : shownUser(userInfo)
  return user + hosts + path + (query === undefined ? '' : `?${parameters.map(shownParameter).join('&')}`)
}

/** Normalizes a URL as the clients do, so that an `@` in a password is read as a part of the password. */
const normal = (address: string): string => (URL.canParse(address) ? new URL(address).href : address)

const ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is

/** @param value  the text of any setting; a text that is not a URL is returned unchanged */
export const shownAddress = (value: string): string => {
  const [, scheme, rest = ''] = ADDRESS.exec(value) ?? []
  if (scheme === undefined) return value
  return scheme + shownRest(PARTS.test(rest) ? rest : normal(value).slice(scheme.length))
}
