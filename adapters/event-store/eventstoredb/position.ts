// Tests: tests/contract/event-store/eventstoredb.test.ts
/** Positions in `$all` and their text form: `commit/prepare`. */
import type { Position } from '@eventstore/db-client'
import type { Checkpoint } from '../../../domain/ports.ts'

const CHECKPOINT = /^(0|[1-9]\d{0,19})\/(0|[1-9]\d{0,19})$/

export const checkpointOf = ({ commit, prepare }: Position): Checkpoint => `${commit}/${prepare}`

/** Before the first event. */
export const START_POSITION: Position = { commit: 0n, prepare: 0n }

/** @throws {RangeError} if this store never issued it */
export const positionOf = (checkpoint: Checkpoint): Position => {
  const [, commit, prepare] = CHECKPOINT.exec(checkpoint) ?? []
  if (commit === undefined || prepare === undefined)
    throw new RangeError(`not a checkpoint of this store: ${checkpoint}`)
  return { commit: BigInt(commit), prepare: BigInt(prepare) }
}

export const isAfter = (a: Position, b: Position): boolean =>
  a.commit === b.commit ? a.prepare > b.prepare : a.commit > b.commit
