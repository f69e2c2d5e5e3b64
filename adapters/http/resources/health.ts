// Tests: tests/integration/http/protocol.test.ts
/** Endpoints for monitoring: liveness, readiness and metrics. */
import type { Registry } from 'prom-client'
import { z } from 'zod'
import { VERSION } from '../../system/version.ts'
import { awakeFor } from '../../system/awake.ts'
import type { ApiContext } from '../context.ts'
import { metricsGuard } from '../middleware/metrics-guard.ts'
import { text, whole } from '../openapi/answers.ts'
import type { Operations } from '../openapi/operations.ts'

/** The health check of a service that this process uses. */
export interface HealthCheck {
  name: string
  /** False if the process can work without the service, such as receiving without the read models. It may depend on the failure. */
  needed: boolean | (() => boolean)
  /** Resolves when the service answers. */
  check: () => Promise<unknown>
}

/** A health check fails if it takes longer than this. In milliseconds. */
const PATIENCE_MS = 2_000

const answers = async ({ check }: HealthCheck): Promise<boolean> => {
  const done = new AbortController()
  const late = awakeFor(PATIENCE_MS, done.signal).then(() => false)
  try {
    return await Promise.race([check().then(() => true), late])
  } catch {
    return false
  } finally {
    done.abort()
  }
}

const state = z.enum(['ok', 'unavailable'])
const Alive = z.strictObject({ status: z.literal('ok'), version: z.string() })
const Readiness = z.strictObject({ status: state, parts: z.record(z.string(), state) })

export interface HealthParts {
  metrics: Registry
  /** The health checks that `/readyz` makes. */
  readiness: () => readonly HealthCheck[]
  settings: { metricsPort?: number | undefined; metricsToken?: string | undefined }
}

export const healthRoutes = (operations: Operations, { metrics, readiness, settings }: HealthParts): void => {
  const { get } = operations.of('Health')

  const alive = () => ({ status: 'ok' as const, version: VERSION })

  const ready = async (context: ApiContext) => {
    const states = await Promise.all(readiness().map(async (part) => ({ ...part, up: await answers(part) })))
    const isNeeded = ({ needed }: HealthCheck): boolean => (typeof needed === 'function' ? needed() : needed)
    const down = states.some((part) => isNeeded(part) && !part.up)
    context.status = down ? 503 : 200
    const word = (up: boolean): z.infer<typeof state> => (up ? 'ok' : 'unavailable')
    return { status: word(!down), parts: Object.fromEntries(states.map(({ name, up }) => [name, word(up)])) }
  }

  const numbers = text<string>(metrics.contentType, 'In Prometheus’ text format.')

  get('/healthz', 'Check that the process is alive', whole(Alive), alive)
  get('/readyz', 'Check that the dependencies respond', whole(Readiness, [200, 503]), ready)
  const guard = metricsGuard({ token: settings.metricsToken, hasOwnPort: settings.metricsPort !== undefined })
  get('/metrics', 'Get Prometheus metrics', guard, numbers, () => metrics.metrics())
}
