// Tests: tests/integration/delivery/delivery.test.ts
/** The path of a claimed attempt: it waits in its lane, is sent, and its result is recorded and reported to the other workers. */
import { transactionStream } from '../../domain/transaction/events.ts'
import { attempts } from './attempts.ts'
import type { DeliveryOptions } from './delivery-options.ts'
import { openEndpoints, type Endpoints } from './endpoints.ts'
import type { Heartbeat } from './heartbeat.ts'
import { openClaimedJobs, type ClaimedJobs } from './claimed-jobs.ts'
import { Lanes } from './lanes.ts'
import type { Claimed } from './queue.ts'
import { openRecorder, type Recorder } from './recorder.ts'
import { secretCache } from './secret-cache.ts'
import type { TrackedTransactions } from './tracked.ts'

/** How long to wait for the read models to pass a position: milliseconds. */
export const PATIENCE = 5_000

/** The reports of finished calls to the sources of the next attempts. */
export interface Demand {
  /** Something is due in the queue now. */
  wake: () => void
  /** Something is due in this many milliseconds. */
  wakeIn: (milliseconds: number) => void
  /** There may be room again in a lane. */
  roomAgain: () => void
  /** These went back to the queue, and can be claimed by their rules as they are now. */
  claimAgain: (claims: readonly Claimed[]) => void
  /** A claim failed. The queue may have made it nevertheless. */
  claimFailed: (error: unknown) => void
}

export interface CallsOptions {
  options: DeliveryOptions
  /** The name under which this worker claims. */
  worker: string
  tracked: TrackedTransactions
  heartbeat: Heartbeat
  /** After it aborts, no call begins. */
  stopping: AbortSignal
  /** The sources are opened after the calls. */
  demand: () => Demand
}

export interface Calls {
  lanes: Lanes
  /** Claimed attempts that have not begun. */
  claimedJobs: ClaimedJobs
  recorder: Recorder
  endpoints: Endpoints
  /** Aborts the calls in progress. */
  cutOff: () => void
}

export const openCalls = ({ options, worker, tracked, heartbeat, stopping, demand }: CallsOptions): Calls => {
  const { store, queue, sender, ids, vault, readModels, schedule, limits } = options
  const { onAttempt = () => {}, onOpened = () => {}, onError = () => {} } = options
  const cutOff = new AbortController()

  const recorder = openRecorder({ store, queue, ids, tracked, schedule, random: Math.random, onError })

  const makeCall = attempts({
    sender,
    openSecret: secretCache(vault),
    recorder,
    correlationOf: ({ transaction_id }) =>
      tracked.get(transaction_id)?.correlation_id ?? transactionStream(transaction_id),
    now: () => heartbeat.now(),
    onAttempt: (attempt) => {
      if (attempt.next_attempt_at !== null)
        demand().wakeIn(Date.parse(attempt.next_attempt_at) - heartbeat.now().getTime())
      onAttempt(attempt)
    },
    onResult: (claimed, result) => endpoints.note(claimed, result),
    onRecorded: ({ rule }, checkpoint) => {
      // The next delivery of an ordered rule may start when the read models show that this one is done.
      if (rule.ordered) void readModels.passed(checkpoint, PATIENCE).then(() => demand().wake(), onError)
    },
  })

  const lanes: Lanes = new Lanes(async (job) => {
    // Another worker may have taken it over. It waits for the next heartbeat, which checks whether it is still ours.
    if (heartbeat.isSilent()) return lanes.putBack(job)
    await makeCall(job.claimed, cutOff.signal)
    demand().roomAgain()
  }, limits)

  const claimedJobs = openClaimedJobs({
    worker,
    queue,
    lanes,
    tracked,
    stopping,
    onOutdated: (claims) => demand().claimAgain(claims),
    onLost: (error) => demand().claimFailed(error),
    onError,
  })

  const endpoints = openEndpoints({
    send: (updates) => queue.updateEndpoints(updates),
    onStates: (states) => {
      for (const state of states) if (state.opened) onOpened(state)
      void claimedJobs.update(states)
      // Other deliveries wait for an endpoint that answers again.
      if (states.some((state) => !state.held)) demand().wake()
    },
    onFailing: (endpoint) => claimedJobs.suspend(endpoint),
    onError,
  })

  return { lanes, claimedJobs, recorder, endpoints, cutOff: () => cutOff.abort() }
}
