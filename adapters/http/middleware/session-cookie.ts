// Tests: tests/integration/http/session.test.ts
/**
 * The dashboard's session: a cookie that scripts cannot read and pages of other sites cannot send. A request that changes data must also
 * come from one of our pages, according to its `Origin` header, because SameSite alone trusts every subdomain.
 */
import { Refused } from '../../../domain/errors.ts'
import type { ApiContext } from '../context.ts'
import { LIFETIME_S } from './json-web-tokens.ts'

const NAME = 'baoco_session'
/** Browsers accept a cookie with this prefix only over https and only for this host, so no subdomain can set or replace it. */
const NAME_BEHIND_HTTPS = `__Host-${NAME}`

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

interface Settings {
  baseUrl: string
}

const isBehindHttps = (baseUrl: string): boolean => baseUrl.startsWith('https:')

/** @param baseUrl  the public URL of the service */
export const sessionCookieName = (baseUrl: string): string => (isBehindHttps(baseUrl) ? NAME_BEHIND_HTTPS : NAME)

const setCookie = (context: ApiContext, { baseUrl }: Settings, value: string, maxAge: number): void => {
  // A name that begins with __Host- requires both.
  const [path, secure] = isBehindHttps(baseUrl) ? ['/', '; Secure'] : ['/api', '']
  const cookie = `${sessionCookieName(baseUrl)}=${value}`
  context.append('Set-Cookie', `${cookie}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`)
}

export const keepSession = (context: ApiContext, settings: Settings, token: string): void =>
  setCookie(context, settings, token, LIFETIME_S)

export const dropSession = (context: ApiContext, settings: Settings): void => setCookie(context, settings, '', 0)

/**
 * The token in the request's cookie; undefined if there is none. Over https a cookie with the plain name does not count. A stranger can send
 * 40,000 cookies in one head, so they are not listed.
 */
export const sessionOf = (context: ApiContext, { baseUrl }: Settings): string | undefined =>
  new RegExp(`(?:^|;)\\s*${sessionCookieName(baseUrl)}=([^;\\s]+)`).exec(context.headers.cookie ?? '')?.[1]

/** Accepts pages of the base URL and of the host that the request names, as users may reach one server by several names. */
const isOurs = (context: ApiContext, { baseUrl }: Settings): boolean => {
  const { origin } = context.headers
  return origin === new URL(baseUrl).origin || origin === `${context.protocol}://${context.host}`
}

/** @throws {Refused} FORBIDDEN_ORIGIN if the request changes data and does not come from one of our pages */
export const refuseForeignOrigin = (context: ApiContext, settings: Settings): void => {
  if (!READING.has(context.method) && !isOurs(context, settings))
    throw new Refused('FORBIDDEN_ORIGIN', 'A session may change data only from the dashboard.')
}
