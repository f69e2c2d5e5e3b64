// Tests: tests/unit/cmd/process/wait-for-servers.test.ts, tests/integration/roles/server-lost-at-start.test.ts
/** Waits at the start for a server that is down, and logs which one and why. `/readyz` names it meanwhile. */
import { orAborted, waitUnlessAborted } from '../../workflows/support/abort.ts'
import { isConnectionLost, portIn } from '../../adapters/database/connection-lost.ts'
import { DiskFull, StoreUnavailable, StoreWentBack } from '../../domain/errors.ts'
import { UnreadableEvent } from '../../domain/parse-event.ts'
import type { AwaitedServers } from './front.ts'
import type { LogLines } from '../../domain/ports.ts'

/** Milliseconds until the first log line, before the first attempt times out. */
const REPORT_AFTER_MS = 1_000
const BETWEEN_TRIES = 500
/** Milliseconds between log lines. */
const LOG_EVERY_MS = 10_000

export interface Awaited {
  /** The name of the awaited server, in the log field `waiting_for`. */
  name: string
  /** Resolves when the server answers. */
  ask: () => Promise<unknown>
  /** Whether an error means that the server did not answer, and not that it refused. */
  isAway: (error: unknown) => boolean
  log: Pick<LogLines, 'warn'>
  stopping: AbortSignal
  /** Contains the name while this waits. */
  awaited?: AwaitedServers
  /** Milliseconds until the first log line, if no attempt fails before. */
  reportAfterMs?: number
  /** Why an attempt takes so long, for that line; null if that is not known. */
  explain?: () => Promise<string | null>
}

/** The process must stop before it has started. */
export class StoppedAtStart extends Error {
  override name = 'StoppedAtStart'
  constructor(waitedFor: string) {
    super(`stopped while it waited for the ${waitedFor.replace('_', ' ')}`)
  }
}

/** A server that had answered went away before the start was complete. The start begins again, and waits for it. */
export class LostAtStart extends Error {
  override name = 'LostAtStart'
}

/** Failures of an event store that answers. */
const ANSWERED = [StoreWentBack, DiskFull, UnreadableEvent]

/**
 * The server whose loss made a start fail, and the error by which that was noticed.
 * @returns null if the start failed for another reason, which would be there again
 */
const lostServer = (failure: unknown, databaseUrl: string | undefined): { name: string; error: Error } | null => {
  if (!(failure instanceof Error)) return null
  const inner = failure.cause instanceof Error ? failure.cause : failure
  if (databaseUrl !== undefined && isConnectionLost(inner, portIn(databaseUrl)))
    return { name: 'database', error: inner }
  const isOfStore = failure instanceof StoreUnavailable && !ANSWERED.some((kind) => failure instanceof kind)
  return isOfStore ? { name: 'event_store', error: inner } : null
}

/**
 * @param failure  of a start, after its servers have answered
 * @param given.databaseUrl  undefined for an embedded database
 * @param given.wentBack  aborts when the store is found to have gone back, if that is watched already
 * @returns what the start fails with: {LostAtStart} after a line in the log, {StoppedAtStart}, {StoreWentBack}, or the failure itself
 */
export const orLostAtStart = async (
  failure: unknown,
  {
    databaseUrl,
    log,
    stopping,
    wentBack,
  }: { databaseUrl: string | undefined; wentBack?: AbortSignal } & Pick<Awaited, 'log' | 'stopping'>,
): Promise<unknown> => {
  const lost = lostServer(failure, databaseUrl)
  if (!lost) return failure
  const { name, error } = lost
  log.warn({ waiting_for: name, reason: error.message || (error as NodeJS.ErrnoException).code }, 'start.waiting')
  await waitUnlessAborted(BETWEEN_TRIES, stopping)
  if (stopping.aborted) return new StoppedAtStart(name)
  if (wentBack?.aborted) return new StoreWentBack()
  return new LostAtStart(`the ${name} went away`, { cause: failure })
}

/** @throws {StoppedAtStart} · any other error of the server */
export const untilThere = async ({
  name,
  ask,
  isAway,
  log,
  stopping,
  awaited,
  reportAfterMs = REPORT_AFTER_MS,
  explain = () => Promise.resolve(null),
}: Awaited): Promise<void> => {
  let reportedAt = -Infinity
  let isOver = false
  const report = (reason: string | null | undefined): void =>
    log.warn({ waiting_for: name, ...(reason && { reason }) }, 'start.waiting')
  const reportEarly = async (): Promise<void> => {
    const reason = await explain().catch(() => null)
    if (!isOver && reportedAt === -Infinity) report(reason)
  }
  const reportFailure = ({ message, code }: NodeJS.ErrnoException): void => {
    if (performance.now() - reportedAt < LOG_EVERY_MS) return
    reportedAt = performance.now()
    report(message || code)
  }
  const early = setTimeout(() => void reportEarly(), reportAfterMs)
  awaited?.add(name)
  try {
    for (;;) {
      const failure = await orAborted(ask(), stopping).then(
        () => null,
        (error: Error) => error,
      )
      if (stopping.aborted) throw new StoppedAtStart(name)
      if (failure === null) return
      if (!isAway(failure)) throw failure
      reportFailure(failure.cause instanceof Error ? failure.cause : failure)
      await waitUnlessAborted(BETWEEN_TRIES, stopping)
    }
  } finally {
    isOver = true
    clearTimeout(early)
    awaited?.delete(name)
  }
}
