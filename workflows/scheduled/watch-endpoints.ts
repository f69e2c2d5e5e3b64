// Tests: tests/unit/workflows/scheduled/watch-endpoints.test.ts
/**
 * Alerts owners about endpoints that are paused, and ends an alert when its endpoint has not been paused for a while
 * (`domain/alert/calm.ts`). The breaker decides whether an endpoint fails. That is operational data: it may be lost, and is
 * then learned again. So is the time since an endpoint works. The alert itself is permanent, so it is an event.
 */
import { randomUUID } from 'node:crypto'
import { calmNeeded } from '../../domain/alert/calm.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import { unlessUnreadable } from '../support/unless-unreadable.ts'
import type { ScheduledJob } from './scheduled-work.ts'

export interface OpenBreaker {
  user_id: number
  /** As an origin: `https://shop.vn`. */
  endpoint: string
  since: string
  /** Consecutive failures. */
  failures: number
  /** From the newest known attempt; null if there is none. */
  http_status: number | null
  error: string | null
}

/** An alert that lasts. */
export interface EndpointAlert {
  user_id: number
  subject: string
  /** Alerts about this endpoint in the last 24 hours, with this one. */
  alerts: number
  /** Whether a rule uses the endpoint. */
  is_used: boolean
  /** By the clock that the breakers use. */
  looked_at: string
}

export interface WatchEndpointsParts {
  open: () => Promise<OpenBreaker[]>
  lasting: () => Promise<EndpointAlert[]>
  alerts: Pick<Alerts, 'raise' | 'end'>
}

const EVERY_FIVE_SECONDS = '*/5 * * * * *'

export const watchEndpoints = ({ open, lasting, alerts }: WatchEndpointsParts): ScheduledJob => {
  /** When a look first found the endpoint of an alert not paused, by name. */
  let calmSince: ReadonlyMap<string, string> = new Map()

  const run = async (signal: AbortSignal): Promise<{ raised: number; ended: number } | null> => {
    const look = randomUUID()
    const caused = { kind: 'endpoint_failing', causation_id: look, correlation_id: look } as const
    const known = await lasting()
    const isKnown = new Set(known.map(nameOf))
    const isOpen = new Set<string>()
    let raised = 0
    for (const breaker of await open()) {
      if (signal.aborted) return null
      const { user_id, endpoint: subject, since } = breaker
      const name = nameOf({ user_id, subject })
      isOpen.add(name)
      if (isKnown.has(name)) continue
      const alert = { ...caused, user_id, subject, since, text: textOf(breaker) }
      if ((await unlessUnreadable(() => alerts.raise(alert)))?.checkpoint) raised++
    }
    const calm = known.filter((alert) => !isOpen.has(nameOf(alert)))
    calmSince = new Map(calm.map((alert) => [nameOf(alert), calmSince.get(nameOf(alert)) ?? alert.looked_at]))
    let ended = 0
    for (const alert of calm) {
      if (signal.aborted) return null
      const { user_id, subject, looked_at, is_used } = alert
      const until = calmSince.get(nameOf(alert))!
      if (is_used && Date.parse(looked_at) - Date.parse(until) < calmNeeded(alert.alerts)) continue
      if ((await unlessUnreadable(() => alerts.end({ ...caused, user_id, subject, until })))?.checkpoint) ended++
    }
    return raised + ended > 0 ? { raised, ended } : null
  }

  return { name: 'watch_endpoints', at: EVERY_FIVE_SECONDS, run }
}

const nameOf = ({ user_id, subject }: { user_id: number; subject: string }): string => `${user_id} ${subject}`

/** Whether the endpoint answers at all is of interest, and what it answers if that is an error of its own. */
const lastOf = ({ http_status, error }: OpenBreaker): number | string | null => {
  if (http_status === null || (http_status > 0 && http_status < 500)) return null
  return http_status === 0 ? (error ?? 'unknown') : http_status
}

const textOf = (breaker: OpenBreaker) =>
  inEach(({ alerts }) => alerts.endpointFailing(breaker.endpoint, breaker.failures, lastOf(breaker)))
