// Tests: tests/integration/delivery/delivery.test.ts
/**
 * Deliveries that this worker has claimed but not begun. They wait in the lanes, or aside while their endpoint is
 * failing. They leave when they begin, when they are let go (another worker has them, or nobody may make them), or when
 * they go back to the queue.
 */
import { openRuleCheck } from './rule-check.ts'
import { openSuspendedJobs } from './suspended-jobs.ts'
import type { EndpointState } from './endpoint-updates.ts'
import type { Job, Lanes } from './lanes.ts'
import type { Claimed, DeliveryQueue } from './queue.ts'
import type { TrackedTransactions } from './tracked.ts'

export interface ClaimedJobsOptions {
  worker: string
  queue: Pick<DeliveryQueue, 'giveBack' | 'presentRules' | 'stillMine'>
  lanes: Lanes
  tracked: TrackedTransactions
  /** After it aborts, nothing begins: the sign-off frees the claims. */
  stopping: AbortSignal
  /** These went back to the queue because their rules have changed. */
  onOutdated: (claims: readonly Claimed[]) => void
  /** Claims could not be given back. The queue may still have them. */
  onLost: (error: unknown) => void
  onError: (error: unknown) => void
}

export const openClaimedJobs = ({
  queue,
  stopping,
  onError,
  lanes,
  tracked,
  worker,
  onOutdated,
  onLost,
}: ClaimedJobsOptions) => {
  const suspended = openSuspendedJobs(lanes)
  const ruleCheck = openRuleCheck({
    queue,
    stopping,
    onError,
    waiting: () => waiting(),
    giveBack: (outdated) => giveBackOutdated(outdated),
  })

  const waiting = (): Job[] => [...lanes.jobsWaiting(), ...suspended.jobs()]

  const begin = (claimed: readonly Claimed[]): void => {
    if (stopping.aborted) return
    lanes.add(claimed)
    ruleCheck.watch()
  }

  /** Drops the waiting deliveries, or the chosen ones. They are not made here. */
  const release = (chosen: (job: Job) => boolean = () => true): void => {
    for (const claim of takeOut(chosen)) tracked.release(claim)
  }

  /** While this worker was silent, others may have taken over deliveries that wait here. */
  const releaseLost = async (): Promise<void> => {
    const waited = waiting()
    if (waited.length === 0) return
    const claims = waited.map((job) => job.claimed)
    const lost = new Set(waited)
    for (const index of await queue.stillMine(worker, claims)) lost.delete(waited[index]!)
    release((job) => lost.has(job))
  }

  /** An endpoint has failed often enough here. Its deliveries wait aside until the results of all workers are known. */
  const { suspend } = suspended

  /** Takes the endpoints' state over all workers. Deliveries to an endpoint that must not be called go back to the queue. */
  const update = async (states: readonly EndpointState[]): Promise<void> => {
    await giveBack(suspended.update(states).map(({ claimed }) => claimed))
  }

  const giveBackOutdated = async (outdated: ReadonlySet<Job>): Promise<void> => {
    const claims = takeOut((job) => outdated.has(job))
    if (await giveBack(claims)) onOutdated(claims)
  }

  const takeOut = (chosen: (job: Job) => boolean): Claimed[] => {
    const jobs = [...lanes.takeOut(chosen), ...suspended.takeOut(chosen)]
    return jobs.map(({ claimed }) => claimed)
  }

  /** @returns whether the queue has them again */
  const giveBack = async (claims: readonly Claimed[]): Promise<boolean> => {
    if (claims.length === 0) return true
    try {
      await queue.giveBack(worker, claims)
      return true
    } catch (error) {
      onLost(error)
      return false
    } finally {
      // Until then they are held, so that a search for lost claims leaves them alone.
      for (const claim of claims) tracked.release(claim)
    }
  }

  return { begin, release, releaseLost, suspend, update }
}

export type ClaimedJobs = ReturnType<typeof openClaimedJobs>
