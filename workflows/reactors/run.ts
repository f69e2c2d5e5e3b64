// Tests: tests/integration/reactors/reactors.test.ts
/**
 * All reactors share one subscription and one checkpoint. The checkpoint is saved after the work on its events is done.
 * So after a crash, or if several processes run the reactors, an event arrives again. Every reactor must treat it as
 * done.
 *
 * A failed reactor is retried until it succeeds: a skipped event could be an erasure that never happens. Meanwhile the
 * other reactors wait, and each failure is logged.
 */
import { handle } from '../../domain/catalogue.ts'
import { isReadable, type StoredEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { retry } from '../support/retry.ts'
import { isPositionIn, storePositionOf, type StorePosition } from '../support/store-position.ts'
import type { Reactor } from './reactor.ts'

export interface ReactorCheckpoint {
  /** null before the first event */
  load(): Promise<StorePosition | null>
  save(position: StorePosition): Promise<void>
}

interface Lines {
  warn(fields: object, what: string): void
  error(fields: object, what: string): void
}

export interface ReactorsOptions {
  store: EventStore
  reactors: readonly Reactor[]
  checkpoint: ReactorCheckpoint
  log: Lines
}

/** If events need no work, the checkpoint is saved only this often: milliseconds. */
const SAVE_EVERY_MS = 1_000
const BACK_OFF = { firstMs: 50, mostMs: 30_000 }

/** Runs until the signal aborts. While the store or the database is unavailable, it keeps retrying. */
export const runReactors = async (options: ReactorsOptions, signal: AbortSignal): Promise<void> => {
  const { store, reactors, checkpoint } = options
  const insist = insisting(options, signal)
  const start = await insist('start', () => startPosition(options))
  if (signal.aborted) return
  const prefixes = [...new Set(reactors.flatMap((each) => each.prefixes))]
  const reactorsOf = byType(reactors)
  let savedAt = -Infinity
  for await (const { events } of store.subscribe({ after: start ?? null, prefixes, signal })) {
    let isDone = false
    for (const event of events) {
      for (const { name, answers } of reactorsOf(event.type)) {
        const answer = async () => (isReadable(event) ? handle(answers, event) : 'nothing')
        if ((await insist(name, answer, event)) !== 'nothing') isDone = true
      }
      if (signal.aborted) return
    }
    const last = events.at(-1)
    if (!last || (!isDone && performance.now() - savedAt < SAVE_EVERY_MS)) continue
    await insist('save', () => checkpoint.save(storePositionOf(last)))
    savedAt = performance.now()
  }
}

/** Reactors by the type of event that they answer, found once for each type; an event that cannot be read concerns all of them. */
const byType = (reactors: readonly Reactor[]): ((type: StoredEvent['type']) => readonly Reactor[]) => {
  const found = new Map<string, readonly Reactor[]>()
  return (type) => {
    let those = found.get(type)
    if (!those) {
      those = type === 'Unreadable' ? reactors : reactors.filter(({ answers }) => answers[type])
      found.set(type, those)
    }
    return those
  }
}

/** Starts after the last processed event, or from the first event if the store is a different one. */
const startPosition = async ({ store, checkpoint, log }: ReactorsOptions): Promise<Checkpoint | null> => {
  const position = await checkpoint.load()
  if (!position) return null
  if (await isPositionIn(store, position)) return position.checkpoint
  log.warn({ reason: 'last processed event not found in the store' }, 'reactions.from_the_first_event')
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
