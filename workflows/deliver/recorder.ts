/**
 * Records the results of calls. A single result is appended at once. Results that arrive during an append, and shortly
 * after it, form the next group: one append for all of them, in which each transaction is a unit at its known revision.
 * So under load the results share an append and its work in the read models. Only an ordered rule waits for a result.
 * While the store is down, the group waits. Others wait behind it in memory, and `isBehind` stops new claims.
 */
import { Gather } from '../support/gather.ts'
import type { Outcome, Waiting } from './result-groups.ts'
import { openResultWriter, type ResultWriterOptions } from './result-writer.ts'

/**
 * Results in one append. In a burst, a few large appends leave more capacity for the calls in the servers and in this
 * process. Even if each result has the longest response, and JSON escapes all its characters, they are smaller than the
 * 16 MiB that a store accepts at once.
 */
const MOST_IN_GROUP = 512

/** This many results are appended at once, however little time has passed. */
const ENOUGH = 256

/**
 * Milliseconds from the start of one append to the next, if nothing is urgent. Results that arrive in between are
 * appended together.
 */
const APART_MS = 20

/** Results that may wait before new claims stop. */
const BEHIND = 2_000

export interface RecorderOptions extends ResultWriterOptions {
  /** From 0 up to 1. */
  random: () => number
}

export const openRecorder = (options: RecorderOptions) => {
  const unrecorded: Waiting[] = []
  /** How many of them another delivery waits for. */
  let awaited = 0
  const givenUp = new AbortController()
  const writer = openResultWriter(options, givenUp.signal)
  let underWay = 0
  const gather: Gather<Waiting[]> = new Gather({
    apartMs: APART_MS,
    isEnough: () => unrecorded.length >= ENOUGH || awaited > 0,
    take: () => take(),
    handle: (taken) => record(taken),
  })

  /** Results not yet recorded. */
  const backlog = (): number => unrecorded.length + underWay

  /** Whether new claims should wait. */
  const isBehind = (): boolean => writer.isFailing() || backlog() > BEHIND

  /** The transaction is held by the caller's claim until this is recorded. */
  const submit = (outcome: Outcome): void => {
    unrecorded.push({ outcome, attempt_id: 0, random: options.random(), isOutdated: false })
    if (outcome.isAwaited) awaited++
    gather.added()
  }

  /** Resolves when everything that was submitted is recorded, or after `giveUp`. */
  const end = (): Promise<void> => gather.flush()

  /** Ends the attempts to reach the store. */
  const giveUp = (): void => {
    givenUp.abort()
  }

  const take = (): Waiting[] | null => {
    if (givenUp.signal.aborted || unrecorded.length === 0) return null
    const taken = unrecorded.splice(0, MOST_IN_GROUP)
    for (const { outcome } of taken) if (outcome.isAwaited) awaited--
    return taken
  }

  const record = async (taken: readonly Waiting[]): Promise<void> => {
    underWay = taken.length
    try {
      await writer.write(taken)
    } catch (error) {
      if (!givenUp.signal.aborted) throw error
    } finally {
      underWay = 0
    }
  }

  return { backlog, isBehind, submit, end, giveUp }
}

export type Recorder = ReturnType<typeof openRecorder>
