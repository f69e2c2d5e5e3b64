// Tests: tests/integration/http/dashboard.test.ts
/**
 * Serves the dashboard from our own origin. Files have a hash in their name and are cached for a year; the page is checked at every visit.
 * The page answers the addresses of screens. It is also the 404 page for people. Programs, which do not ask for HTML, get a JSON error.
 */
import type { Middleware, ParameterizedContext } from 'koa'
import { isScreen } from '../../../web/paths.ts'
import type { Encoding, WebFile, WebFiles } from './files.ts'

/** Forbids inline scripts and styles, other hosts, and text that becomes markup. Images may be data: QR codes are. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const YEAR_S = 31_536_000
const ASSETS = '/assets/'
/** Addresses of programs: nobody reads a page there. */
const OF_PROGRAMS = /^\/(?:api|inbox|healthz|readyz|metrics)(?:\/|$)/

/** Characters. A browser's are shorter, and the time to read a longer one would be a stranger's to choose. */
const LONGEST_PREFERENCES = 2_048

const isShort = (preferences = ''): boolean => preferences.length <= LONGEST_PREFERENCES

const accepts = (context: ParameterizedContext, encoding: Encoding): boolean =>
  isShort(context.headers['accept-encoding'] as string | undefined) && context.acceptsEncodings(encoding) !== false

const send = (context: ParameterizedContext, { type, etag, bytes }: WebFile): void => {
  const encoding: Encoding =
    (['br', 'gzip'] as const).find((each) => bytes[each] && accepts(context, each)) ?? 'identity'
  context.vary('Accept-Encoding')
  context.set('ETag', encoding === 'identity' ? etag : etag.replace(/"$/, `-${encoding}"`))
  if (context.status === 200 && context.fresh) {
    context.status = 304
    return
  }
  if (encoding !== 'identity') context.set('Content-Encoding', encoding)
  context.type = type
  context.body = bytes[encoding]
}

export const pageOf = (files: WebFiles | null): WebFile | undefined => files?.get('index.html')

/** Whether a person asks. A program that accepts anything prefers JSON, which is named first. */
export const asksForPage = (context: ParameterizedContext): boolean =>
  isShort(context.headers.accept) && context.accepts('json', 'html') === 'html'

/** Sends the page, which then draws the screen of its address. @param caching  the value of `Cache-Control` */
export const sendPage = (context: ParameterizedContext, page: WebFile, caching: string): void => {
  context.set({
    'Cache-Control': caching,
    'Content-Security-Policy': POLICY,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  })
  send(context, page)
}

/** Runs after all routes. @param files  null: this process has no dashboard */
export const dashboard = (files: WebFiles | null): Middleware => {
  const page = pageOf(files)
  return (context, next) => {
    const { path, method } = context
    if (!page || (method !== 'GET' && method !== 'HEAD') || OF_PROGRAMS.test(path)) return next()
    if (path.startsWith(ASSETS)) {
      const file = files!.get(path.slice(1))
      if (!file) return next()
      context.status = 200
      context.set('Cache-Control', `public, max-age=${YEAR_S}, immutable`)
      return send(context, file)
    }
    context.vary('Accept')
    if (!asksForPage(context)) return next()
    context.status = isScreen(path) ? 200 : 404
    return sendPage(context, page, 'no-cache')
  }
}
