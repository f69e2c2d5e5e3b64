/** Payments of plans, on every store of `STORES`, and with a crash between two streams. */
import { expect } from 'chai'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { accountStream } from '../../../domain/account/events.ts'
import type { Arrival, Taken } from '../../../domain/arrival/arrival.ts'
import { planOrderStream } from '../../../domain/plan-order/events.ts'
import { orderPlan } from '../../../domain/plan-order/plan-order.ts'
import { accountFacts } from '../../harness/accounts.ts'
import { STORES } from './stores.ts'
import { NOW, openWorld, takeUntilAnswered, USER, vietcombankPush, vietcombankSms, type World } from './world.ts'

const plans = { prefix: 'BC', bank_code: 'VCB', account_number: '0011000415567', account_name: 'OPERATOR' }
const ORDER = 42
const BUYER = 8

/** Its price is the amount in the texts of `world.ts`. */
const ordered = orderPlan('Basic', { plan_order_id: ORDER, user_id: BUYER, prefix: 'BC', at: NOW }).map((event) => ({
  ...event,
  data: { ...event.data, amount: '150000.00' },
}))

const cut = vietcombankPush(1, 'NGUYEN VAN...', { stamp: 0 })
const sms = vietcombankSms(1, 'BC0042')
const push = vietcombankPush(1, 'BC0042')
const second = vietcombankSms(2, 'BC0042', { stamp: 60_000 })

const statusOf = (taken: Taken | undefined): string => {
  if (taken?.kind !== 'transaction') throw new Error(`no transaction: ${JSON.stringify(taken)}`)
  return taken.webhook_status
}

for (const [on, openStore] of Object.entries(STORES))
  describe(`the payment of a plan, on ${on}`, function () {
    let world: World
    beforeEach(async () => {
      world = await openWorld(openStore)
      const [registered] = accountFacts(USER)
      const again = { ...registered!, data: { ...registered!.data, operator: true } }
      const { length } = await world.events(accountStream(USER))
      // The same account with operator rights. A repeated registration keeps what later events have added.
      await world.write(accountStream(USER), [again, ...accountFacts(USER).slice(1)], length - 1)
      await world.write(planOrderStream(ORDER), ordered)
    })
    afterEach(() => world.close())

    const orders = async () => (await world.events('plan-order-')).map(({ type }) => type)
    /** One event pays. All other transactions of the same order or event are repetitions. */
    const expectPaidOnce = async (count: number) => {
      expect(await orders()).to.deep.equal(['PlanOrdered', 'PlanPaid'])
      const [, paid] = await world.events('plan-order-')
      const all = [...(await world.transactions()).values()]
      const upgraded = all.filter(({ webhook_status }) => webhook_status === 'plan_upgraded')
      expect(upgraded.map(({ transaction_id }) => transaction_id)).to.deep.equal([
        (paid!.data as { transaction_id: number }).transaction_id,
      ])
      expect(all).to.have.length(count)
      for (const each of all)
        if (each !== upgraded[0]) {
          expect(each.webhook_status).to.equal('already_run')
          expect(each.already_run_of).to.equal(upgraded[0]!.transaction_id)
        }
    }

    it('counts once, however many notifications report it', async () => {
      const capture = world.process({ plans })
      expect(statusOf((await capture.take([sms]))[0])).to.equal('plan_upgraded')
      expect(statusOf((await capture.take([push]))[0])).to.equal('already_run')
      expect(statusOf((await capture.take([sms]))[0]), 'a resend').to.equal('plan_upgraded')
      expect(statusOf((await capture.take([second]))[0])).to.equal('already_run')
      await expectPaidOnce(3)
    })

    it('does not count if the memo says that the money came back', async () => {
      const capture = world.process({ plans })
      expect(statusOf((await capture.take([vietcombankSms(1, 'BC0042 HOAN TRA GD LY DO SAI TK')]))[0])).to.equal(
        'no_match',
      )
      expect(await orders()).to.deep.equal(['PlanOrdered'])
      expect(statusOf((await capture.take([second]))[0])).to.equal('plan_upgraded')
    })

    it('is recognised from the better copy of a text that was cut', async () => {
      const capture = world.process({ plans })
      expect(statusOf((await capture.take([cut]))[0])).to.equal('skipped')
      await capture.take([sms])
      await expectPaidOnce(2)
    })

    it('does not count if the text is old, even if a fresh copy completes it', async () => {
      const capture = world.process({ plans })
      const days = { stamp: -3 * 86_400_000, arrived: 0 }
      expect(statusOf((await capture.take([vietcombankSms(3, 'BC0042', days)]))[0])).to.equal('no_match')
      expect(statusOf((await capture.take([vietcombankPush(4, 'NGUYEN VAN...', days)]))[0])).to.equal('skipped')
      expect(statusOf((await capture.take([vietcombankSms(4, 'BC0042')]))[0])).to.equal('already_run')
      expect(await orders()).to.deep.equal(['PlanOrdered'])
    })

    it('counts once if two notifications of it are in the same group, even if the text of the first is cut', async () => {
      const capture = world.process({ plans })
      const taken = await Promise.all([cut, sms, second].map((each) => capture.take([each])))
      expect(taken).to.have.length(3)
      await expectPaidOnce(3)
    })

    it('counts once if two processes capture two payments at the same moment', async () => {
      const [one, other] = [world.process({ plans }), world.process({ plans })]
      const taken = await Promise.all([one.take([sms]), other.take([second])])
      expect(taken.map(([each]) => statusOf(each)).sort()).to.deep.equal(['already_run', 'plan_upgraded'])
      await expectPaidOnce(2)
    })

    const cases: { name: string; before: Arrival[]; dying: Arrival[]; streams: number }[] = [
      { name: 'a payment', before: [], dying: [sms], streams: 3 },
      { name: 'a better copy that pays', before: [cut], dying: [sms], streams: 4 },
      { name: 'a payment and its copy', before: [], dying: [sms, push], streams: 4 },
      { name: 'two payments of one order', before: [], dying: [sms, second], streams: 4 },
    ]
    for (const { name, before, dying, streams } of cases)
      for (let at = 0; at < streams; at++)
        it(`counts once: ${name}, crash after ${at} of ${streams} streams, sent again to another process`, async () => {
          const { store, dieAfter, isDead } = await world.mortal()
          const mortal = world.process({ store, plans })
          for (const each of before) await takeUntilAnswered(mortal, [each])
          dieAfter(at)
          const failure = await mortal.take(dying).catch((error: unknown) => error)
          isDead()
          expect(failure).to.be.instanceOf(StoreUnavailable)
          const next = world.process({ plans })
          for (const each of [...dying, ...before, ...dying]) await next.take([each])
          await expectPaidOnce(before.length + dying.length)
        })
  })
