// Tests: tests/unit/workflows/deliver/rule-check.test.ts, tests/integration/delivery/changed-rules.test.ts
/**
 * Checks deliveries that wait in this worker against their rules: since the claim, the rule may have been paused, deleted or
 * changed, or its account locked. Such deliveries go back to the queue, which decides about them by the current rule.
 *
 * Ten times a second, one statement reads the rules of all deliveries that have waited since the last check. Deliveries that
 * need not wait cost nothing. While the database is away, calls are made by the rules as they were at the claim.
 */
import { waitUnlessAborted } from '../support/abort.ts'
import { retry } from '../support/retry.ts'
import type { Job } from './lanes.ts'
import type { DeliveryQueue } from './queue.ts'

/** Milliseconds between two checks. */
const LOOK_EVERY = 100

export interface RuleCheckOptions {
  queue: Pick<DeliveryQueue, 'presentRules'>
  waiting: () => readonly Job[]
  /** Gives back those of these deliveries that still wait. It never throws. */
  giveBack: (outdated: ReadonlySet<Job>) => Promise<void>
  stopping: AbortSignal
  onError: (error: unknown) => void
}

export const openRuleCheck = ({ onError, waiting, giveBack, stopping, queue }: RuleCheckOptions) => {
  let isRunning = false

  /** Deliveries may wait from now on. Their rules are checked while any waits. */
  const watch = (): void => {
    if (isRunning) return
    void run().catch(onError)
  }

  const run = async (): Promise<void> => {
    isRunning = true
    try {
      while (!stopping.aborted && waiting().length > 0) {
        await waitUnlessAborted(LOOK_EVERY, stopping)
        const outdated = await retry(() => findOutdated(), { signal: stopping, onFailure: onError })
        if (outdated && outdated.size > 0) await giveBack(outdated)
      }
    } finally {
      isRunning = false
    }
  }

  const findOutdated = async (): Promise<Set<Job>> => {
    const lastLook = performance.now() - LOOK_EVERY
    const waited = waiting().filter(({ since }) => since <= lastLook)
    if (waited.length === 0) return new Set()
    const present = await queue.presentRules([...new Set(waited.map(({ rule_id }) => rule_id))])
    const revisions = new Map(present.map(({ rule_id, account_revision }) => [rule_id, account_revision]))
    return new Set(
      waited.filter(({ rule_id, claimed: { rule } }) => (revisions.get(rule_id) ?? Infinity) > rule.account_revision),
    )
  }

  return { watch }
}
