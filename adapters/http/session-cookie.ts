/**
 * The dashboard's session: a cookie that scripts cannot read and other sites' pages cannot send. What changes something by it
 * must also come from a page of ours, as the browser says in `Origin`: SameSite alone trusts every subdomain.
 */
import { Refused } from '../../domain/errors.ts'
import type { ApiContext } from './context.ts'
import { LIFETIME_S } from './json-web-tokens.ts'

const NAME = 'baoco_session'

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

interface Settings {
  baseUrl: string
}

const setCookie = (context: ApiContext, { baseUrl }: Settings, value: string, maxAge: number): void => {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  context.append('Set-Cookie', `${NAME}=${value}; Path=/api; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`)
}

export const keepSession = (context: ApiContext, settings: Settings, token: string): void =>
  setCookie(context, settings, token, LIFETIME_S)

export const dropSession = (context: ApiContext, settings: Settings): void => setCookie(context, settings, '', 0)

/** The token in the request's cookie; undefined where there is none. */
export const sessionOf = (context: ApiContext): string | undefined =>
  new RegExp(`(?:^|; *)${NAME}=([^;]+)`).exec(context.headers.cookie ?? '')?.[1]

/** By a page of this address, or of the one that was called: people reach one server by more than one name. */
const isOurs = (context: ApiContext, { baseUrl }: Settings): boolean => {
  const { origin } = context.headers
  return origin === new URL(baseUrl).origin || origin === `${context.protocol}://${context.host}`
}

/** @throws {Refused} FORBIDDEN_ORIGIN for what changes something and does not come from a page of ours */
export const refuseForeignOrigin = (context: ApiContext, settings: Settings): void => {
  if (!READING.has(context.method) && !isOurs(context, settings))
    throw new Refused('FORBIDDEN_ORIGIN', 'With a session, changes are made from the dashboard alone.')
}
