import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { Account } from '../../../domain/account/account.ts'
import { remove, retry } from '../../../domain/transaction/decide.ts'
import { remakeRequests } from '../../../workflows/deliver/remake-request.ts'
import { eventually } from '../../harness/eventually.ts'
import { hang, status } from '../../harness/shop.ts'
import { ALIVE, holdable, openDeliverySetting, SECRET, USER, vault, type DeliverySetting } from './setting.ts'

const retryByHand = (rules: number[]) => ({
  by: 'manual' as const,
  at: new Date(),
  account: { systems: new Map(), rules: new Map(rules.map((rule) => [rule, {}])) } as unknown as Account,
  find: () => null,
})

describe('delivery', () => {
  let setting: DeliverySetting
  beforeEach(async () => {
    setting = await openDeliverySetting()
  })
  afterEach(() => setting.close())

  it('calls a shop with a signed body and records the attempt and the status', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const worker = await setting.worker()
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
    expect(shop.calls).to.have.length(1)
    const { body, headers, method } = shop.calls[0]!
    expect(method).to.equal('POST')
    expect(await verify(SECRET, body, headers['x-webhook-signature']!)).to.equal(true)
    expect(new Webhook(SECRET).verify(body, headers)).to.include({ transaction_id: transaction, amount: '150000.00' })
    expect(headers['x-webhook-attempt']).to.equal('1')
    const [attempt] = await setting.attempts(transaction!)
    expect(attempt).to.include({ rule_id: rule, attempt: 1, http_status: 200, outcome: 'delivered', url: shop.url })
    await eventually(() => worker.reports.length === 1)
    expect(worker.reports[0]).to.include({ transaction_id: transaction, lane: 'first', outcome: 'delivered' })
  })

  it('retries by the schedule, and fails when the schedule is used up', async () => {
    const shop = await setting.shop(status(500, 'no'))
    const rule = await setting.rule(shop.url)
    const { reports } = await setting.worker()
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'failed')
    const sent = shop.calls.map(({ headers }) => [headers['x-webhook-attempt'], headers['x-webhook-replay']])
    expect(sent).to.deep.equal([
      ['1', undefined],
      ['2', undefined],
      ['3', undefined],
    ])
    expect(new Set(shop.calls.map((call) => call.headers['webhook-id'])).size).to.equal(1)
    expect((await setting.attempts(transaction!)).map(({ outcome }) => outcome)).to.deep.equal([
      'retrying',
      'retrying',
      'exhausted',
    ])
    await eventually(() => reports.length === 3)
    expect(reports[0]!.since_due_ms).to.equal(0)
    for (const { since_due_ms, since_capture_ms } of reports.slice(1))
      expect(since_due_ms).to.be.within(0, since_capture_ms - 1)
  })

  it('dates and signs every attempt anew, because receivers refuse old calls', async () => {
    const shop = await setting.shop(status(500))
    const rule = await setting.rule(shop.url)
    await setting.worker({ schedule: [1.3] })
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'failed')
    const sent = (await setting.attempts(transaction!)).map(({ sent_at }) => Math.floor(Date.parse(sent_at) / 1000))
    expect(sent[1]).to.be.above(sent[0]!)
    expect(shop.calls.map(({ headers }) => Number(headers['webhook-timestamp']))).to.deep.equal(sent)
    expect(shop.calls.map(({ body }) => JSON.parse(body).timestamp)).to.deep.equal(sent)
    for (const { body, headers } of shop.calls) {
      expect(await verify(SECRET, body, headers['x-webhook-signature']!)).to.equal(true)
      new Webhook(SECRET).verify(body, headers)
    }
  })

  it('continues the attempt numbers on a manual retry', async () => {
    const shop = await setting.shop(status(500))
    const rule = await setting.rule(shop.url)
    await setting.worker({ schedule: [] })
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'failed')
    shop.answer(status(200))
    await setting.command(transaction!, (state) => retry(state, retryByHand([rule])))
    await setting.untilStatus(transaction!, 'success')
    expect(shop.calls.map((call) => call.headers['x-webhook-attempt'])).to.deep.equal(['1', '2'])
  })

  it('calls the rule again as a replay if the owner sends a delivered transaction again, until the end of the round', async () => {
    const shop = await setting.shop(status(200))
    const rule = await setting.rule(shop.url)
    await setting.worker({ schedule: [0.01] })
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'success')
    const again = { ...retryByHand([rule]), again: true }
    shop.answer(status(500))
    await setting.command(transaction!, (state) => retry(state, again))
    await setting.untilStatus(transaction!, 'failed')
    shop.answer(status(200))
    await setting.command(transaction!, (state) => retry(state, again))
    await setting.untilStatus(transaction!, 'success')
    const sent = shop.calls.map(({ headers }) => [headers['x-webhook-attempt'], headers['x-webhook-replay']])
    expect(sent).to.deep.equal([
      ['1', undefined],
      ['2', '1'],
      ['3', '1'],
      ['4', '1'],
    ])
    expect(new Set(shop.calls.map(({ headers }) => headers['webhook-id'])).size).to.equal(1)
    const requests = await remakeRequests({ store: setting.store, vault }, USER, transaction!)
    expect([...requests.values()].map(({ headers }) => headers['x-webhook-replay'])).to.deep.equal([
      undefined,
      '1',
      '1',
      '1',
    ])
  })

  it('ends at once on a 410 answer', async () => {
    const shop = await setting.shop(status(410))
    const rule = await setting.rule(shop.url)
    await setting.worker()
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'failed')
    expect((await setting.events(transaction!)).map(({ type }) => type)).to.deep.equal([
      'TransactionCaptured',
      'WebhookAttempted',
      'DeliveryEnded',
      'WebhookStatusChanged',
    ])
    expect(shop.calls).to.have.length(1)
  })

  it('makes a separate delivery for each of two rules', async () => {
    const [good, bad] = [await setting.shop(), await setting.shop(status(500))]
    const rules = [await setting.rule(good.url), await setting.rule(bad.url)]
    await setting.worker()
    const [transaction] = await setting.capture(rules)
    await setting.untilStatus(transaction!, 'failed')
    expect([good.calls.length, bad.calls.length]).to.deep.equal([1, 3])
  })

  it('makes each call from only one of two workers', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const [one, two] = [await setting.worker(ALIVE), await setting.worker(ALIVE)]
    const transactions = await setting.capture([rule], { count: 120 })
    await eventually(() => one.reports.length + two.reports.length >= transactions.length)
    for (const transaction of transactions) await setting.untilStatus(transaction, 'success')
    const called = shop.calls.map((call) => (JSON.parse(call.body) as { transaction_id: number }).transaction_id)
    expect(called.toSorted((a, b) => a - b)).to.deep.equal(transactions)
  })

  it('sends a burst to a slow endpoint as it gets room, and leaves none of it to the queue', async () => {
    const shop = await setting.shop((_call, response) => void setTimeout(() => response.writeHead(200).end(), 300))
    const rule = await setting.rule(shop.url)
    // The waiting calls take 1.2 s. The queue would return them a minute after their capture.
    const worker = await setting.worker({ limits: { first: { perEndpoint: 4, waitingPerEndpoint: 16 } } })
    await setting.capture([rule], { count: 60 })
    await eventually(() => worker.reports.length === 60, { what: 'sixty calls' })
    expect(new Set(worker.reports.map(({ transaction_id }) => transaction_id)).size).to.equal(60)
  })

  it('is not held up by an endpoint that hangs', async () => {
    const [hanging, good] = [await setting.shop(hang), await setting.shop()]
    const rules = { hanging: await setting.rule(hanging.url), good: await setting.rule(good.url) }
    const other = await setting.rule(good.url, { user: 6 })
    const first = { room: 200, slots: 20, perUser: 15, perEndpoint: 10, waitingPerEndpoint: 50 }
    await setting.worker({ limits: { first } })
    await setting.capture([rules.hanging], { count: 250 })
    await eventually(() => hanging.calls.length === 10)
    const mine = await setting.capture([rules.good], { count: 20 })
    const others = await setting.capture([other], { user: 6, count: 20 })
    for (const transaction of [...mine, ...others]) await setting.untilStatus(transaction, 'success', 8_000)
    expect(hanging.calls.length).to.equal(10)
  })

  describe('of a capture that the log did not bring', () => {
    const silent = {
      consume: (_group: string, _handler: unknown, signal: AbortSignal) =>
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
    }

    it('takes first attempts that wait in another process, if it has nothing to do itself', async () => {
      const shop = await setting.shop((_call, response) => void setTimeout(() => response.writeHead(200).end(), 300))
      const rule = await setting.rule(shop.url)
      const few = { ...ALIVE, limits: { first: { perEndpoint: 2, waitingPerEndpoint: 4 } } }
      const busy = await setting.worker(few)
      // A worker learns of another one when it beats, which it does at its start and then every five seconds.
      await busy.started
      const idle = await setting.worker({ ...few, log: silent })
      const count = 40
      await setting.capture([rule], { count })
      await eventually(() => busy.reports.length + idle.reports.length === count, { what: 'all first attempts' })
      expect(idle.reports).to.not.be.empty
      expect(shop.calls).to.have.length(count)
    })

    it('takes the capture from the queue', async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url)
      await setting.worker({ log: silent })
      const [transaction] = await setting.capture([rule], { age: 61 })
      await setting.untilStatus(transaction!, 'success')
      expect(shop.calls).to.have.length(1)
    })

    it('takes the capture at once if a process that is dead now may have noted it', async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url)
      await setting.query('INSERT INTO ops.worker (worker, beat) VALUES (gen_random_uuid(), 7)')
      const [transaction] = await setting.capture([rule])
      await setting.worker({ log: silent, soleWorker: true })
      await setting.untilStatus(transaction!, 'success')
      expect(shop.calls).to.have.length(1)
    })

    it('does not take a first attempt over the quota before it is due', async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url)
      const [late] = await setting.capture([rule], { age: 900 })
      await setting.projector.passed((await setting.store.end())!, 30_000)
      // As `projections/quota` does with one over the quota.
      await setting.query("UPDATE read_model.delivery SET lane = 'retry', due_at = now() + interval '30 seconds'")
      const [other] = await setting.capture([rule], { age: 20 })
      await setting.worker({ log: silent })
      await setting.worker({ log: silent })
      await setting.untilStatus(other!, 'success')
      expect(shop.calls).to.have.length(1)
      expect(await setting.attempts(late!)).to.deep.equal([])
    })

    it('does not wait for an hour if the clock at the capture was an hour ahead', async () => {
      const shop = await setting.shop()
      const rule = await setting.rule(shop.url)
      await setting.worker({ log: silent })
      const [ahead] = await setting.capture([rule], { age: -3_600 })
      await setting.untilStatus(ahead!, 'success')
      expect(shop.calls).to.have.length(1)
    })
  })

  it('ends the due deliveries of a deleted rule', async () => {
    const shop = await setting.shop(status(500))
    const rule = await setting.rule(shop.url)
    await setting.worker({ schedule: [600] })
    const [transaction] = await setting.capture([rule])
    await eventually(async () => (await setting.attempts(transaction!)).length === 1)
    await setting.account(USER, { type: 'RuleDeleted', data: { user_id: USER, rule_id: rule } })
    await setting.untilStatus(transaction!, 'no_match')
    expect((await setting.events(transaction!)).at(-2)).to.deep.include({ type: 'DeliveryEnded' })
    expect(shop.calls).to.have.length(1)
  })

  it('holds the due deliveries of a paused rule or a locked account, and continues afterwards', async () => {
    const [shop, control] = [await setting.shop(), await setting.shop()]
    const paused = await setting.rule(shop.url)
    const locked = await setting.rule(shop.url, { user: 6 })
    const going = await setting.rule(control.url, { user: 7 })
    await setting.account(USER, { type: 'RuleChanged', data: { user_id: USER, rule_id: paused, is_active: 0 } })
    await setting.account(6, { type: 'AccountLocked', data: { user_id: 6, reason: 'abuse' } })
    const held = [
      ...(await setting.capture([paused], { age: 61 })),
      ...(await setting.capture([locked], { age: 61, user: 6 })),
    ]
    const [free] = await setting.capture([going], { age: 61, user: 7 })
    await setting.worker()
    await setting.untilStatus(free!, 'success')
    expect(shop.calls).to.have.length(0)
    await setting.account(USER, { type: 'RuleChanged', data: { user_id: USER, rule_id: paused, is_active: 1 } })
    await setting.account(6, { type: 'AccountUnlocked', data: { user_id: 6 } })
    for (const transaction of held) await setting.untilStatus(transaction, 'success')
  })

  it('records no attempt if the transaction was deleted during the call', async () => {
    let answer = () => {}
    const shop = await setting.shop((_call, response) => (answer = () => response.end('ok')))
    const rule = await setting.rule(shop.url)
    const worker = await setting.worker()
    const [transaction] = await setting.capture([rule])
    await eventually(() => shop.calls.length === 1)
    await setting.command(transaction!, remove)
    answer()
    await eventually(() => worker.reports.length === 1)
    expect(worker.reports[0]).to.include({ outcome: null, attempt_id: null })
    expect((await setting.events(transaction!)).map(({ type }) => type)).to.deep.equal([
      'TransactionCaptured',
      'TransactionDeleted',
    ])
  })

  it('makes no call if the transaction was deleted before its retry was due', async () => {
    const [shop, control] = [await setting.shop(status(500)), await setting.shop()]
    const [rule, other] = [await setting.rule(shop.url), await setting.rule(control.url)]
    await setting.worker({ schedule: [0.3] })
    const [transaction] = await setting.capture([rule])
    await eventually(async () => (await setting.attempts(transaction!)).length === 1)
    const due = Date.parse((await setting.attempts(transaction!))[0]!.next_attempt_at!)
    await setting.command(transaction!, remove)
    await eventually(() => Date.now() > due)
    const [after] = await setting.capture([other], { age: 61 })
    await setting.untilStatus(after!, 'success')
    expect(shop.calls).to.have.length(1)
  })

  it('keeps the results while the store is down, and sends nothing twice', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const held = holdable(setting.store)
    const worker = await setting.worker({ store: held.store })
    await worker.started
    held.down = true
    const transactions = await setting.capture([rule], { count: 5 })
    await eventually(() => shop.calls.length === 5)
    expect(worker.reports).to.deep.equal([])
    held.down = false
    for (const transaction of transactions) await setting.untilStatus(transaction, 'success')
    expect(shop.calls).to.have.length(5)
  })

  it('is busy until all results are recorded, not only until the calls are made', async () => {
    const shop = await setting.shop()
    const rule = await setting.rule(shop.url)
    const held = holdable(setting.store)
    const worker = await setting.worker({ store: held.store })
    await worker.started
    held.down = true
    await setting.capture([rule], { count: 100 })
    await eventually(() => shop.calls.length === 100)
    // The shop has the last call before the worker has its answer.
    await eventually(() => worker.isBusy())
    held.down = false
    await eventually(() => !worker.isBusy())
    expect(shop.calls).to.have.length(100)
  })

  it('records a call that cannot be formed as a failed attempt', async () => {
    const rule = await setting.rule('https://shop.vn/')
    const vault = {
      seal: () => '',
      open: () => {
        throw new Error('no such key')
      },
    }
    await setting.worker({ vault, schedule: [] })
    const [transaction] = await setting.capture([rule])
    await setting.untilStatus(transaction!, 'failed')
    expect((await setting.attempts(transaction!))[0]).to.include({ http_status: 0, error: 'not_formed' })
  })
})
