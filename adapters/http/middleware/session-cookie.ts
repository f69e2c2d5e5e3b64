/**
 * The dashboard's session: a cookie that scripts cannot read and other sites' pages cannot send. What changes something by it
 * must also come from a page of ours, as the browser says in `Origin`: SameSite alone trusts every subdomain.
 */
import { Refused } from '../../../domain/errors.ts'
import type { ApiContext } from '../context.ts'
import { LIFETIME_S } from './json-web-tokens.ts'

const NAME = 'baoco_session'
/** Browsers take a cookie of such a name only over https and for this host alone: no subdomain can set or replace it. */
const NAME_BEHIND_HTTPS = `__Host-${NAME}`

/** Looked through. */
const MOST_COOKIES = 200

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

interface Settings {
  baseUrl: string
}

const isBehindHttps = (baseUrl: string): boolean => baseUrl.startsWith('https:')

/** @param baseUrl  where the service is reached */
export const sessionCookieName = (baseUrl: string): string => (isBehindHttps(baseUrl) ? NAME_BEHIND_HTTPS : NAME)

const setCookie = (context: ApiContext, { baseUrl }: Settings, value: string, maxAge: number): void => {
  // A name that begins with __Host- asks for both.
  const [path, secure] = isBehindHttps(baseUrl) ? ['/', '; Secure'] : ['/api', '']
  const cookie = `${sessionCookieName(baseUrl)}=${value}`
  context.append('Set-Cookie', `${cookie}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`)
}

export const keepSession = (context: ApiContext, settings: Settings, token: string): void =>
  setCookie(context, settings, token, LIFETIME_S)

export const dropSession = (context: ApiContext, settings: Settings): void => setCookie(context, settings, '', 0)

/** The token in the request's cookie; undefined where there is none. Behind https a cookie of the plain name does not count. */
export const sessionOf = (context: ApiContext, { baseUrl }: Settings): string | undefined => {
  const begin = `${sessionCookieName(baseUrl)}=`
  const cookies = (context.headers.cookie ?? '').split(';', MOST_COOKIES)
  const found = cookies.map((cookie) => cookie.trim()).find((cookie) => cookie.startsWith(begin))
  return found?.slice(begin.length) || undefined
}

/** By a page of this address, or of the one that was called: people reach one server by more than one name. */
const isOurs = (context: ApiContext, { baseUrl }: Settings): boolean => {
  const { origin } = context.headers
  return origin === new URL(baseUrl).origin || origin === `${context.protocol}://${context.host}`
}

/** @throws {Refused} FORBIDDEN_ORIGIN for what changes something and does not come from a page of ours */
export const refuseForeignOrigin = (context: ApiContext, settings: Settings): void => {
  if (!READING.has(context.method) && !isOurs(context, settings))
    throw new Refused('FORBIDDEN_ORIGIN', 'A session may change data only from the dashboard.')
}
