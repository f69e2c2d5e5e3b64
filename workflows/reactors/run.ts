// Tests: tests/integration/reactors/run.test.ts
/**
 * All reactors share one subscription and one checkpoint. The checkpoint is saved after the work on its events is done.
 * So after a crash, or if several processes run the reactors, an event arrives again. Every reactor must treat it as
 * done.
 *
 * While a server is unavailable, a reactor is retried and the others wait: a skipped event could be an erasure that never happens. A
 * reaction that fails because of its event, or of another event that cannot be read, is put off (`put-off-reactions.ts`), and the others go on. So is
 * one that fails again and again for another reason while both servers work. An event that cannot be read is put off for all reactors that
 * its type may concern.
 */
import { handle } from '../../domain/catalogue.ts'
import { isResolution } from '../../domain/parked/resolutions.ts'
import { PARKED_STREAM } from '../../domain/parked/events.ts'
import { isReadable, UnreadableEvent, type StoredEvent } from '../../domain/parse-event.ts'
import { StoreUnavailable } from '../../domain/errors.ts'
import type { Checkpoint, EventStore, LogLines } from '../../domain/ports.ts'
import { waitUnlessAborted } from '../support/abort.ts'
import { retry } from '../support/retry.ts'
import { together } from '../support/together.ts'
import { isPositionIn, lastPositionIn, storePositionOf, type StorePosition } from '../support/store-position.ts'
import { isLasting, MOST_TRIES, putOffOf, tryPutOffs, type PutOff, type PutOffs } from './put-off-reactions.ts'
import type { Answered, Reactor } from './reactor.ts'

export interface ReactorCheckpoint {
  /** null before the first event */
  load(): Promise<StorePosition | null>
  save(position: StorePosition): Promise<void>
}

export interface ReactorsOptions {
  store: EventStore
  reactors: readonly Reactor[]
  checkpoint: ReactorCheckpoint
  putOffs: PutOffs
  log: Pick<LogLines, 'warn' | 'error'>
  /** Whether the database refused the data of a statement. */
  isRefusal?: (error: unknown) => boolean
  /** Only tests set another value. */
  mostFailures?: number
}

/** A reaction is put off after this many failures that have no known cause: with the pauses, after five seconds. */
const MOST_FAILURES = 8

/** If events need no work, the checkpoint is saved only this often: milliseconds. */
const SAVE_EVERY_MS = 1_000
const BACK_OFF = { firstMs: 50, mostMs: 30_000 }
/** Reactions that were put off are tried again this often: milliseconds. */
const TRY_EVERY_MS = 60_000

/**
 * Runs until the signal aborts. While the store or the database is unavailable, it keeps retrying.
 * @throws an error with which the store refuses the subscription
 */
export const runReactors = async (options: ReactorsOptions, signal: AbortSignal): Promise<void> => {
  const { store, reactors, putOffs, log } = options
  const failed = ({ reactor, stream, revision }: PutOff, error: unknown): void =>
    log.warn({ reaction: reactor, stream, revision, reason: (error as Error).message }, 'reaction.waits')
  let trying: Promise<unknown> = Promise.resolve()
  /** One round at a time. A failure of the list itself is retried with the next round. */
  const tryAll = (until: AbortSignal): Promise<unknown> =>
    (trying = trying.then(() =>
      tryPutOffs({ store, reactors, putOffs }, failed, until).catch((error: unknown) =>
        log.error({ reaction: 'put_off', reason: (error as Error).message }, 'reaction.failed'),
      ),
    ))
  const nowAndThen = async (until: AbortSignal): Promise<void> => {
    while (!until.aborted) {
      await tryAll(until)
      await waitUnlessAborted(TRY_EVERY_MS, until)
    }
  }
  // A store that refuses the subscription ends both.
  await together(signal, [(until) => follow(options, () => tryAll(until), until), nowAndThen])
}

const follow = async (
  options: ReactorsOptions,
  tryPutOffs: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> => {
  const { store, reactors, checkpoint } = options
  const insist = insisting(options, signal)
  const start = await insist('start', () => startPosition(options))
  const prefixes = [...new Set([...reactors.flatMap((each) => each.prefixes), PARKED_STREAM])]
  const reactorsOf = byType(reactors)
  let savedAt = -Infinity
  for await (const { events } of store.subscribe({ after: start ?? null, prefixes, signal })) {
    let isDone = false
    for (const event of events) {
      for (const reactor of reactorsOf(event)) {
        // A reaction that the abort has ended is not done. Later ones do not begin, and the checkpoint stays.
        if (signal.aborted) return
        const begun = answer(reactor, event)
        if (begun === 'nothing') continue
        if ((await insist(reactor.name, reacting(options, reactor, event, begun), event)) !== 'nothing') isDone = true
      }
      if (isResolution(event)) await tryPutOffs()
    }
    const last = lastPositionIn(events)
    if (!last || (!isDone && performance.now() - savedAt < SAVE_EVERY_MS)) continue
    await insist('save', () => checkpoint.save(storePositionOf(last)))
    savedAt = performance.now()
  }
}

/** Lets a reactor answer an event. A failure is always a rejection. */
const answer = (reactor: Reactor, event: StoredEvent): Answered => {
  try {
    if (event.type === 'Unreadable') throw new UnreadableEvent(event)
    return (isReadable(event) && handle(reactor.answers, event)) || 'nothing'
  } catch (error) {
    return Promise.reject(error as Error)
  }
}

/**
 * One reaction. It is put off if it fails because of its event or of another event that cannot be read, or too often. Without the database,
 * it cannot be put off.
 * @param begun  the first answer. After a failure, the event is answered again.
 */
const reacting = (
  { putOffs, log, isRefusal = () => false, mostFailures = MOST_FAILURES }: ReactorsOptions,
  reactor: Reactor,
  event: StoredEvent,
  begun: Answered,
): (() => Promise<'nothing' | void>) => {
  let first: Answered | null = begun
  let failures = 0
  const next = (): Answered => {
    const answered = first ?? answer(reactor, event)
    first = null
    return answered
  }
  return async () => {
    for (let tries = 1; ; tries++)
      try {
        return await next()
      } catch (error) {
        const isUnreadable = error instanceof UnreadableEvent
        if (error instanceof StoreUnavailable && !isUnreadable) throw error
        const isKnown = isUnreadable || isLasting(error, isRefusal)
        if (!isKnown && ++failures < mostFailures) throw error
        if (isKnown && !isUnreadable && tries < MOST_TRIES) continue
        const { message: reason } = error as Error
        await putOffs.keep(putOffOf(reactor, event), reason)
        const { id: event_id, stream } = event
        log.error({ reaction: reactor.name, reason, event_id, stream }, 'reaction.put_off')
        return
      }
  }
}

/** Reactors by the type of event that they answer, found once for each type. An event that cannot be read may concern all of its stream. */
const byType = (reactors: readonly Reactor[]): ((event: StoredEvent) => readonly Reactor[]) => {
  const found = new Map<string, readonly Reactor[]>()
  return (event) => {
    const { type, stream } = event
    if (type === 'Unreadable')
      return reactors.filter(({ prefixes }) => prefixes.some((each) => stream.startsWith(each)))
    if (type === 'Skipped') return []
    let those = found.get(type)
    if (!those) found.set(type, (those = reactors.filter(({ answers }) => answers[type])))
    return those
  }
}

/** Starts after the last processed event, or from the first event if the store is a different one. */
const startPosition = async ({ store, checkpoint, log }: ReactorsOptions): Promise<Checkpoint | null> => {
  const position = await checkpoint.load()
  if (!position) return null
  if (await isPositionIn(store, position)) return position.checkpoint
  log.warn({ reason: 'last processed event not found in the store' }, 'reactors.from_the_first_event')
  return null
}

const insisting =
  ({ log }: ReactorsOptions, signal: AbortSignal) =>
  async <Result>(
    reactor: string,
    work: () => Promise<Result>,
    event?: { id: string; stream: string },
  ): Promise<Result | undefined> => {
    const onFailure = (error: unknown) => {
      const { message: reason } = error as Error
      log.error({ reaction: reactor, reason, event_id: event?.id, stream: event?.stream }, 'reaction.failed')
    }
    return retry(work, { signal, backOff: BACK_OFF, onFailure })
  }
