// Tests: tests/integration/http/protocol.test.ts
/** The API as one Koa application. */
import Router from '@koa/router'
import Koa, { type Middleware } from 'koa'
import { Refused, Unavailable } from '../../domain/errors.ts'
import { openApiKeyUses } from '../postgres/ops/api-key-uses.ts'
import type { SharedDatabase } from '../database/fair-shares.ts'
import { orUnavailable } from '../database/or-unavailable.ts'
import { abuseGuard } from './middleware/abuse-guard.ts'
import { BodiesInFlight, holdBodies } from './middleware/bodies-in-flight.ts'
import type { ApiState } from './context.ts'
import { dashboard } from './dashboard/serve.ts'
import { errors } from './middleware/errors.ts'
import { openEventStreams } from './resources/event-stream.ts'
import { jsonWebTokens } from './middleware/json-web-tokens.ts'
import { limitedLogin } from './middleware/limited-login.ts'
import type { Operation } from './openapi/operation.ts'
import { openOperations } from './openapi/operations.ts'
import type { ApiParts } from './parts.ts'
import { queryLength } from './middleware/query-length.ts'
import { replaceQueryGetter } from './middleware/query-string.ts'
import { rateLimits } from './middleware/rate-limits.ts'
import { discardUnread } from './middleware/raw-body.ts'
import { receiveLimit } from './middleware/receive-limit.ts'
import { isGood } from './receive/credential.ts'
import { requestMetrics } from './middleware/request-metrics.ts'
import { accountRoutes } from './resources/account.ts'
import { apiKeyRoutes } from './resources/api-keys.ts'
import { alertRoutes } from './resources/alerts.ts'
import { affiliateRoutes } from './resources/affiliate.ts'
import { authRoutes } from './resources/auth.ts'
import { bankAccountConfirmationRoutes } from './resources/bank-account-confirmation.ts'
import { bankAccountRoutes } from './resources/bank-accounts.ts'
import { demoRoutes } from './resources/demo.ts'
import { counterRoutes } from './resources/counter.ts'
import { deviceRoutes, pairingRoutes } from './resources/devices.ts'
import { documentRoutes } from './resources/document.ts'
import { exportRoutes } from './resources/export.ts'
import { healthRoutes, type HealthParts } from './resources/health.ts'
import { inboxRoutes } from './resources/inbox.ts'
import { mailAccountRoutes } from './resources/mail-accounts.ts'
import { notificationRoutes } from './resources/notifications.ts'
import { jobRoutes } from './resources/jobs.ts'
import { operatorRoutes } from './resources/operator.ts'
import { outboxRoutes } from './resources/outbox.ts'
import { planRoutes } from './resources/plans.ts'
import { previewRoutes } from './resources/preview.ts'
import { receiveRoutes } from './resources/receive.ts'
import { sessionRoutes } from './resources/session.ts'
import { shopConnectionRoutes } from './resources/shop-connection.ts'
import { statsRoutes } from './resources/stats.ts'
import { streamRoutes } from './resources/live-events.ts'
import { systemRoutes } from './resources/systems.ts'
import { trustedSenderRoutes } from './resources/trusted-senders.ts'
import { transactionRoutes } from './resources/transactions.ts'
import { undeliveredRoutes } from './resources/undelivered.ts'
import { webhookRoutes } from './resources/webhooks.ts'
import { signedIn as signedInBy } from './middleware/signed-in.ts'

const newRouter = () => new Router<ApiState>({ sensitive: true })

/** Responses under /api contain private data and must not be cached. */
const notStored: Middleware = (context, next) => {
  if (/^\/api(\/|$)/.test(context.path)) context.set('Cache-Control', 'no-store')
  return next()
}

/** Runs if no route matched the request. The path may exist with other methods. */
const methodNotAllowed: Middleware = (context, next) => {
  const known = (context.matched as { methods: string[] }[] | undefined) ?? []
  const allowed = [...new Set(known.flatMap(({ methods }) => methods))]
  if (allowed.length === 0) return next()
  context.set('Allow', allowed.join(', '))
  throw new Refused(
    'METHOD_NOT_ALLOWED',
    `This address does not support ${context.method}. It supports ${allowed.join(', ')}.`,
  )
}

/** Whether the caller closed its connection in the middle of a stream. That is not an error. */
const isCallersEnd = (error: Error & { code?: string }): boolean =>
  ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '')

interface ApplicationParts {
  log: ApiParts['log']
  settings: Pick<ApiParts['settings'], 'trustProxy'>
}

const application = ({ log, settings }: ApplicationParts, ...first: Middleware[]): Koa => {
  const app = new Koa({ proxy: settings.trustProxy > 0, maxIpsCount: settings.trustProxy })
  app.silent = true
  replaceQueryGetter(app)
  app.on('error', (error: Error) => {
    if (!isCallersEnd(error)) log.error({ err: error }, 'http.failed')
  })
  for (const step of first) app.use(step)
  app.use(notStored)
  app.use(discardUnread)
  app.use(errors(log))
  app.use(queryLength)
  return app
}

export const createApi = (given: ApiParts): Koa => {
  const database: SharedDatabase = { of: (user) => orUnavailable(given.database.of(user)) }
  const parts = { ...given, database }
  const { clock, settings } = parts
  const tokens = jsonWebTokens(settings.jwtSecret, clock)
  const { exact, hot } = parts.counters
  const limited = rateLimits(settings.rateLimits, (name, limit) => (name === 'receive' ? hot : exact)(name, limit))
  const keyUses = openApiKeyUses(database)
  const signedIn = signedInBy({ ...parts, tokens, keyUses, guard: abuseGuard(parts) })

  const declared: Operation[] = []

  // The receive path has its own router, so that few routes are searched for it.
  const receive = newRouter()
  const receiving = openOperations(receive, declared)
  receiveRoutes(
    receiving,
    { ...parts, keyUses },
    receiveLimit({
      limits: settings.rateLimits,
      counterFor: hot,
      isGood: (shown) => isGood(parts, shown),
    }),
  )
  pairingRoutes(receiving, parts, limited)

  const router = newRouter()
  const operations = openOperations(router, declared)
  const login = limitedLogin(parts)
  authRoutes(operations, parts, { tokens, limited, login })
  sessionRoutes(operations, parts, { tokens, limited, login })
  accountRoutes(operations, parts, signedIn)
  apiKeyRoutes(operations, { ...parts, keyUses }, signedIn)
  deviceRoutes(operations, parts, signedIn)
  trustedSenderRoutes(operations, parts, signedIn)
  bankAccountRoutes(operations, parts, signedIn)
  bankAccountConfirmationRoutes(operations, parts)
  mailAccountRoutes(operations, parts, signedIn)
  notificationRoutes(operations, parts, signedIn)
  systemRoutes(operations, parts, signedIn)
  shopConnectionRoutes(operations, parts, signedIn)
  previewRoutes(operations, parts, signedIn)
  affiliateRoutes(operations, parts, { signedIn, limited })
  demoRoutes(operations, parts, limited)
  planRoutes(operations, parts, signedIn)
  webhookRoutes(operations, parts, signedIn)
  // Before `/api/transactions/:id`, which it would match.
  exportRoutes(operations, parts, signedIn)
  transactionRoutes(operations, parts, signedIn)
  alertRoutes(operations, parts, signedIn)
  jobRoutes(operations, parts, signedIn)
  undeliveredRoutes(operations, parts, signedIn)
  const streams = openEventStreams(parts)
  statsRoutes(operations, parts, signedIn)
  streamRoutes(operations, streams, signedIn)
  counterRoutes(operations, parts, { streams, signedIn })
  inboxRoutes(operations, parts, { signedIn, limited })
  operatorRoutes(operations, parts, signedIn)
  outboxRoutes(operations, parts, signedIn)
  if (settings.metricsPort === undefined) healthRoutes(operations, parts)
  documentRoutes(operations, router, { declared, baseUrl: settings.baseUrl })

  const app = application(parts, requestMetrics(parts.metrics, parts.log), holdBodies(new BodiesInFlight()))
  app.use(receive.routes())
  app.use(router.routes())
  app.use(methodNotAllowed)
  app.use(dashboard(parts.web))
  return app
}

type HealthApiParts = HealthParts & ApplicationParts

/** Only health and metrics, for METRICS_PORT and for roles without the API. */
export const createHealth = (parts: HealthApiParts): Koa => healthOnly(parts, methodNotAllowed)

/**
 * While the process starts, every request is to be sent again, except those for health and metrics.
 * @param hasHealth  whether these are answered: on PORT only without METRICS_PORT
 */
export const createStart = (parts: HealthApiParts, hasHealth: boolean): Koa => {
  const starting = () => {
    throw new Unavailable('the process is starting')
  }
  return hasHealth ? healthOnly(parts, starting) : application(parts).use(starting)
}

const healthOnly = (parts: HealthApiParts, otherwise: Middleware): Koa => {
  const router = newRouter()
  healthRoutes(openOperations(router, []), parts)
  const app = application(parts)
  app.use(router.routes())
  app.use(otherwise)
  return app
}
