/** Whether an append is written, repeats an earlier one, or is refused: as a single EventStoreDB 23.10 node was observed to answer. */
import type { AppendOutcome, Expected, ProposedEvent } from './event.ts'

/** A stream as the rules see it. */
interface Target {
  /** Revision of its newest event; undefined if it has never had one. */
  last: number | undefined
  hasMetadata: boolean
  isSoftDeleted: boolean
  /** The revision that an event has, as far as the server still remembers its id. */
  revisionOf(id: string): number | undefined
  idAt(revision: number): string | undefined
}

/** `again`: the revision of the last event of the earlier append. */
type Ruling = 'write' | { again: number } | AppendOutcome

export const rulingOnAppend = (expected: Expected, events: readonly ProposedEvent[], target: Target): Ruling => {
  if (expected === 'any' || expected === 'stream_exists') return anywhere(expected, events, target)
  return after(expected === 'no_stream' ? -1 : expected, events, target)
}

/** An append that names no revision repeats an earlier one if the ids of all its events are remembered. */
const anywhere = (expected: 'any' | 'stream_exists', events: readonly ProposedEvent[], target: Target): Ruling => {
  const known = events.map(({ id }) => target.revisionOf(id))
  if (events.length > 0 && known.every((revision) => revision !== undefined)) return { again: known.at(-1)! }
  if (expected === 'stream_exists') {
    if (target.isSoftDeleted) return { kind: 'stream_deleted' }
    if (target.last === undefined && !target.hasMetadata) return { kind: 'wrong_expected_version', revision: undefined }
  }
  if (known.some((revision) => revision !== undefined)) return { kind: 'wrong_expected_version', revision: target.last }
  return 'write'
}

/**
 * An append that names a revision repeats an earlier one if the same events follow that revision.
 * @param from  -1: the stream must not exist
 */
const after = (from: number, events: readonly ProposedEvent[], target: Target): Ruling => {
  const last = target.last ?? -1
  if (from === last) return 'write'
  if (from < last && events.length > 0) {
    const found = events.map(({ id }, n) => target.idAt(from + 1 + n) === id)
    if (found.every(Boolean)) return { again: from + events.length }
    if (!found[0] && from === -1 && target.isSoftDeleted) return 'write'
  }
  return { kind: 'wrong_expected_version', revision: target.last }
}
