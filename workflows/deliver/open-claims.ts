// Tests: tests/integration/delivery/takeover.test.ts
/**
 * Announces calls that may be made twice: attempts that a dead worker claimed, and perhaps made, without recording them. Another
 * worker makes them. They are announced at the start of a worker and at every takeover, once for each dead worker.
 */
import type { DeliveryQueue, OpenClaims } from './queue.ts'

export interface ClaimsOpen {
  at: 'start' | 'takeover'
  /** The worker that makes the calls. */
  worker: string
  claims_open: number
  of: OpenClaims[]
}

export const openAnnouncements = (
  queue: Pick<DeliveryQueue, 'countOpen'>,
  worker: string,
  announce: (claims: ClaimsOpen) => void,
) => {
  let known = new Set<string>()

  /** Whether all of these have been announced. */
  const hasAll = (dead: readonly string[]): boolean => dead.every((each) => known.has(each))

  /** The start of this worker. It is announced even if there are no such calls. */
  const start = (dead: readonly string[]): Promise<void> => look('start', dead)

  const takeover = (dead: readonly string[]): Promise<void> => look('takeover', dead)

  const look = async (at: ClaimsOpen['at'], dead: readonly string[]): Promise<void> => {
    const fresh = dead.filter((each) => !known.has(each))
    const of = fresh.length > 0 ? await queue.countOpen(fresh) : []
    known = new Set(dead)
    const claims_open = of.reduce((sum, each) => sum + each.claims_open, 0)
    if (at === 'start' || claims_open > 0) announce({ at, worker, claims_open, of })
  }

  return { hasAll, start, takeover }
}
