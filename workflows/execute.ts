/** load → decide → append on one stream, decided anew when another process was faster. */
import type { Fact } from '../domain/event.ts'
import type { Checkpoint, EventStore } from '../domain/ports.ts'
import type { FoldCache, Folded } from './fold-cache.ts'
import { stamp, type Occasion } from './stamp.ts'

/** Another process keeps being faster: more than this is a fault, not contention. */
const MOST_TRIES = 20

export interface Executed<State> {
  /** The state after the decision. */
  state: State
  revision: number
  /** Where the decision stands in the store; null when it decided nothing. */
  checkpoint: Checkpoint | null
}

/**
 * @param decide  gets the newest state; returns the facts to append (none: nothing happens) or throws `Refused`
 * @throws {Refused} as decided · {StoreUnavailable}
 */
export const execute = async <State>(
  store: EventStore,
  cache: FoldCache<State>,
  key: string,
  occasion: Occasion,
  decide: (folded: Folded<State>) => readonly Fact[] | Promise<readonly Fact[]>,
): Promise<Executed<State>> => {
  let folded = await cache.load(store, key)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const events = stamp(await decide(folded), occasion)
    if (events.length === 0) return { ...folded, checkpoint: null }
    const { stream } = cache.slice(key)
    const [result] = await store.append([[{ stream, expectedRevision: folded.revision, events }]])
    if (result?.ok) {
      const recorded = events.map((event, index) => ({
        ...event,
        stream,
        revision: folded.revision + 1 + index,
        checkpoint: result.checkpoint,
      }))
      return { ...cache.advance(key, recorded), checkpoint: result.checkpoint }
    }
    folded = await cache.load(store, key)
    // A stream whose events have all expired keeps its numbering: nothing newer to fold, so its revision is the expectation.
    if (result && !result.ok && folded.revision < result.conflict.revision)
      folded = { ...folded, revision: result.conflict.revision }
  }
  throw new Error(`gave up after ${MOST_TRIES} conflicts on ${cache.slice(key).stream}`)
}
