// Tests: tests/integration/delivery/delivery.test.ts
import type { Checkpoint, EventStore, Ids, Log, ReadModels, Sender, Vault } from '../../domain/ports.ts'
import type { AttemptReport } from './attempts.ts'
import type { LaneLimits } from './lane.ts'
import type { ClaimsOpen } from './open-claims.ts'
import type { DeliveryQueue, LaneName } from './queue.ts'

export interface DeliveryOptions {
  store: EventStore
  log: Log
  queue: DeliveryQueue
  sender: Sender
  ids: Ids
  vault: Vault
  readModels: ReadModels
  /**
   * Called with every position that the log brings, before shops are called about it: reads must wait until the read models have
   * passed it. Without this, a call waits for its rows.
   */
  mustShow?: ((checkpoint: Checkpoint) => void) | undefined
  /** Seconds before each retry (`RETRY_SCHEDULE`). */
  schedule: readonly number[]
  /** Whether receiving is overloaded in this process. First attempts then give way to it. */
  givesWay?: () => boolean
  /** This process has just started the database, so the claims in it belong to dead workers. */
  soleWorker?: boolean
  /** One wide line per attempt. */
  onAttempt?: (attempt: AttemptReport) => void
  /**
   * At the start, and when another worker died: how many attempts of dead workers were claimed and not recorded. Each of them may
   * be made twice.
   */
  onClaimsOpen?: (claims: ClaimsOpen) => void
  /** An endpoint's breaker opened. */
  onOpened?: (endpoint: { user_id: number; endpoint: string }) => void
  onError?: (error: unknown) => void
  /** Milliseconds. Only tests set other values. */
  beatEvery?: number
  cutOffAfter?: number
  /** For tests. */
  limits?: Partial<Record<LaneName, Partial<LaneLimits>>>
}
