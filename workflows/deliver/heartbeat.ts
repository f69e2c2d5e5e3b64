/**
 * A worker's own heartbeat, and the database's time. A worker that has not beaten for ten seconds may soon count as dead. It begins no
 * call until it beats again. The same holds after a sleep of its machine, because the monotonic clock stands still meanwhile.
 */
import { waitUnlessAborted } from '../support/abort.ts'
import { OtherWorkers } from './other-workers.ts'
import type { DeliveryQueue } from './queue.ts'

/** Milliseconds. */
export const BEAT_EVERY = 5_000

/** Milliseconds between two sweeps of expired rows. */
const SWEEP_EVERY = 60_000

/** How far the clock of the machine is ahead of the monotonic one: milliseconds. A sleep of the machine, or a correction, changes it. */
// oxlint-disable-next-line pure/inside -- shows that time has passed, and that the database's clock may have been ahead
const wallAhead = (): number => Date.now() - performance.now()

export interface HeartbeatOptions {
  queue: DeliveryQueue
  worker: string
  /** Whether all other workers were dead when this one started. Workers found at its first heartbeat are dead. */
  soleWorker: boolean
  /** Milliseconds. */
  every: number
  /** Resolves to whether claims may be swept now. Other work does not wait for it. */
  maySweep: () => Promise<boolean>
}

export const openHeartbeat = ({ every, queue, maySweep, worker, soleWorker }: HeartbeatOptions) => {
  const others = new OtherWorkers()
  let beatenAt = -Infinity
  let aheadAtBeat = 0
  /**
   * The database's time at the zero of our monotonic clock: milliseconds. The machine's own clock may be wrong, and may
   * jump.
   */
  let zero = performance.timeOrigin

  /** Whether our last heartbeat is so old that other workers may take over our claims, or may be, because the clocks differ since. */
  const isSilent = (): boolean => {
    const longest = 2 * every
    return performance.now() - beatenAt > longest || Math.abs(wallAhead() - aheadAtBeat) > longest
  }

  /** The database's time. */
  const now = (): Date => new Date(zero + performance.now())

  /** The database's time, or the machine's if that is earlier: the database's clock may have been set back since the last heartbeat. */
  const earliestNow = (): Date => new Date(Math.min(zero, wallAhead()) + performance.now())

  /**
   * Beats until a stop, and sweeps expired rows from time to time.
   * @param beat  a heartbeat and the work that follows it; the next one makes up for a failed one
   */
  const run = async (
    beat: () => Promise<void>,
    stopping: AbortSignal,
    onError: (error: unknown) => void,
  ): Promise<void> => {
    const sweep = async (): Promise<void> => {
      if ((await maySweep()) && !stopping.aborted) await queue.sweep(others.dead)
    }
    let sweptAt = performance.now()
    for (;;) {
      await waitUnlessAborted(every, stopping)
      if (stopping.aborted) return
      await beat().catch(onError)
      if (performance.now() - sweptAt < SWEEP_EVERY) continue
      sweptAt = performance.now()
      void sweep().catch(onError)
    }
  }

  /** @returns whether the worker was silent before, and whether the queue did not know it: it is new, or the queue was lost */
  const beat = async (): Promise<{ wasSilent: boolean; isNew: boolean }> => {
    const isFirst = beatenAt === -Infinity
    const began = performance.now()
    const answer = await queue.beat(worker).catch((error: unknown) => {
      others.forgive()
      throw error
    })
    // The process may have stood still before the answer came.
    const wasSilent = isSilent()
    beatenAt = performance.now()
    aheadAtBeat = wallAhead()
    zero = answer.now.getTime() - (began + beatenAt) / 2
    others.seen(answer.others, answer.now, { wasSilent, areDead: soleWorker && isFirst })
    return { wasSilent, isNew: answer.isNew }
  }

  return {
    dead: () => others.dead,
    hasOthers: () => others.isAnyAlive,
    lostUntil: () => others.lostUntil,
    isSilent,
    now,
    earliestNow,
    run,
    beat,
  }
}

export type Heartbeat = ReturnType<typeof openHeartbeat>
