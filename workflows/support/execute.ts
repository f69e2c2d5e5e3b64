/**
 * load → decide → append on one stream. Commands of this process on one stream run in turn, so that they never compete
 * with each other. If another process was faster, the command is decided again, a few times, after growing pauses.
 */
import type { Fact } from '../../domain/event.ts'
import { parseEvent } from '../../domain/parse-event.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { CONFLICT, untilNoConflict } from './conflicts.ts'
import type { FoldCache, Folded } from './fold-cache.ts'
import { stamp, type Occasion } from './stamp.ts'

export interface Executed<State> {
  /** The state after the decision. */
  state: State
  revision: number
  /** The position of the decision in the store; null if it decided nothing. */
  checkpoint: Checkpoint | null
}

/** The last command under way on each stream, by store. */
const underWay = new WeakMap<EventStore, Map<string, Promise<unknown>>>()

/** Runs the work after all earlier work on the stream has ended, whatever its result. */
const inTurn = async <Result>(store: EventStore, stream: string, work: () => Promise<Result>): Promise<Result> => {
  let streams = underWay.get(store)
  if (!streams) underWay.set(store, (streams = new Map()))
  const before = streams.get(stream)
  const running = before ? before.then(work, work) : work()
  streams.set(stream, running)
  try {
    return await running
  } finally {
    if (streams.get(stream) === running) streams.delete(stream)
  }
}

/**
 * @param decide  receives the newest state; returns the facts to append (none: nothing happens) or throws `Refused`
 * @throws {Refused} as decided, or CONFLICT if other processes keep being faster · {StoreUnavailable}
 */
export const execute = <State>(
  store: EventStore,
  cache: FoldCache<State>,
  key: string,
  occasion: Occasion,
  decide: (folded: Folded<State>) => readonly Fact[] | Promise<readonly Fact[]>,
): Promise<Executed<State>> => {
  const { stream } = cache.slice(key)
  return inTurn(store, stream, async () => {
    let folded = await cache.load(store, key)
    return untilNoConflict(async () => {
      const events = stamp(await decide(folded), occasion)
      if (events.length === 0) return { ...folded, checkpoint: null }
      const result = (await store.append([[{ stream, expectedRevision: folded.revision, events }]]))[0]!
      if (result.ok) {
        const { checkpoint } = result
        const recorded = events.map((event, index) =>
          parseEvent({ ...event, stream, revision: folded.revision + 1 + index, checkpoint }),
        )
        return { ...cache.advance(key, recorded), checkpoint }
      }
      const { revision } = result.conflict
      // A fold that is ahead of its stream was made from events that do not exist any more.
      if (revision < folded.revision) cache.forget(key)
      folded = await cache.load(store, key)
      // The numbering of a stream goes on after all its events have expired: then there is nothing newer to fold.
      if (folded.revision < revision) folded = { ...folded, revision }
      return CONFLICT
    })
  })
}
