/**
 * The dashboard's session: a cookie that scripts cannot read and other sites' pages cannot send. What changes something by it
 * must also come from a page of ours, as the browser says in `Origin`: SameSite alone trusts every subdomain.
 */
import { Refused } from '../../domain/errors.ts'
import type { ApiContext } from './context.ts'
import { LIFETIME_S } from './json-web-tokens.ts'

const NAME = 'baoco_session'
/** Browsers take a cookie of such a name only over https, for this host alone and all of it: no other subdomain can set it. */
const SECURE_NAME = `__Host-${NAME}`

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

interface Settings {
  baseUrl: string
}

const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:')

const setCookie = (context: ApiContext, { baseUrl }: Settings, value: string, maxAge: number): void => {
  const [name, path, secure] = isSecure(baseUrl) ? [SECURE_NAME, '/', '; Secure'] : [NAME, '/api', '']
  context.append('Set-Cookie', `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure}`)
}

export const keepSession = (context: ApiContext, settings: Settings, token: string): void =>
  setCookie(context, settings, token, LIFETIME_S)

export const dropSession = (context: ApiContext, settings: Settings): void => setCookie(context, settings, '', 0)

const IN_COOKIES = new RegExp(`(?:^|; {0,3})${NAME}=([^;]+)`)
const IN_SECURE_COOKIES = new RegExp(`(?:^|; {0,3})${SECURE_NAME}=([^;]+)`)

/** The token in the request's cookie; undefined where there is none. */
export const sessionOf = (context: ApiContext, { baseUrl }: Settings): string | undefined =>
  (isSecure(baseUrl) ? IN_SECURE_COOKIES : IN_COOKIES).exec(context.headers.cookie ?? '')?.[1]

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
