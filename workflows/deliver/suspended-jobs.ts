// Tests: tests/unit/workflows/deliver/suspended-jobs.test.ts, tests/integration/delivery/breaker.test.ts
/**
 * Calls that wait here for an endpoint that must not be called. When an endpoint has failed often enough in this process, its
 * calls are put aside until the results of all workers are known. Then they continue, or go back to the queue with
 * their attempt numbers unused.
 */
import type { EndpointState } from './endpoint-updates.ts'
import type { Job, Lanes } from './lanes.ts'

interface EndpointName {
  user_id: number
  endpoint: string
}

const nameOf = ({ user_id, endpoint }: EndpointName): string => `${user_id} ${endpoint}`

export const openSuspendedJobs = (lanes: Lanes) => {
  let suspended: Job[] = []

  const suspend = (endpoint: EndpointName): void => {
    suspended.push(...takeOutOf(new Set([nameOf(endpoint)])))
  }

  /** @returns the jobs that go back to the queue */
  const update = (states: readonly EndpointState[]): Job[] => {
    const held = new Set(states.filter((state) => state.held).map(nameOf))
    const aside = suspended
    suspended = []
    lanes.add(aside.filter((job) => !held.has(nameOf(job))).map(({ claimed }) => claimed))
    return [...aside.filter((job) => held.has(nameOf(job))), ...takeOutOf(held)]
  }

  const takeOut = (chosen: (job: Job) => boolean): Job[] => {
    const out = suspended.filter(chosen)
    suspended = suspended.filter((job) => !chosen(job))
    return out
  }

  const jobs = (): readonly Job[] => suspended

  /** Leaves manual retries and the calls that the gate has passed: they are made nevertheless. */
  const takeOutOf = (endpoints: ReadonlySet<string>): Job[] => {
    if (endpoints.size === 0) return []
    return lanes.takeOut(
      (job) => endpoints.has(nameOf(job)) && job.claimed.lane !== 'manual' && !job.claimed.endpoint.isPassedThrough,
    )
  }

  return { suspend, update, takeOut, jobs }
}
