/** What becomes of plans by the clock: their end, and the warning that a quota is nearly used. */
import { randomUUID } from 'node:crypto'
import { endPlan, warnOfQuota } from '../../domain/account/plan-changes.ts'
import type { Clock } from '../../domain/ports.ts'
import { vietnamMonth } from '../../domain/time.ts'
import type { Accounts, OwnersOccasion } from '../accounts/accounts.ts'
import type { PlannedJob } from './scheduled-work.ts'

/** Whom it may concern, as the read models have it; what happens is decided on the account itself. */
export interface PlansDue {
  /** Users whose count of a Vietnamese month has come to where they are warned, and who were not. */
  nearlyUsed(month: string, at: Date): Promise<{ user_id: number; transactions: number }[]>
  /** Users whose plan has ended. */
  ended(at: Date): Promise<number[]>
}

interface Parts {
  accounts: Pick<Accounts, 'change'>
  due: PlansDue
  clock: Clock
}

const EVERY_MINUTE = '* * * * *'

const occasion = (user_id: number, at: Date): OwnersOccasion => {
  const work = randomUUID()
  return { user_id, at, correlation_id: work, causation_id: work }
}

/** A plan that has ended counts as Free from that moment on, whether this has run or not: here it is said for everybody. */
export const endPlans = ({ accounts, due, clock }: Parts): PlannedJob => ({
  name: 'end_plans',
  at: EVERY_MINUTE,
  run: async () => {
    const at = clock.now()
    const users = await due.ended(at)
    for (const user of users) await accounts.change(occasion(user, at), (account) => endPlan(account, at))
    return users.length > 0 ? { ended: users.length } : null
  },
})

/** Says so once a user and month; the mail follows from that. */
export const warnOfQuotas = ({ accounts, due, clock }: Parts): PlannedJob => ({
  name: 'warn_of_quotas',
  at: EVERY_MINUTE,
  run: async () => {
    const at = clock.now()
    const users = await due.nearlyUsed(vietnamMonth(at), at)
    for (const { user_id, transactions } of users)
      await accounts.change(occasion(user_id, at), (account) => warnOfQuota(account, transactions, at))
    return users.length > 0 ? { warned: users.length } : null
  },
})
