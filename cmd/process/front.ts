// Tests: tests/integration/roles/start.test.ts
/**
 * The HTTP servers of a process: PORT if it serves the API, and METRICS_PORT if it is set. They listen before the start waits for its
 * servers. Until the process serves them, they answer every request with 503. But METRICS_PORT, or PORT if that is not set, answers `/metrics`
 * and `/healthz` with 200, and `/readyz` has the names of the awaited servers.
 */
import { createStart } from '../../adapters/http/api.ts'
import { listen, type Listening } from '../../adapters/http/server.ts'
import type { HealthCheck } from '../../adapters/http/resources/health.ts'
import type { LogLines } from '../../domain/ports.ts'
import type { Metrics } from '../../adapters/telemetry/metrics.ts'
import type { Settings } from '../settings/settings.ts'

export interface Front {
  /** PORT; null if no role of this process serves the API. */
  api: Listening | null
  /** METRICS_PORT; null if it is not set. */
  health: Listening | null
  close(): Promise<void>
}

/** The servers that a start waits for at the moment. */
export type AwaitedServers = Set<string>

const unavailable = (name: string): HealthCheck => ({
  name,
  needed: true,
  check: () => Promise.reject(new Error('the process is starting')),
})

export interface FrontParts {
  settings: Settings
  log: LogLines
  metrics: Metrics
  awaited: AwaitedServers
  /** Whether a role of this process serves the API. */
  servesApi: boolean
}

/** @throws an error of one line if a port is in use, or if both settings name the same one */
export const openFront = async ({ settings, log, metrics, awaited, servesApi }: FrontParts): Promise<Front> => {
  // Without the API, PORT is not used.
  if (servesApi && settings.metricsPort === settings.port)
    throw new Error(`PORT and METRICS_PORT are both ${settings.port}: set one of them to another port`)
  const readiness = () => ['start', ...awaited].map(unavailable)
  const parts = { log, settings, metrics: metrics.registry, readiness }
  const opened: Listening[] = []
  const open = async (port: number | undefined, setting: string): Promise<Listening | null> => {
    if (port === undefined) return null
    const hasHealth = setting === 'METRICS_PORT' || settings.metricsPort === undefined
    const listening = await listen(createStart(parts, hasHealth), port, { setting })
    opened.push(listening)
    return listening
  }
  const close = async (): Promise<void> => void (await Promise.all(opened.map((listening) => listening.close(0))))
  try {
    const health = await open(settings.metricsPort, 'METRICS_PORT')
    return { api: await open(servesApi ? settings.port : undefined, 'PORT'), health, close }
  } catch (error) {
    await close()
    throw error
  }
}
