// Tests: tests/integration/http/protocol.test.ts
/** Turns known errors into responses: status, code and one plain sentence. */
import type { Middleware } from 'koa'
import { AccountGone, isReported, Overloaded, Refused, Unavailable } from '../../../domain/errors.ts'
import type { LogLines } from '../../../domain/ports.ts'

/** Every error code of a response, with its status. */
export const STATUS = {
  VALIDATION_FAILED: 400,
  UNAUTHORIZED: 401,
  ACCOUNT_LOCKED: 403,
  EMAIL_NOT_VERIFIED: 403,
  SCOPE_MISSING: 403,
  AUTO_RULE: 403,
  FORBIDDEN_ORIGIN: 403,
  API_KEY_LIMIT_REACHED: 403,
  WEBHOOK_LIMIT_REACHED: 403,
  DEVICE_LIMIT_REACHED: 403,
  MAIL_ACCOUNT_LIMIT_REACHED: 403,
  SYSTEM_LIMIT_REACHED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  QUERY_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  STORE_UNAVAILABLE: 503,
  OVERLOADED: 503,
} as const

export type ErrorCode = keyof typeof STATUS

/** @param advice  what the caller can do, as a sentence */
export const unauthorized = (advice = ''): Refused =>
  new Refused('UNAUTHORIZED', `The credentials are missing or invalid.${advice && ` ${advice}`}`)

/** Seconds after which a caller should retry if it was refused for lack of space. */
const OVERLOADED_RETRY_S = 5

/** The body does not fit beside those of other requests. Nothing of it was kept. */
export const overloaded = (): Refused =>
  new Refused(
    'OVERLOADED',
    `The server is receiving too many large bodies. Send the request again in ${OVERLOADED_RETRY_S} s.`,
  )

/** The caller disconnected during its request, so there is no response. */
export class CallerGone extends Error {
  override name = 'CallerGone'
}

const asRefused = (error: unknown): Refused | null => {
  if (error instanceof AccountGone) return unauthorized()
  if (error instanceof Refused) return error
  if (error instanceof Unavailable) return new Refused('STORE_UNAVAILABLE', error.advice)
  if (error instanceof Overloaded)
    return new Refused('RATE_LIMITED', `${error.message} Try again in ${error.seconds} s.`)
  if (error instanceof URIError) return new Refused('NOT_FOUND', 'This address does not exist.')
  return null
}

const whyOf = (error: unknown): { reason: string; cause?: string } => {
  const { message: reason, cause } = error as Error
  return cause instanceof Error ? { reason, cause: cause.message } : { reason }
}

/** Answers the errors that handlers throw. An unknown error is our fault: it returns 500 and is logged with its stack. */
export const errors =
  (log: LogLines): Middleware =>
  async (context, next) => {
    try {
      await next()
      if (context.status === 404 && context.body === undefined)
        throw new Refused('NOT_FOUND', 'This address does not exist.')
    } catch (error) {
      if (error instanceof CallerGone) {
        context.respond = false
        context.res.destroy()
        return
      }
      const refused = asRefused(error)
      const status = refused ? STATUS[refused.code as ErrorCode] : undefined
      if (!refused || status === undefined) {
        log.error({ err: error, method: context.method, route: context._matchedRoute as unknown }, 'http.failed')
        context.status = 500
        context.body = { success: false, error: 'INTERNAL_ERROR', message: 'An internal error occurred.' }
        return
      }
      if (error instanceof Overloaded) context.set('Retry-After', String(error.seconds))
      if (status === 503) {
        context.set('Retry-After', String(error instanceof Unavailable ? error.retryAfterS : OVERLOADED_RETRY_S))
        log[isReported(error) ? 'debug' : 'warn'](
          { ...whyOf(error), method: context.method },
          refused.code === 'OVERLOADED' ? 'http.overloaded' : 'http.store_unavailable',
        )
      }
      context.status = status
      if (status === 401) context.set('WWW-Authenticate', 'Bearer realm="baoco"')
      context.body = { success: false, error: refused.code, message: refused.message, ...refused.detail }
    }
  }
