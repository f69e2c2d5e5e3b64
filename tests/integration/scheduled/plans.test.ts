/** Tests the scheduled changes of plans (interface, sections 6 and 8; decisions, "Plan order" and "Over quota"). */
import { expect } from 'chai'
import { plansDue } from '../../../projections/account/plan-queries.ts'
import type { AccountEvent } from '../../../domain/account/events.ts'
import { Accounts } from '../../../workflows/accounts/accounts.ts'
import { endPlans, warnOfQuotas } from '../../../workflows/scheduled/plans.ts'
import { openDeliverySetting } from '../delivery/setting.ts'

type Setting = Awaited<ReturnType<typeof openDeliverySetting>>

describe('scheduled work on plans', () => {
  let setting: Setting
  let now: Date
  const parts = () => ({
    accounts: new Accounts(setting.store),
    due: plansDue(setting.database),
    clock: { now: () => now },
  })
  const run = async (job: typeof endPlans) => {
    const details = await job(parts()).run(new AbortController().signal)
    await setting.projector.passed((await setting.store.end())!, 30_000)
    return details
  }
  beforeEach(async () => {
    setting = await openDeliverySetting()
    now = new Date()
  })
  afterEach(() => setting.close())

  const plan = (user_id: number, name: 'Free' | 'Basic' | 'Pro', expires_at: string | null = null): AccountEvent => ({
    type: 'PlanChanged',
    data: { user_id, plan: name, expires_at },
  })
  const eventsOf = async (user: number) =>
    (await setting.store.read([{ stream: `account-${user}` }]))[0]!.map(({ type, data }) => ({ type, data }))
  const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000)

  it('ends each expired plan once, and no other plan', async () => {
    await setting.account(5, plan(5, 'Basic', inMinutes(1).toISOString()))
    await setting.account(6, plan(6, 'Basic', inMinutes(5).toISOString()))
    await setting.account(7, plan(7, 'Pro'))
    await setting.projector.passed((await setting.store.end())!, 30_000)
    expect(await run(endPlans)).to.equal(null)
    now = inMinutes(1)
    expect(await run(endPlans)).to.deep.equal({ ended: 1 })
    expect((await eventsOf(5)).at(-1)).to.deep.equal(plan(5, 'Free'))
    expect(await run(endPlans)).to.equal(null)
    expect((await eventsOf(6)).at(-1)).to.deep.equal(plan(6, 'Basic', inMinutes(4).toISOString()))
  })

  it('warns of a quota at 80 %, once a month, and not of an unlimited quota', async () => {
    const [free, pro] = [
      await setting.rule('http://127.0.0.1:9/', { user: 5 }),
      await setting.rule('http://127.0.0.1:9/', { user: 6 }),
    ]
    await setting.account(5, plan(5, 'Free'))
    await setting.capture([pro], { user: 6, count: 200 })
    await setting.capture([free], { user: 5, count: 79 })
    expect(await run(warnOfQuotas)).to.equal(null)
    await setting.projector.passed((await setting.store.end())!, 30_000)
    expect(await run(warnOfQuotas)).to.equal(null)
    await setting.capture([free], { user: 5, count: 1 })
    await setting.projector.passed((await setting.store.end())!, 30_000)
    expect(await run(warnOfQuotas)).to.deep.equal({ warned: 1 })
    const { type, data } = (await eventsOf(5)).at(-1)!
    expect(type).to.equal('QuotaWarned')
    expect(data).to.include({ user_id: 5, transactions: 80, limit: 100 })
    await setting.capture([free], { user: 5, count: 5 })
    expect(await run(warnOfQuotas)).to.equal(null)
    expect((await eventsOf(5)).filter((event) => event.type === 'QuotaWarned')).to.have.length(1)
  })
})
