// Tests: tests/integration/projections/pace.test.ts
/**
 * When a projector writes its next batch: many small batches cost more than few large ones. Data that a caller waits for
 * is delayed only while receiving is overloaded.
 */
import type { Batch } from '../../domain/ports.ts'
import { waitUnlessAborted } from '../../workflows/support/abort.ts'
import type { Definition } from './definition.ts'
import type { HoldBack } from './held-back.ts'
import type { Waiters } from './waiters.ts'

/** Milliseconds between checks of whether the process is still overloaded. */
const LOOK_AGAIN_MS = 20

/** A batch of fewer events is small. To write a larger one blocks the process for milliseconds. */
const FEW = 60

/** The part of this process that is overloaded. */
export type Pressed = 'receiving' | 'delivering'

export interface PaceOptions {
  definition: Definition
  pressed: () => Pressed | null
  waiters: Waiters
  /** Whether the past has been read. */
  isLive: () => boolean
  /** How late the read models are, milliseconds. */
  lateMs: () => number
}

export const openPace = ({
  definition,
  waiters,
  pressed,
  isLive,
  lateMs,
}: PaceOptions): HoldBack & { giveWay(signal: AbortSignal): Promise<void> } => {
  const mostMs = ({ events }: Batch): number => {
    const { few, many } = definition.heldBackMs
    return events.length < FEW ? few : many
  }

  const canWait = ({ events, live }: Batch): boolean => live && events.length > 0 && events.every(definition.canWait)

  /** Waits before the next batch. The wait is limited, so that the data that a caller waits for does arrive. */
  const giveWay = async (signal: AbortSignal): Promise<void> => {
    const since = performance.now()
    while (givesWay(since) && !signal.aborted) await waitUnlessAborted(LOOK_AGAIN_MS, signal)
  }

  /** @param since  when the last batch was written: milliseconds of `performance.now()` */
  const givesWay = (since: number): boolean => {
    switch (pressed()) {
      case 'receiving':
        return performance.now() - since < definition.gatheringMs
      case 'delivering':
        return !waiters.isAwaited() && lateMs() < definition.mostLateMs
      case null:
        return isLive() && !waiters.isAwaited() && performance.now() - since < definition.restMs
    }
  }

  return { mostMs, canWait, awaited: waiters.awaited, giveWay }
}
