// Tests: tests/integration/projections/projector.test.ts
/** The state of a projector, for its health and its log lines. A failure that repeats is logged once. */
import { decidedAt } from '../../domain/parse-event.ts'
import type { Batch, Checkpoint, LogLines } from '../../domain/ports.ts'
import { NewerReadModels } from './checkpoint.ts'

export type ProjectorState =
  /** not running: another process has the turn, or it has not started yet */
  | 'idle'
  | 'rebuilding'
  | 'catching_up'
  | 'live'
  /** the database or the store does not answer */
  | 'away'
  /** another process has moved the checkpoint */
  | 'overtaken'
  /** the read models are of a newer version of Baoco */
  | 'outdated'
  /** a failure that is no outage, see `reason` */
  | 'stopped'

export interface ProjectorHealth {
  state: ProjectorState
  /** Why it stopped, is away or rebuilds; otherwise null. */
  reason: string | null
  position: Checkpoint | null
  /** When the last applied event was decided. */
  last_event_at: string | null
  /** Events applied since the start. */
  applied: number
}

/** @param isAway  whether a failure means that the database or the store does not answer */
export const openStatus = (
  projector: string,
  log: Pick<LogLines, 'warn' | 'error'>,
  isAway: (error: unknown) => boolean,
) => {
  let state: ProjectorState = 'idle'
  let because: string | null = null
  let lastEventAt: string | null = null
  let count = 0
  /** The reason in the last log line about a stop, until a batch is applied. */
  let loggedStop: string | null = null
  let loggedNewer = false
  const startedAt = performance.now()

  const is = (next: ProjectorState, reason: string | null = null): void => {
    state = next
    because = reason
  }

  const health = (position: Checkpoint | null): ProjectorHealth => ({
    state,
    reason: because,
    position,
    last_event_at: lastEventAt,
    applied: count,
  })

  const isLive = (): boolean => state === 'live'
  const hasStopped = (): boolean => state === 'stopped'
  const isRunning = (): boolean => state === 'rebuilding' || state === 'catching_up' || isLive()

  /** How late the read models are, milliseconds. Infinity if no event has been applied since the start. */
  const lateMs = (): number => {
    // oxlint-disable-next-line pure/inside -- the delay of real events on the wall clock decides nothing that is stored
    return lastEventAt === null ? Infinity : Date.now() - Date.parse(lastEventAt)
  }

  const lag = (): number => {
    if (isLive()) return 0
    return lastEventAt === null ? performance.now() - startedAt : Math.max(0, lateMs())
  }

  const applied = ({ events, live }: Batch): void => {
    count += events.length
    lastEventAt = events.reduce((newest, event) => decidedAt(event) ?? newest, lastEventAt)
    loggedStop = null
    is(live ? 'live' : 'catching_up')
  }

  /** After a failure that is retried. */
  const failed = (error: unknown): void => {
    const reason = (error as Error).message
    const next = isAway(error) ? 'away' : 'stopped'
    if (next === 'away' && state !== next) log.warn({ projector, reason }, 'projection.away')
    if (next === 'stopped' && loggedStop !== reason) log.error({ projector, reason }, 'projection.stopped')
    loggedStop = next === 'stopped' ? reason : null
    is(next, reason)
  }

  /** After a failure that ends the turn. */
  const ended = (error: unknown): void => {
    const reason = (error as Error).message
    const isOutdated = error instanceof NewerReadModels
    is(isOutdated ? 'outdated' : 'overtaken', reason)
    if (!isOutdated) log.warn({ projector, reason }, 'projection.overtaken')
    else if (!loggedNewer) log.warn({ projector, reason }, 'projection.newer')
    loggedNewer = isOutdated
  }

  return { is, isRunning, isLive, hasStopped, health, lateMs, lag, applied, failed, ended }
}
