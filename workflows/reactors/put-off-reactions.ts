// Tests: tests/unit/workflows/reactors/put-off-reactions.test.ts, tests/integration/reactors/put-off.test.ts
/**
 * Reactions that cannot be done now: they need a stream with an event that cannot be read, or the data of their event makes them fail. They
 * are listed and tried again, so that the reactors can go on: now and then, and at once when the operator has decided about a parked event.
 */
import { handle } from '../../domain/catalogue.ts'
import { NotOpened, Refused } from '../../domain/errors.ts'
import { isReadable, UnreadableEvent, type StoredEvent } from '../../domain/parse-event.ts'
import type { EventStore } from '../../domain/ports.ts'
import type { Reactor } from './reactor.ts'

export interface PutOff {
  reactor: string
  stream: string
  revision: number
}

export interface PutOffs {
  all(): Promise<PutOff[]>
  /** @param reason  why it waits */
  keep(reaction: PutOff, reason: string): Promise<void>
  done(reaction: PutOff): Promise<void>
}

/** A reaction that fails because of its event, and not of one that cannot be read, is put off after this many tries. */
export const MOST_TRIES = 3

/**
 * Whether the same event would make the reaction fail again, unlike an unavailable server.
 * @param isRefusal  whether the database refused the data
 */
export const isLasting = (error: unknown, isRefusal: (error: unknown) => boolean): boolean =>
  [TypeError, RangeError, Refused, NotOpened].some((kind) => error instanceof kind) || isRefusal(error)

export const putOffOf = ({ name }: Reactor, { stream, revision }: StoredEvent): PutOff => ({
  reactor: name,
  stream,
  revision,
})

/**
 * Tries every reaction that waits once.
 * @param failed  called with each that still fails
 */
export const tryPutOffs = async (
  { store, reactors, putOffs }: { store: Pick<EventStore, 'read'>; reactors: readonly Reactor[]; putOffs: PutOffs },
  failed: (reaction: PutOff, error: unknown) => void,
  signal: AbortSignal,
): Promise<void> => {
  for (const reaction of await putOffs.all()) {
    if (signal.aborted) break
    const { reactor, stream, revision } = reaction
    try {
      const [[event] = []] = await store.read([{ stream, from: revision, limit: 1 }])
      if (event?.type === 'Unreadable' && event.revision === revision) throw new UnreadableEvent(event)
      const answers = reactors.find(({ name }) => name === reactor)?.answers
      if (answers && event && event.revision === revision && isReadable(event)) await handle(answers, event)
      await putOffs.done(reaction)
    } catch (error) {
      failed(reaction, error)
    }
  }
}
