// Tests: tests/integration/http/protocol.test.ts
/** Counts and times every request by route, and not by path, because a path contains ids and tokens. */
import type { Middleware } from 'koa'
import type { Counter, Histogram, Registry } from 'prom-client'
import type { LogLines } from '../../../domain/ports.ts'
import { instruments } from '../../telemetry/instruments.ts'

export const requestMetrics = (registry: Registry, log: LogLines): Middleware => {
  const { counter, histogram } = instruments(registry)
  const labels = ['method', 'route', 'status']
  const requests = counter('baoco_http_requests_total', 'Requests answered, by method, route and status', labels)
  const buckets = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10]
  const times = 'From the request to its answer, by route'
  const durations = histogram('baoco_http_request_seconds', times, buckets, ['route'])
  // Finding a counter by its labels costs more than counting, so each counter is found once and cached.
  const counters = new Map<string, { count: Counter.Internal; time: Histogram.Internal<string> }>()
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
