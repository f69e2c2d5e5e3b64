// Tests: tests/unit/workflows/scheduled/watch-endpoints.test.ts
/**
 * Watches things that may fail, such as endpoints. Raises an alert about each one that fails. Ends the alert when that one has worked for a
 * while, or is no longer used. Since when it works is only in memory: if it is lost, the time counts from the next check. The alert is an event.
 */
import type { Alerts, Cause, CauseEnded } from '../alerts/alerts.ts'
import { unlessUnreadable } from '../support/unless-unreadable.ts'
import type { ScheduledJob } from './scheduled-work.ts'
import { ownCause } from '../support/stamp.ts'

/** An alert that lasts. */
export interface LastingAlert {
  user_id: number
  subject: string
  /** Alerts about the same subject in the last 24 hours, with this one. */
  alerts: number
  /** Whether its subject is in use. */
  is_used: boolean
  /** When the alerts were read, by the clock that decides what fails. */
  looked_at: string
}

type Raised = Pick<Cause, 'user_id' | 'subject' | 'since' | 'text'>
type Ended = Pick<CauseEnded, 'user_id' | 'subject' | 'until'>

export interface WatchParts<Failing, Lasting extends LastingAlert> extends Pick<ScheduledJob, 'name' | 'at'> {
  kind: Cause['kind']
  failing: () => Promise<readonly Failing[]>
  lasting: () => Promise<readonly Lasting[]>
  alerts: Pick<Alerts, 'raise' | 'end'>
  alertOf: (failing: Failing) => Raised
  /** @param isListed  whether `failing` contains the subject of the alert */
  isCalm: (alert: Lasting, isListed: boolean) => boolean
  /** Milliseconds without a failure that end the alert. @param alerts  in the last 24 hours, with this one */
  calmNeeded: (alerts: number) => number
  onRaised?: (failing: Failing) => void
  onEnded?: (alert: Ended) => void
}

const nameOf = ({ user_id, subject }: { user_id: number; subject: string }): string => `${user_id} ${subject}`

/** A time in the future was noted while the clock was ahead. */
const earlier = (noted: string | undefined, present: string): string =>
  noted !== undefined && Date.parse(noted) < Date.parse(present) ? noted : present

export const watch = <Failing, Lasting extends LastingAlert>(parts: WatchParts<Failing, Lasting>): ScheduledJob => {
  const { name, at, kind, alerts, alertOf, isCalm, calmNeeded, onRaised, onEnded } = parts
  /** When a check first found the subject of an alert calm, by name. */
  let calmSince: ReadonlyMap<string, string> = new Map()

  const run = async (signal: AbortSignal): Promise<{ raised: number; ended: number } | null> => {
    const caused = { kind, ...ownCause() }
    const known = await parts.lasting()
    const isKnown = new Set(known.map(nameOf))
    const isListed = new Set<string>()
    let raised = 0
    for (const failing of await parts.failing()) {
      if (signal.aborted) return null
      const alert = alertOf(failing)
      isListed.add(nameOf(alert))
      if (isKnown.has(nameOf(alert))) continue
      if (!(await unlessUnreadable(() => alerts.raise({ ...caused, ...alert })))?.checkpoint) continue
      raised++
      onRaised?.(failing)
    }
    const calm = known.filter((alert) => isCalm(alert, isListed.has(nameOf(alert))))
    calmSince = new Map(calm.map((alert) => [nameOf(alert), earlier(calmSince.get(nameOf(alert)), alert.looked_at)]))
    let ended = 0
    for (const alert of calm) {
      if (signal.aborted) return null
      const { user_id, subject, looked_at, is_used } = alert
      const until = calmSince.get(nameOf(alert))!
      if (is_used && Date.parse(looked_at) - Date.parse(until) < calmNeeded(alert.alerts)) continue
      const end = { user_id, subject, until }
      if (!(await unlessUnreadable(() => alerts.end({ ...caused, ...end })))?.checkpoint) continue
      ended++
      onEnded?.(end)
    }
    return raised + ended > 0 ? { raised, ended } : null
  }

  return { name, at, run }
}
