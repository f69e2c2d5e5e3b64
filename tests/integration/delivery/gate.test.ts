import { expect } from 'chai'
import { setTimeout as pause } from 'node:timers/promises'
import type { Account } from '../../../domain/account/account.ts'
import { retry } from '../../../domain/transaction/decide.ts'
import type { Answer } from '../../harness/shop.ts'
import { eventually } from '../../harness/eventually.ts'
import { status } from '../../harness/shop.ts'
import { ALIVE, openDeliverySetting, USER, type DeliverySetting } from './setting.ts'

describe('an ordered or limited rule', () => {
  let setting: DeliverySetting
  beforeEach(async () => (setting = await openDeliverySetting()))
  afterEach(() => setting.close())

  const orderOf = (calls: readonly { body: string }[]) =>
    calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id)

  it('gets the calls of three workers one at a time, in the order of the captures, if it is ordered', async () => {
    let open = 0
    let most = 0
    const answer: Answer = (_call, response) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        response.writeHead(200).end()
      }, 5)
    }
    const shop = await setting.shop(answer)
    const rule = await setting.rule(shop.url, { ordered: 1 })
    for (let number = 0; number < 3; number++) await setting.worker(ALIVE)
    const all: number[] = []
    for (let age = 10; age > 0; age--) all.push(...(await setting.capture([rule], { age })))
    for (const id of all) await setting.untilStatus(id, 'success', 30_000)
    expect(orderOf(shop.calls)).to.deep.equal(all)
    expect(most).to.equal(1)
  })

  it('gets no other call until the first delivery succeeds or its retries are exhausted, if it is ordered', async () => {
    const failsTwice = new Set<number>()
    const shop = await setting.shop(({ body }, response) => {
      const { transaction_id } = JSON.parse(body) as { transaction_id: number }
      const isFirst = transaction_id === Math.min(...failsTwice)
      response.writeHead(isFirst ? 500 : 200).end()
    })
    const rule = await setting.rule(shop.url, { ordered: 1 })
    await setting.worker()
    const [first, ...others] = [
      ...(await setting.capture([rule], { age: 5 })),
      ...(await setting.capture([rule], { age: 4 })),
      ...(await setting.capture([rule], { age: 3 })),
    ]
    failsTwice.add(first!)
    await setting.untilStatus(first!, 'failed')
    for (const id of others) await setting.untilStatus(id, 'success')
    const calls = orderOf(shop.calls)
    expect(calls.slice(0, calls.lastIndexOf(first!) + 1).every((id) => id === first)).to.equal(true)
    expect(calls.slice(-2)).to.deep.equal(others)
  })

  it('gets no second call while one is in flight, even for an older delivery that is sent again, if it is ordered', async () => {
    const open: (() => void)[] = []
    const shop = await setting.shop(status(200))
    const rule = await setting.rule(shop.url, { ordered: 1 })
    const workers = [await setting.worker(ALIVE), await setting.worker(ALIVE)]
    const [older] = await setting.capture([rule], { age: 5 })
    await setting.untilStatus(older!, 'success')
    shop.answer((_call, response) => void open.push(() => response.writeHead(200).end()))
    const [newer] = await setting.capture([rule])
    await eventually(() => open.length === 1)
    const account = { rules: new Map([[rule, {}]]) } as unknown as Account
    const occasion = { by: 'manual', at: new Date(), account, find: () => null, again: true } as const
    await setting.command(older!, (state) => retry(state, occasion))
    // It is due at once, so each of these looks finds it.
    const looked = workers.map(({ looks }) => looks)
    await eventually(() => workers.every(({ looks }, index) => looks > looked[index]! + 3))
    expect(orderOf(shop.calls)).to.deep.equal([older, newer])
    open[0]!()
    await eventually(() => open.length === 2)
    open[1]!()
    for (const id of [older!, newer!]) await setting.untilStatus(id, 'success')
    expect(orderOf(shop.calls)).to.deep.equal([older, newer, older])
  })

  it('gets no second call while one is in flight, even if very many older ones wait, if it is ordered', async () => {
    const open: (() => void)[] = []
    const shop = await setting.shop((_call, response) => void open.push(() => response.writeHead(200).end()))
    const rule = await setting.rule(shop.url, { ordered: 1 })
    const worker = await setting.worker(ALIVE)
    const [newer] = await setting.capture([rule])
    await eventually(() => open.length === 1)
    await setting.capture([rule], { age: 3_600, count: 150 })
    await setting.projector.passed((await setting.store.end())!, 30_000)
    const { looks } = worker
    await eventually(() => worker.looks > looks + 3)
    expect(orderOf(shop.calls)).to.deep.equal([newer])
  })

  for (const [what, fields] of Object.entries({ ordered: { ordered: 1 }, limited: { max_per_minute: 600 } } as const))
    it(`does not wait for the time of a capture whose clock was ahead, if it is ${what}`, async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url, fields)
      await setting.worker()
      const [ahead] = await setting.capture([rule], { age: -3_600 })
      await setting.untilStatus(ahead!, 'success')
      const [inTime] = await setting.capture([rule])
      await setting.untilStatus(inTime!, 'success')
      expect(orderOf(shop.calls)).to.deep.equal([ahead, inTime])
    })

  it('gets no more calls than its limit from three workers together, if it is limited', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url, { max_per_minute: 600 })
    const free = await setting.rule(shop.url)
    for (let number = 0; number < 3; number++) await setting.worker(ALIVE)
    const all = await setting.capture([rule], { count: 40 })
    const others = await setting.capture([free], { count: 40 })
    for (const id of others) await setting.untilStatus(id, 'success')
    for (const id of all) await setting.untilStatus(id, 'success', 30_000)
    expect(shop.calls).to.have.length(80)
    // The times of the claims by the clock of the database. On a busy machine the calls themselves are late.
    const times = (
      await setting.query<{ claimed_at: string }>(
        'SELECT claimed_at FROM ops.claim WHERE rule_id = $1 ORDER BY claimed_at',
        [rule],
      )
    ).map(({ claimed_at }) => Date.parse(claimed_at))
    // At most ten at once, then about one every tenth of a second.
    expect(times).to.have.length(40)
    expect(times.at(-1)! - times[0]!).to.be.above((40 - 10) * 95)
    for (let from = 0; from + 20 < times.length; from++) expect(times[from + 20]! - times[from]!).to.be.above(900)
  })

  it('does not get at once what waited while its endpoint was slow, if it is limited', async () => {
    const late: (() => void)[] = []
    const shop = await setting.shop((_call, response) => void late.push(() => response.end('ok')))
    const rule = await setting.rule(shop.url, { max_per_minute: 600 })
    await setting.worker({ limits: { first: { perEndpoint: 2 } } })
    const all = await setting.capture([rule], { count: 80 })
    await eventually(() => shop.calls.length === 2)
    // Forty more could be made in this time.
    await pause(4_000)
    shop.answer(status(200))
    const freedAt = Date.now()
    for (const answer of late) answer()
    for (const id of all) await setting.untilStatus(id, 'success', 30_000)
    // At most ten waited, and ten are made at once. Then there is about one every tenth of a second.
    expect(shop.calls.filter(({ at }) => at - freedAt < 1_000).length).to.be.at.most(2 + 10 + 10 + 10)
  })

  for (const [what, fields] of Object.entries({ ordered: { ordered: 1 }, limited: { max_per_minute: 600 } } as const))
    it(`gets nothing while its account is locked, if it is ${what}`, async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url, fields)
      await setting.account(USER, { type: 'AccountLocked', data: { user_id: USER, reason: 'abuse' } })
      const [transaction] = await setting.capture([rule], { age: 120 })
      await setting.projector.passed((await setting.store.end())!, 30_000)
      const worker = await setting.worker()
      await eventually(() => worker.looks >= 3)
      expect(shop.calls).to.be.empty
      await setting.account(USER, { type: 'AccountUnlocked', data: { user_id: USER } })
      await setting.untilStatus(transaction!, 'success')
    })

  it('is called like any other rule when it is no longer ordered or limited', async () => {
    const shop = await setting.shop(status(500))
    const rule = await setting.rule(shop.url, { ordered: 1 })
    await setting.worker({ schedule: [3_600] })
    const [first, second] = [
      ...(await setting.capture([rule], { age: 5 })),
      ...(await setting.capture([rule], { age: 4 })),
    ]
    await eventually(async () => (await setting.attempts(first!)).length === 1)
    shop.answer(status(200))
    // The second is due in the queue only after a minute, because it is otherwise left to the log.
    await setting.account(USER, { type: 'RuleChanged', data: { user_id: USER, rule_id: rule, ordered: 0 } })
    await setting.untilStatus(second!, 'success')
    expect(await setting.attempts(first!)).to.have.length(1)
  })

  it('continues if the worker that claimed its next call is dead', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url, { ordered: 1 })
    const all = [...(await setting.capture([rule], { age: 5 })), ...(await setting.capture([rule], { age: 4 }))]
    await setting.projector.passed((await setting.store.end())!, 10_000)
    await setting.query("INSERT INTO ops.worker (worker, beat) VALUES ('00000000-0000-4000-8000-000000000001', 1)")
    await setting.query("INSERT INTO ops.claim VALUES ($1, $2, 1, '00000000-0000-4000-8000-000000000001')", [
      all[0],
      rule,
    ])
    await setting.worker()
    for (const id of all) await setting.untilStatus(id, 'success')
    expect(orderOf(shop.calls)).to.deep.equal(all)
  })
})
