// Tests: tests/integration/delivery/takeover.test.ts
/** Takes over the claims of dead workers. They are announced first, as some of these calls may be made twice. */
import { retry } from '../support/retry.ts'
import type { DeliveryOptions } from './delivery-options.ts'
import type { Heartbeat } from './heartbeat.ts'
import { openAnnouncements } from './open-claims.ts'
import type { Sources } from './sources.ts'

/** Milliseconds that a takeover waits for the read models. */
const LEVEL_WITHIN = 2_000

/** Whether everything that is in the store now is in the read models within this time, milliseconds. */
export const areReadModelsLevel = async (
  { store, readModels }: Pick<DeliveryOptions, 'store' | 'readModels'>,
  within: number,
): Promise<boolean> => {
  const end = await store.end()
  return end === null || readModels.passed(end, within)
}

export interface TakeoverOptions {
  options: DeliveryOptions
  worker: string
  heartbeat: Heartbeat
  sources: Sources
  stopping: AbortSignal
}

export const openTakeover = ({ options, worker, heartbeat, sources, stopping }: TakeoverOptions) => {
  const { store, queue, readModels, soleWorker = false, onClaimsOpen = () => {}, onError = () => {} } = options
  const announcements = openAnnouncements(queue, worker, onClaimsOpen)
  let hasStarted = false
  let isTakingOver = false

  /**
   * Announces the start of this worker. In an embedded database all other workers are dead, and this runs before anything else: it waits
   * for results that the last run recorded.
   */
  const start = async (): Promise<void> => {
    if (soleWorker) {
      const end = await retry(() => store.end(), { signal: stopping, onFailure: onError })
      while (end && !stopping.aborted && !(await readModels.passed(end, 1_000)));
    }
    hasStarted = true
    if (!stopping.aborted) await announcements.start(heartbeat.dead())
  }

  /**
   * Claims may be older than their rows in the read models, so a new takeover waits for these for a while. Claims whose rows come after
   * that wait are taken over after one of the next heartbeats.
   */
  const announce = async (dead: readonly string[]): Promise<void> => {
    if (hasStarted && !announcements.hasAll(dead)) await areReadModelsLevel(options, LEVEL_WITHIN).catch(onError)
    if (hasStarted && !stopping.aborted) await announcements.takeover(dead).catch(onError)
  }

  /** After each heartbeat. Claims are counted before they are taken over. */
  const fromDead = async (): Promise<void> => {
    const dead = heartbeat.dead()
    if (isTakingOver) return
    isTakingOver = true
    await announce(dead).finally(() => (isTakingOver = false))
    if (dead.length > 0 || sources.mayFindLost()) sources.dueRows.takeOverSoon()
  }

  return { start, fromDead }
}
