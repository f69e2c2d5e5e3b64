// Tests: tests/integration/http/protocol.test.ts
/** Counts and times every request by route. Never by path, because a path contains ids and tokens. */
import type { Middleware } from 'koa'
import { Counter, Histogram, type Registry } from 'prom-client'
import type { LogLines } from '../../../domain/ports.ts'

export const requestMetrics = (registry: Registry, log: LogLines): Middleware => {
  const requests = new Counter({
    name: 'baoco_http_requests_total',
    help: 'Requests answered, by method, route and status',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'baoco_http_request_seconds',
    help: 'From the request to its answer, by route',
    labelNames: ['route'] as const,
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  })
  // Finding a counter by its labels costs more than counting, so each counter is found once and cached.
  const counters = new Map<string, { count: Counter.Internal; time: Histogram.Internal<'route'> }>()
  const countersOf = (method: string, route: string, status: number) => {
    const key = `${method} ${status} ${route}`
    const known = counters.get(key)
    if (known) return known
    const found = { count: requests.labels(method, route, String(status)), time: durations.labels(route) }
    counters.set(key, found)
    return found
  }
  return async (context, next) => {
    const began = performance.now()
    await next()
    const ms = performance.now() - began
    const route = (context._matchedRoute as string | undefined) ?? 'none'
    const { method, status } = context
    const { count, time } = countersOf(route === 'none' ? 'any' : method, route, status)
    count.inc()
    time.observe(ms / 1000)
    log.debug({ method, route, status, ms }, 'http.answered')
  }
}
