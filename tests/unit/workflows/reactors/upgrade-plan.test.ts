import { expect } from 'chai'
import type { EventStore, StreamAppend } from '../../../../domain/ports.ts'
import { DAY_MS } from '../../../../domain/time.ts'
import { upgradePlan } from '../../../../workflows/reactors/upgrade-plan.ts'
import { stamp } from '../../../../workflows/support/stamp.ts'
import { accountFacts } from '../../../harness/accounts.ts'

const NOW = new Date('2026-11-20T00:00:00.000Z')
const occasion = { user_id: 5, at: NOW, correlation_id: 'test', causation_id: 'test' }

describe('a plan that was paid', () => {
  it('lasts from the payment on, however late the payment is handled', async () => {
    const account = stamp(accountFacts(5), occasion).map((event, revision) => Object.assign(event, { revision }))
    const changes: unknown[] = []
    const store = {
      read: async () => [account],
      append: async ([[{ events }]]: [[StreamAppend]]) => {
        changes.push(...events.map(({ data }) => data))
        return [{ ok: true, checkpoint: '1' }]
      },
    } as unknown as EventStore
    const paid_at = new Date(NOW.getTime() - 10 * DAY_MS).toISOString()
    const data = { plan_order_id: 1, user_id: 5, plan: 'Basic', transaction_id: 2, amount: '600000.00', paid_at }
    const [paid] = stamp([{ type: 'PlanPaid', data }], occasion)
    const { answers } = upgradePlan({ store, clock: { now: () => NOW }, commission: 20 } as never)
    await answers.PlanPaid!(paid as never)
    const expires_at = new Date(NOW.getTime() + 355 * DAY_MS).toISOString()
    expect(changes).to.deep.equal([{ user_id: 5, plan: 'Basic', expires_at, caused_by: paid!.id }])
  })
})
