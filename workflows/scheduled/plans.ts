// Tests: tests/integration/scheduled/plans.test.ts
/** Scheduled work on plans: ends them, and warns when most of a quota is used. */
import { endPlan, warnOfQuota } from '../../domain/account/plan-changes.ts'
import type { Clock } from '../../domain/ports.ts'
import { vietnamMonth } from '../../domain/time.ts'
import type { Accounts, OwnersOccasion } from '../accounts/accounts.ts'
import { unlessUnreadable } from '../support/unless-unreadable.ts'
import type { ScheduledJob } from './scheduled-work.ts'
import { ownCause } from '../support/stamp.ts'

/** Accounts that may need action, according to the read models. The decision is made on the account itself. */
export interface PlansDue {
  /** Users whose count in a Vietnamese month has reached the warning level and who were not warned yet. */
  nearlyUsed(month: string, at: Date): Promise<{ user_id: number; transactions: number }[]>
  /** Users whose plan has ended. */
  ended(at: Date): Promise<number[]>
}

interface Parts {
  accounts: Pick<Accounts, 'change'>
  due: PlansDue
  clock: Clock
}

const EVERY_MINUTE = '8 * * * * *'
const LATER_EVERY_MINUTE = '18 * * * * *'

const occasion = (user_id: number, at: Date): OwnersOccasion => ({ user_id, at, ...ownCause() })

/** Records the end of plans. An ended plan counts as Free from its end on, whether this has run or not. */
export const endPlans = ({ accounts, due, clock }: Parts): ScheduledJob => ({
  name: 'end_plans',
  at: EVERY_MINUTE,
  run: async () => {
    const at = clock.now()
    const users = await due.ended(at)
    for (const user of users)
      await unlessUnreadable(() => accounts.change(occasion(user, at), (account) => endPlan(account, at)))
    return users.length > 0 ? { ended: users.length } : null
  },
})

/** Warns each user once per month. The mail follows from the event. */
export const warnOfQuotas = ({ accounts, due, clock }: Parts): ScheduledJob => ({
  name: 'warn_of_quotas',
  at: LATER_EVERY_MINUTE,
  run: async () => {
    const at = clock.now()
    const users = await due.nearlyUsed(vietnamMonth(at), at)
    for (const { user_id, transactions } of users)
      await unlessUnreadable(() =>
        accounts.change(occasion(user_id, at), (account) => warnOfQuota(account, transactions, at)),
      )
    return users.length > 0 ? { warned: users.length } : null
  },
})
