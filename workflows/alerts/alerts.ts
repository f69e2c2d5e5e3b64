// Tests: tests/integration/http/alerts.test.ts
/**
 * Raises and ends alerts. Both may be called at any time and any number of times: an open alert is not raised again,
 * and an ended one is not ended again. The mail and the call follow from the event (`reactors/send-alerts.ts`).
 *
 * ```ts
 * await alerts.raise({ user_id, kind: 'source_silent', subject: 'device:7', text: '…', since, causation_id, correlation_id })
 * await alerts.end({ user_id, kind: 'source_silent', subject: 'device:7', until, causation_id, correlation_id })
 * ```
 */
import { USUAL_LANGUAGE, type InEach } from '../../domain/account/language.ts'
import { unlessUnreadable } from '../support/unless-unreadable.ts'
import { accountCache, Accounts } from '../accounts/accounts.ts'
import { end, evolve, NO_ALERTS, raise } from '../../domain/alert/alerts.ts'
import { alertEvents, alertStream, type AlertEventData, type AlertKind } from '../../domain/alert/events.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { Checkpoint, Clock, EventStore, Ids } from '../../domain/ports.ts'
import { execute } from '../support/execute.ts'
import { foldCache, foldSnapshots } from '../support/fold-cache.ts'
import { causedBy } from '../support/stamp.ts'
import type { Snapshots } from '../support/snapshots.ts'
import { nextId } from '../support/next-id.ts'

interface Caused {
  user_id: number
  kind: AlertKind
  /** The object of the alert, such as `rule:5` or `device:7`. */
  subject: string
  /** The cause: an event, or a scheduled check. */
  causation_id: string
  correlation_id: string
}

export interface Cause extends Caused {
  /** Plain sentences: the problem, and what the owner can do. The account's language decides. */
  text: InEach
  /** When the cause began: ISO 8601. If that is over 24 hours ago, the alert is listed but not mailed. */
  since: string
  /** When it ends at the latest, if that is known. */
  ends_at?: string
}

export interface CauseEnded extends Caused {
  /** When it ended: ISO 8601. */
  until: string
}

/**
 * The cause of an alert that an event raises: it began with the event.
 * @param lastsMs  how long the alert lasts, milliseconds. Default: until it is ended
 */
export const sinceEvent = (
  event: RecordedEvent,
  lastsMs?: number,
): Pick<Cause, 'since' | 'ends_at' | 'causation_id' | 'correlation_id'> => {
  const { at } = event.metadata
  const ends = lastsMs === undefined ? {} : { ends_at: new Date(Date.parse(at) + lastsMs).toISOString() }
  return { ...causedBy(event), since: at, ...ends }
}

/** The position of the change in the store; null if nothing changed. */
type Appended = Promise<{ checkpoint: Checkpoint | null }>

export interface Alerts {
  raise(cause: Cause): Appended
  end(ended: CauseEnded): Appended
}

export interface AlertsParts {
  store: EventStore
  clock: Clock
  ids: Ids
  /** Snapshots of accounts and alerts. Default: each is read from its stream. */
  snapshots?: Snapshots
}

/** Number of users whose alerts are cached. */
const REMEMBERED = 1_000

export const openAlerts = ({ store, clock, ids, snapshots }: AlertsParts): Alerts => {
  const cache = foldCache(
    { stream: (userId) => alertStream(Number(userId)), events: alertEvents, initial: NO_ALERTS, evolve },
    REMEMBERED,
    foldSnapshots(snapshots, 'alerts'),
  )
  const accounts = new Accounts(store, accountCache(REMEMBERED, snapshots))
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
          return { user_id, alert_id, kind, subject, text: text[USUAL_LANGUAGE], since, ends_at }
        }
        // An id is reserved only for a new alert.
        if (raise(state, alert(1), clock.now()).length === 0) return []
        id ??= await nextId(ids)
        const account = await unlessUnreadable(() => accounts.find(user_id))
        return raise(state, { ...alert(id), text: text[account?.language ?? USUAL_LANGUAGE] }, clock.now())
      })
    },
    end: (ended) =>
      execute(store, cache, String(ended.user_id), occasionOf(ended), ({ state }) => {
        const { user_id, kind, subject, until } = ended
        return end(state, { user_id, kind, subject, until }, clock.now())
      }),
  }
}
