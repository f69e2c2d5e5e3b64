/**
 * Raising and ending alerts. Both may be asked for at any time and any number of times: an alert that lasts is not raised
 * again, one that does not last is not ended. The mail and the call follow from the event (`reactions/tell-alerts.ts`).
 *
 * ```ts
 * await alerts.raise({ user_id, kind: 'source_silent', subject: 'device:7', text: '…', since, causation_id, correlation_id })
 * await alerts.end({ user_id, kind: 'source_silent', subject: 'device:7', until, causation_id, correlation_id })
 * ```
 */
import { end, evolve, NO_ALERTS, raise } from '../../domain/alert/alerts.ts'
import { alertEvents, alertStream, type AlertEventData, type AlertKind } from '../../domain/alert/events.ts'
import type { Checkpoint, Clock, EventStore, Ids } from '../../domain/ports.ts'
import { execute } from '../support/execute.ts'
import { foldCache } from '../support/fold-cache.ts'

interface Caused {
  user_id: number
  kind: AlertKind
  /** What it is about, such as `rule:5` or `device:7`. */
  subject: string
  /** What made it happen: an event, or what looked at the clock. */
  causation_id: string
  correlation_id: string
}

export interface Cause extends Caused {
  /** Plain sentences: what is the matter, and what its owner can do. */
  text: string
  /** When the cause came to be: ISO 8601. Over 24 hours ago: it is listed, and not mailed. */
  since: string
  /** When it ends at the latest, where that is known. */
  ends_at?: string
}

export interface CauseEnded extends Caused {
  /** When it was over: ISO 8601. */
  until: string
}

/** Where the change stands in the store; null where there was none. */
type Place = Promise<{ checkpoint: Checkpoint | null }>

export interface Alerts {
  raise(cause: Cause): Place
  end(ended: CauseEnded): Place
}

export interface AlertsParts {
  store: EventStore
  clock: Clock
  ids: Ids
}

/** Users whose alerts are remembered. */
const REMEMBERED = 1_000

export const openAlerts = ({ store, clock, ids }: AlertsParts): Alerts => {
  const cache = foldCache(
    { stream: (userId) => alertStream(Number(userId)), events: alertEvents, initial: NO_ALERTS, evolve },
    REMEMBERED,
  )
  const occasionOf = ({ user_id, causation_id, correlation_id }: Caused) => ({
    user_id,
    at: clock.now(),
    causation_id,
    correlation_id,
  })

  return {
    raise: async (cause) => {
      const { user_id, kind, subject, text, since, ends_at = null } = cause
      let id: number | undefined
      return execute(store, cache, String(user_id), occasionOf(cause), async ({ state }) => {
        const alert = (alert_id: number): AlertEventData['AlertRaised'] => {
          return { user_id, alert_id, kind, subject, text, since, ends_at }
        }
        // An id is taken only for what is news.
        if (raise(state, alert(1)).length === 0) return []
        id ??= (await ids.next(1))[0]!
        return raise(state, alert(id))
      })
    },
    end: (ended) =>
      execute(store, cache, String(ended.user_id), occasionOf(ended), ({ state }) => {
        const { user_id, kind, subject, until } = ended
        return end(state, { user_id, kind, subject, until })
      }),
  }
}
