import { expect } from 'chai'
import type { Answer } from '../../harness/shop.ts'
import { eventually } from '../../harness/eventually.ts'
import { status } from '../../harness/shop.ts'
import { openDeliverySetting, USER, type DeliverySetting } from './setting.ts'

describe('a rule whose calls are let through one by one', () => {
  let setting: DeliverySetting
  beforeEach(async () => (setting = await openDeliverySetting()))
  afterEach(() => setting.close())

  const orderOf = (calls: readonly { body: string }[]) =>
    calls.map(({ body }) => (JSON.parse(body) as { transaction_id: number }).transaction_id)

  it('when it is ordered: in the order of the captures, none before the one before it is done, by three workers', async () => {
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
    for (let number = 0; number < 3; number++) await setting.worker()
    const all: number[] = []
    for (let age = 10; age > 0; age--) all.push(...(await setting.capture([rule], { age })))
    for (const id of all) await setting.untilStatus(id, 'success', 30_000)
    expect(orderOf(shop.calls)).to.deep.equal(all)
    expect(most).to.equal(1)
  })

  it('when it is ordered: the others wait, also for its retries, until it succeeds or is exhausted', async () => {
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

  for (const [what, fields] of Object.entries({ ordered: { ordered: 1 }, limited: { max_per_minute: 600 } } as const))
    it(`when it is ${what}: what was captured by a clock that was ahead does not wait for that time`, async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url, fields)
      await setting.worker()
      const [ahead] = await setting.capture([rule], { age: -3_600 })
      await setting.untilStatus(ahead!, 'success')
      const [inTime] = await setting.capture([rule])
      await setting.untilStatus(inTime!, 'success')
      expect(orderOf(shop.calls)).to.deep.equal([ahead, inTime])
    })

  it('when it is limited: no more than its share, by three workers together', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url, { max_per_minute: 600 })
    const free = await setting.rule(shop.url)
    for (let number = 0; number < 3; number++) await setting.worker()
    const all = await setting.capture([rule], { count: 40 })
    const others = await setting.capture([free], { count: 40 })
    for (const id of others) await setting.untilStatus(id, 'success')
    for (const id of all) await setting.untilStatus(id, 'success', 30_000)
    expect(shop.calls).to.have.length(80)
    // When they were let through, by the database's clock: a machine that is busy makes the calls themselves late.
    const times = (
      await setting.query<{ claimed_at: string }>(
        'SELECT claimed_at FROM ops.claim WHERE rule_id = $1 ORDER BY claimed_at',
        [rule],
      )
    ).map(({ claimed_at }) => Date.parse(claimed_at))
    // Ten at once at most, then one every tenth of a second and a little.
    expect(times).to.have.length(40)
    expect(times.at(-1)! - times[0]!).to.be.above((40 - 10) * 95)
    for (let from = 0; from + 20 < times.length; from++) expect(times[from + 20]! - times[from]!).to.be.above(900)
  })

  it('is let go like any other when it is neither any more', async () => {
    const shop = await setting.shop(status(500))
    const rule = await setting.rule(shop.url, { ordered: 1 })
    await setting.worker({ schedule: [3_600] })
    const [first, second] = [
      ...(await setting.capture([rule], { age: 5 })),
      ...(await setting.capture([rule], { age: 4 })),
    ]
    await eventually(async () => (await setting.attempts(first!)).length === 1)
    shop.answer(status(200))
    await setting.account(USER, { type: 'RuleChanged', data: { user_id: USER, rule_id: rule, ordered: 0 } })
    await setting.query("UPDATE read_model.delivery SET due_at = now() WHERE lane = 'first'")
    await setting.untilStatus(second!, 'success')
    expect(await setting.attempts(first!)).to.have.length(1)
  })

  it('goes on when the worker that had claimed it is dead', async () => {
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
