/**
 * The only way to retry work after a failure: growing pauses with jitter, until the work is done or a rule ends the
 * attempts.
 */
import { waitUnlessAborted } from './abort.ts'

export interface BackOff {
  /** Milliseconds after the first failure. Each further failure doubles the pause. */
  firstMs: number
  mostMs: number
}

const DEFAULT: BackOff = { firstMs: 50, mostMs: 5_000 }

/** Half to all of a pause, at random, so that processes that failed together do not retry at the same time. */
// oxlint-disable-next-line pure/inside -- the one place where the inside takes a random number
export const jittered = (milliseconds: number): number => milliseconds * (0.5 + Math.random() / 2)

/** @returns the pause after this many earlier failures (from 0), milliseconds, with jitter */
export const pauseAfter = (failures: number, { firstMs, mostMs }: BackOff): number =>
  jittered(Math.min(mostMs, firstMs * 2 ** Math.min(failures, 30)))

export interface RetryRule {
  /** Ends the attempts when it aborts. */
  signal: AbortSignal
  /** May depend on the failure. */
  backOff?: BackOff | ((error: unknown) => BackOff)
  /** The stop rule. It is called after each failure, and ends the attempts by throwing. */
  onFailure: (error: unknown) => unknown
  /** The longest pause at this time, for example until a deadline: milliseconds. */
  mostPauseMs?: () => number
}

/**
 * @param attempt  may call `worked` before it fails: then the pauses start from the first one again
 * @returns the result of an attempt; undefined if the signal aborted before one succeeded
 * @throws what `onFailure` throws
 */
export const retry = async <Result>(
  attempt: (worked: () => void) => Promise<Result>,
  { signal, backOff = DEFAULT, onFailure, mostPauseMs = () => Infinity }: RetryRule,
): Promise<Result | undefined> => {
  let failures = 0
  const worked = () => (failures = 0)
  while (!signal.aborted) {
    try {
      return await attempt(worked)
    } catch (error) {
      await onFailure(error)
      const pauses = typeof backOff === 'function' ? backOff(error) : backOff
      await waitUnlessAborted(Math.min(pauseAfter(failures++, pauses), mostPauseMs()), signal)
    }
  }
  return undefined
}
