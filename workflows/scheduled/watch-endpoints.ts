// Tests: tests/unit/workflows/scheduled/watch-endpoints.test.ts
/**
 * Alerts owners about endpoints that are paused, and ends an alert when its endpoint has not been paused for a while
 * (`domain/alert/calm.ts`). The breaker decides whether an endpoint fails. That is operational data: it may be lost, and is
 * then learned again.
 */
import { calmNeeded } from '../../domain/alert/calm.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { inEach } from '../texts/texts.ts'
import type { ScheduledJob } from './scheduled-work.ts'
import { watch, type LastingAlert } from './watch.ts'

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

export interface WatchEndpointsParts {
  open: () => Promise<OpenBreaker[]>
  /** An endpoint is used if a rule has it. */
  lasting: () => Promise<LastingAlert[]>
  alerts: Pick<Alerts, 'raise' | 'end'>
}

const EVERY_FIVE_SECONDS = '*/5 * * * * *'

export const watchEndpoints = ({ open, lasting, alerts }: WatchEndpointsParts): ScheduledJob =>
  watch({
    name: 'watch_endpoints',
    at: EVERY_FIVE_SECONDS,
    kind: 'endpoint_failing',
    failing: open,
    lasting,
    alerts,
    alertOf: (breaker) => ({
      user_id: breaker.user_id,
      subject: breaker.endpoint,
      since: breaker.since,
      text: textOf(breaker),
    }),
    isCalm: (_alert, isOpen) => !isOpen,
    calmNeeded,
  })

/** Shows whether the endpoint answers at all, and its answer if that is an error of its own. */
const lastOf = ({ http_status, error }: OpenBreaker): number | string | null => {
  if (http_status === null || (http_status > 0 && http_status < 500)) return null
  return http_status === 0 ? (error ?? 'unknown') : http_status
}

const textOf = (breaker: OpenBreaker) =>
  inEach(({ alerts }) => alerts.endpointFailing(breaker.endpoint, breaker.failures, lastOf(breaker)))
