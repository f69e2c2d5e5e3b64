/** A server's address as `baoco config` shows it: where it leads, without anything that opens it. */

const HIDDEN = '***'

/** Parameters that are no secret. Values of all others are hidden, as each client has parameters of its own for secrets. */
const HARMLESS: ReadonlySet<string> = new Set([
  'application_name', 'connect_timeout', 'dbname', 'host', 'port', 'sslmode', 'target_session_attrs',
  'connectionname', 'defaultdeadline', 'discoveryinterval', 'gossiptimeout', 'keepaliveinterval', 'keepalivetimeout',
  'maxdiscoverattempts', 'nodepreference', 'throwonappendfailure', 'tls', 'tlsverifycert',
  'from',
]) // prettier-ignore

/** An ordinary name: letters, maybe with a few digits at the end. Services take tokens for names, too. */
const ORDINARY_NAME = /^[a-z][a-z_.-]{0,30}\d{0,3}$/i

const shownUser = (userInfo: string): string => {
  const [name = '', password] = userInfo.split(/:(.*)/s)
  return password && name !== password && ORDINARY_NAME.test(name) ? `${name}:${HIDDEN}@` : `${HIDDEN}@`
}

/** Parameters whose values open something. Other names are hidden, too: they may be a piece of a password. */
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
  // A password may hold `@`, `/`, `?` or `#` as they are: then nobody can tell where it ends, and nothing is shown.
  if (hosts === undefined || !HOSTS.test(hosts)) return HIDDEN
  if (parameters.some((each) => each.includes('@') && !each.startsWith('from='))) return HIDDEN
  const user = userInfo === undefined ? '' : shownUser(userInfo)
  return user + hosts + path + (query === undefined ? '' : `?${parameters.map(shownParameter).join('&')}`)
}

/** With `@` in a password as the clients read it: as a part of the password. */
const normal = (address: string): string => (URL.canParse(address) ? new URL(address).href : address)

const ADDRESS = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is

/** @param value  any setting's text; what is no address stays as it is */
export const shownAddress = (value: string): string => {
  const [, scheme, rest = ''] = ADDRESS.exec(value) ?? []
  if (scheme === undefined) return value
  return scheme + shownRest(PARTS.test(rest) ? rest : normal(value).slice(scheme.length))
}
