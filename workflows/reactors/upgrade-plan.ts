// Tests: tests/unit/workflows/reactors/upgrade-plan.test.ts, tests/integration/http/plans.test.ts
/** Gives the buyer a paid plan, once per payment, and pays the affiliate who referred the buyer the commission. */
import { buyOnce, evolve, NO_BUYER } from '../../domain/account/buyer.ts'
import { accountEvents, accountStream } from '../../domain/account/events.ts'
import { commissionOf } from '../../domain/affiliate/affiliate.ts'
import { openAffiliates } from '../affiliate/affiliates.ts'
import { execute } from '../support/execute.ts'
import { foldCache } from '../support/fold-cache.ts'
import { causedBy } from '../support/stamp.ts'
import { reactor, type Reactor, type ReactorParts } from './reactor.ts'

/** Buyers remembered. */
const REMEMBERED = 100

type Parts = Pick<ReactorParts, 'store' | 'clock' | 'ids' | 'commission'>

export const upgradePlan = ({ store, clock, ids, commission }: Parts): Reactor => {
  const buyers = foldCache(
    { stream: (user) => accountStream(Number(user)), events: accountEvents, initial: NO_BUYER, evolve },
    REMEMBERED,
  )
  const affiliates = openAffiliates({ store, ids })
  return reactor('upgrade_plan', ['plan-order-'], {
    PlanPaid: async (event) => {
      const { id, data } = event
      const { user_id, plan, amount, plan_order_id, paid_at } = data
      const occasion = { user_id, at: clock.now(), ...causedBy(event) }
      const { state } = await execute(store, buyers, String(user_id), occasion, ({ state: buyer }) =>
        buyOnce(buyer, plan, { id, at: new Date(paid_at) }),
      )
      const ref = state.account?.ref
      const affiliate = ref ? await affiliates.ownerOfCode(ref) : null
      if (affiliate === null || affiliate === user_id) return
      const earning = { referred_user_id: user_id, plan_order_id, caused_by: id }
      await affiliates.earn(
        { ...occasion, user_id: affiliate },
        { ...earning, user_id: affiliate, amount: commissionOf(amount, commission) },
      )
    },
  })
}
