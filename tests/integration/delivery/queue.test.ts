import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../../adapters/database/database.ts'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import type { DeliveryQueue, DueWanted, LaneName } from '../../../workflows/deliver/queue.ts'
import { openDeliverySetting, USER, type DeliverySetting } from './setting.ts'

const ROOM = { first: 100, retry: 100, manual: 100, bulk: 100 }
const [ONE, TWO] = [randomUUID(), randomUUID()]
const URL_OF_NOBODY = 'http://127.0.0.1:1/'

/** A node of what `EXPLAIN` shows. */
interface Plan {
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  Plans?: Plan[]
}

const rowsRead = (plan: Plan): number =>
  plan['Actual Loops'] *
    (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0)) +
  (plan.Plans ?? []).reduce((sum, each) => sum + rowsRead(each), 0)

describe('the delivery queue', () => {
  let setting: DeliverySetting
  let queue: DeliveryQueue
  let rule: number
  beforeEach(async () => {
    setting = await openDeliverySetting()
    queue = openDeliveryQueue(setting.database, setting.byKey)
    rule = await setting.rule(URL_OF_NOBODY)
  })
  afterEach(() => setting.close())

  const captured = async (rules: number[], options: { count?: number; age?: number; user?: number } = {}) => {
    const transactions = await setting.capture(rules, options)
    await setting.projector.passed((await setting.store.end())!, 30_000)
    return transactions
  }
  const claimDue = (worker: string, { room = ROOM, ...wanted }: Partial<DueWanted> = {}) =>
    queue.claimDue(worker, {
      room,
      perRule: 100,
      fullRules: [],
      shares: { whole: room, left: [] },
      firstEarlier: 0,
      ...wanted,
    })
  /** The first look at a limited rule writes its pace. The next one grants calls. */
  const firstLook = async () => expect((await claimDue(ONE)).claimed).to.deep.equal([])
  const idsOf = (claimed: readonly { transaction_id: number }[]) =>
    claimed.map((claim) => claim.transaction_id).toSorted((a, b) => a - b)

  it('gives each attempt to one worker, however many claim at the same time', async () => {
    const transactions = await captured([rule], { count: 200, age: 61 })
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => claimDue(randomUUID(), { room: { ...ROOM, first: 300 }, perRule: 300 })),
      ...Array.from({ length: 4 }, () => queue.claimFirst(randomUUID(), transactions, [], 300)),
    ])
    expect(idsOf(answers.flatMap(({ claimed }) => claimed))).to.deep.equal(transactions)
  })

  it('returns all that the call needs with a claim', async () => {
    const [transaction] = await captured([rule])
    const [claim] = (await queue.claimFirst(ONE, [transaction!], [], 10)).claimed
    expect(claim).to.include({ transaction_id: transaction, rule_id: rule, user_id: USER, attempt: 1, lane: 'first' })
    expect(claim!.rule).to.include({
      url: URL_OF_NOBODY,
      http_method: 'POST',
      payload_format: 'standard',
      ordered: false,
    })
    expect(claim!.rule.account_revision).to.equal(2)
    expect(claim!.transaction).to.include({ id: transaction, amount: '150000.00', webhook_status: 'pending' })
    expect(claim!.transaction.transaction_date).to.match(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(claim!.deliveries).to.have.length(1)
    expect(claim!.deliveries[0]).to.include({ rule_id: rule, status: 'open', attempt: 0, round_base: 0 })
    expect(claim!.endpoint).to.deep.equal({ name: 'http://127.0.0.1:1', watched: false, isPassedThrough: false })
  })

  it('returns the other deliveries of a transaction only with first attempts from the log, as there may be very many', async () => {
    await captured([rule], { age: 61 })
    const { claimed } = await claimDue(ONE)
    expect(claimed.map(({ deliveries }) => deliveries)).to.deep.equal([[]])
  })

  it('marks the claim of a probe as let through although its endpoint is held, and a last attempt as the last', async () => {
    const [transaction] = await captured([rule], { age: 61 })
    await setting.query("UPDATE read_model.rule SET active_since = now() - interval '1 year'")
    await setting.query(
      `INSERT INTO ops.endpoint (user_id, endpoint, opened_at, probe_at) VALUES ($1, 'http://127.0.0.1:1', now(), now())`,
      [USER],
    )
    const [claim] = (await claimDue(ONE)).claimed
    expect(claim).to.include({ transaction_id: transaction, isLast: false })
    expect(claim!.endpoint).to.include({ watched: true, isPassedThrough: true })
    // The whole schedule of 35 hours has passed.
    const [old] = await captured([rule], { age: 40 * 3_600 })
    expect((await claimDue(ONE)).claimed[0]).to.include({ transaction_id: old, isLast: true })
  })

  it('claims first attempts over the quota only when they are due, and never from the log (section 6)', async () => {
    const user = 8
    const free = await setting.rule(URL_OF_NOBODY, { user })
    await setting.account(user, { type: 'PlanChanged', data: { user_id: user, plan: 'Free', expires_at: null } })
    const within = await captured([free], { user, count: 100 })
    const over = await captured([free], { user, count: 2, age: 840 })
    const late = await captured([free], { user, count: 1, age: 901 })
    const first = await queue.claimFirst(ONE, [...within, ...over, ...late], [], 300)
    expect(idsOf(first.claimed)).to.deep.equal(within)
    const { claimed } = await claimDue(ONE)
    expect(idsOf(claimed)).to.deep.equal(late)
    expect(claimed[0]).to.include({ lane: 'retry', attempt: 1 })
  })

  it('leaves a first attempt to the log for a minute', async () => {
    const transactions = await captured([rule])
    expect((await claimDue(ONE)).claimed).to.deep.equal([])
    expect(idsOf((await queue.claimFirst(ONE, transactions, [], 10)).claimed)).to.deep.equal(transactions)
  })

  it('claims first attempts earlier for a worker with nothing to do, also if a copy has just completed an old transaction', async () => {
    const [old] = await captured([rule], { age: 3_600 })
    await setting.query("UPDATE read_model.delivery SET due_at = now() + interval '50 seconds'")
    expect((await claimDue(ONE)).claimed).to.deep.equal([])
    expect(idsOf((await claimDue(ONE, { firstEarlier: 58 })).claimed)).to.deep.equal([old])
  })

  it('does not claim a delivery from the log if it must wait longer than that minute', async () => {
    const transactions = await captured([rule])
    await setting.query("UPDATE read_model.delivery SET due_at = now() + interval '15 minutes'")
    expect((await queue.claimFirst(ONE, transactions, [], 10)).claimed).to.deep.equal([])
  })

  it('claims a first attempt from the log at once, even if the clock of the process that captured it is ahead', async () => {
    const transactions = await captured([rule], { age: -600 })
    expect(idsOf((await queue.claimFirst(ONE, transactions, [], 10)).claimed)).to.deep.equal(transactions)
  })

  it('claims from the log what others have not claimed, however much they have', async () => {
    const [theirs, free] = await captured([rule], { count: 2 })
    await queue.claimFirst(ONE, [theirs!], [], 10)
    expect(idsOf((await queue.claimFirst(TWO, [theirs!, free!], [], 1)).claimed)).to.deep.equal([free])
  })

  it('claims a few deliveries of every rule, and none of a rule that is full', async () => {
    const other = await setting.rule(URL_OF_NOBODY)
    const many = await captured([rule], { count: 30, age: 120 })
    const few = await captured([other], { count: 3, age: 61 })
    const { claimed } = await claimDue(ONE, { perRule: 5 })
    expect(idsOf(claimed)).to.have.length(8).and.include.members(few)
    const next = await claimDue(ONE, { fullRules: [rule] })
    expect(next.claimed).to.deep.equal([])
    const rest = await claimDue(ONE)
    expect(idsOf([...claimed, ...rest.claimed])).to.deep.equal([...many, ...few].toSorted((a, b) => a - b))
  })

  it('shares the room of a lane between rules', async () => {
    const other = await setting.rule(URL_OF_NOBODY)
    await captured([rule], { count: 30, age: 120 })
    await captured([other], { count: 30, age: 61 })
    const { claimed } = await claimDue(ONE, { room: { ...ROOM, first: 10 } })
    expect(claimed.filter((claim) => claim.rule_id === rule)).to.have.length(5)
    expect(claimed.filter((claim) => claim.rule_id === other)).to.have.length(5)
  })

  describe('shares the room of a lane between accounts, however many rules one of them has', () => {
    const OTHER = USER + 1
    const crowded = async (fields: object) => {
      const many: number[] = []
      for (let count = 0; count < 15; count++) many.push(await setting.rule(URL_OF_NOBODY))
      await captured(many, { age: 120 })
      const single = await setting.rule(URL_OF_NOBODY, { user: OTHER, ...fields })
      return captured([single], { user: OTHER, age: 61 })
    }
    for (const [what, fields] of [
      ['', {}],
      ['; an ordered rule at the next look', { ordered: 1 }],
    ] as const)
      it(`in turn${what}`, async () => {
        const [waiting] = await crowded(fields)
        const claimed: number[] = []
        for (let looks = 0; looks < 2; looks++) {
          const due = await claimDue(ONE, { room: { ...ROOM, first: 5 } })
          claimed.push(...idsOf(due.claimed))
        }
        expect(claimed).to.include(waiting).and.have.length(10)
      })
  })

  it('claims nothing of a user whose share of the lane is used up, neither of free rules nor of ordered ones', async () => {
    const ordered = await setting.rule(URL_OF_NOBODY, { ordered: 1 })
    const [first, second] = await captured([rule, ordered], { age: 61, count: 2 })
    const full = (lane: LaneName) => ({ shares: { whole: ROOM, left: [{ lane, user_id: USER, left: 0 }] } })
    expect((await claimDue(ONE, full('first'))).claimed).to.deep.equal([])
    const { claimed } = await claimDue(ONE, full('retry'))
    expect(idsOf(claimed)).to.deep.equal([first, first, second])
  })

  it('claims of a user only what is left of the user’s share of the lane, for free and limited rules together', async () => {
    const limited = await setting.rule(URL_OF_NOBODY, { max_per_minute: 600 })
    const others = await setting.rule(URL_OF_NOBODY, { user: 9 })
    await captured([rule, limited], { age: 62, count: 20 })
    await captured([others], { age: 61, user: 9, count: 10 })
    const whole = { ...ROOM, first: 8 }
    const left = [{ lane: 'first' as const, user_id: USER, left: 3 }]
    const { claimed } = await claimDue(ONE, { shares: { whole, left } })
    const of = (user: number) => claimed.filter(({ user_id }) => user_id === user)
    expect(of(USER)).to.have.length(3)
    expect(of(9)).to.have.length(8)
  })

  it('claims of a user only what is left of the user’s share of the lane, for a limited rule alone', async () => {
    const limited = await setting.rule(URL_OF_NOBODY, { max_per_minute: 600 })
    await captured([limited], { age: 61, count: 8 })
    await firstLook()
    const left = [{ lane: 'first' as const, user_id: USER, left: 3 }]
    expect((await claimDue(ONE, { shares: { whole: ROOM, left } })).claimed).to.have.length(3)
  })

  it('claims nothing of a limited rule in a lane in which one of its calls waits, but in the others', async () => {
    const limited = await setting.rule(URL_OF_NOBODY, { max_per_minute: 600 })
    const [first, byHand] = await captured([limited], { age: 61, count: 2 })
    await setting.query("UPDATE read_model.delivery SET lane = 'manual' WHERE transaction_id = $1", [byHand])
    await firstLook()
    const limitedWaiting = [{ rule_id: limited, lane: 'first' as const }]
    expect(idsOf((await claimDue(ONE, { limitedWaiting })).claimed)).to.deep.equal([byHand])
    expect(idsOf((await claimDue(ONE)).claimed)).to.deep.equal([first])
  })

  it('claims nothing of a paused rule, even if it is limited or its transaction is new', async () => {
    const paused = await setting.rule(URL_OF_NOBODY, { is_active: 0 })
    const limited = await setting.rule(URL_OF_NOBODY, { is_active: 0, max_per_minute: 600 })
    const [transaction] = await captured([paused, limited], { age: 61 })
    await firstLook()
    expect((await claimDue(ONE)).claimed).to.deep.equal([])
    expect((await queue.claimFirst(ONE, [transaction!], [], 10)).claimed).to.deep.equal([])
    const wanted = { rule_id: paused, user_id: USER, captured_at: new Date().toISOString(), uncounted: 1 }
    const [fresh] = await setting.ids.next(1)
    const { claimed, left } = await queue.claimNew(ONE, [{ ...wanted, transaction_id: fresh! }], [])
    expect([claimed, left]).to.deep.equal([[], [fresh]])
    expect(await setting.query('SELECT FROM ops.claim WHERE transaction_id = $1', [transaction])).to.deep.equal([])
  })

  it('gives a worker its own claim of a limited rule again, and returns that of a dead one to the gate', async () => {
    const limited = await setting.rule(URL_OF_NOBODY, { max_per_minute: 600 })
    const transactions = await captured([limited], { age: 61 })
    await firstLook()
    expect(idsOf((await claimDue(ONE)).claimed)).to.deep.equal(transactions)
    expect(idsOf((await queue.takeOver(ONE, [ONE], 10)).claimed)).to.deep.equal(transactions)
    expect((await queue.takeOver(TWO, [ONE], 10)).claimed).to.deep.equal([])
    expect(idsOf((await claimDue(TWO)).claimed)).to.deep.equal(transactions)
  })

  it('looks up a share without reading those of all users for each delivery', async () => {
    const limited = await setting.rule(URL_OF_NOBODY, { max_per_minute: 600 })
    await captured([rule, limited], { age: 61, count: 20 })
    const left = Array.from({ length: 1_000 }, (_, n) => ({ lane: 'first' as const, user_id: 1_000 + n, left: 3 }))
    const plans: Plan[] = []
    const explaining: Queryable = {
      query: async <Row extends object>(text: string, values?: unknown[]): Promise<Row[]> => {
        if (!text.includes('INTO ops.claim')) return setting.database.query<Row>(text, values)
        const [row] = await setting.database.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
          values,
        )
        plans.push(row!['QUERY PLAN'][0].Plan)
        return []
      },
    }
    await openDeliveryQueue(explaining, explaining).claimDue(ONE, {
      room: ROOM,
      perRule: 100,
      fullRules: [],
      shares: { whole: ROOM, left },
      firstEarlier: 0,
    })
    expect(plans).to.have.length(2)
    for (const plan of plans) expect(rowsRead(plan)).to.be.below(5_000)
  })

  it('claims nothing for a lane without room', async () => {
    await captured([rule], { count: 3, age: 61 })
    expect((await claimDue(ONE, { room: { ...ROOM, first: 0 } })).claimed).to.deep.equal([])
  })

  it('returns deliveries of a deleted rule separately', async () => {
    const [transaction] = await captured([rule], { age: 61 })
    await setting.account(USER, { type: 'RuleDeleted', data: { user_id: USER, rule_id: rule } })
    const { claimed, orphans } = await claimDue(ONE)
    expect(claimed).to.deep.equal([])
    expect(orphans[0]).to.include({ transaction_id: transaction, rule_id: rule, user_id: USER })
  })

  it('makes retries due at once when the rule gets a new url or is switched on, but none over the quota', async () => {
    const [retried] = await captured([rule])
    const [overQuota] = await captured([rule])
    const wait = async () => {
      await setting.query("UPDATE read_model.delivery SET lane = 'retry', due_at = now() + interval '8 hours'")
      await setting.query('UPDATE read_model.delivery SET attempt = 1 WHERE transaction_id = $1', [retried])
    }
    const change = (fields: { url?: string; name?: string; is_active?: 0 | 1 }) =>
      setting.account(USER, { type: 'RuleChanged', data: { user_id: USER, rule_id: rule, ...fields } })
    const due = async () =>
      (
        await setting.query<{ transaction_id: number }>(
          'SELECT transaction_id FROM read_model.delivery WHERE due_at <= now() ORDER BY transaction_id',
        )
      ).map(({ transaction_id }) => transaction_id)
    await wait()
    await change({ name: 'Shop 2' })
    await change({ is_active: 0 })
    expect(await due()).to.deep.equal([])
    await change({ is_active: 1 })
    expect(await due()).to.deep.equal([retried])
    await wait()
    await change({ url: `${URL_OF_NOBODY}/new` })
    expect(await due())
      .to.deep.equal([retried])
      .and.not.include(overQuota)
  })

  it('makes waiting deliveries due at once when the account is unlocked, but none over the quota', async () => {
    const [first] = await captured([rule])
    const [retried] = await captured([rule])
    const [overQuota] = await captured([rule])
    const isDue = async (id: number) =>
      (await setting.query('SELECT FROM read_model.delivery WHERE transaction_id = $1 AND due_at <= now()', [id]))
        .length === 1
    await setting.query(
      "UPDATE read_model.delivery SET lane = 'retry', due_at = now() + interval '8 hours' WHERE transaction_id = ANY($1)",
      [[retried, overQuota]],
    )
    await setting.query('UPDATE read_model.delivery SET attempt = 1 WHERE transaction_id = $1', [retried])
    await setting.account(USER, { type: 'AccountLocked', data: { user_id: USER, reason: 'polling' } })
    for (const id of [first, retried, overQuota]) expect(await isDue(id!)).to.equal(false)
    await setting.account(USER, { type: 'AccountUnlocked', data: { user_id: USER } })
    expect([await isDue(first!), await isDue(retried!), await isDue(overQuota!)]).to.deep.equal([true, true, false])
  })

  it('takes over unrecorded claims of the workers named as dead, and of no others', async () => {
    const transactions = await captured([rule], { count: 3 })
    await queue.claimFirst(ONE, transactions, [], 10)
    expect(await queue.countOpen([ONE, TWO])).to.deep.equal([{ worker: ONE, claims_open: 3 }])
    expect((await queue.takeOver(TWO, [randomUUID()], 10)).claimed).to.deep.equal([])
    await setting.query('UPDATE read_model.delivery SET attempt = 1 WHERE transaction_id = $1', [transactions[0]])
    const { claimed } = await queue.takeOver(TWO, [ONE], 10)
    expect(idsOf(claimed)).to.deep.equal(transactions.slice(1))
    expect((await queue.takeOver(TWO, [ONE], 10)).claimed).to.deep.equal([])
    const claims = transactions.map((transaction_id) => ({ transaction_id, rule_id: rule, attempt: 1 }))
    expect((await queue.stillMine(ONE, claims)).toSorted()).to.deep.equal([0])
    expect((await queue.stillMine(TWO, claims)).toSorted()).to.deep.equal([1, 2])
  })

  it('gives each claim of a dead worker to one worker, however many take over at the same time', async () => {
    const transactions = await captured([rule], { count: 200 })
    await queue.claimFirst(ONE, transactions, [], 300)
    const taken = await Promise.all(Array.from({ length: 4 }, () => queue.takeOver(randomUUID(), [ONE], 300)))
    expect(idsOf(taken.flatMap(({ claimed }) => claimed))).to.deep.equal(transactions)
  })

  it('confirms and takes back only the attempt that was claimed, and only from its worker', async () => {
    const [transaction] = await captured([rule])
    await queue.claimFirst(ONE, [transaction!], [], 10)
    const claim = (attempt: number) => [{ transaction_id: transaction!, rule_id: rule, attempt }]
    expect(await queue.stillMine(ONE, claim(1))).to.deep.equal([0])
    // Another worker has taken this attempt over and recorded it, and this worker has claimed the next one.
    await setting.query("UPDATE read_model.delivery SET attempt = 1, lane = 'retry', due_at = now()")
    expect(idsOf((await claimDue(ONE)).claimed)).to.deep.equal([transaction])
    expect(await queue.stillMine(ONE, claim(1))).to.deep.equal([])
    await queue.giveBack(ONE, claim(1))
    await queue.giveBack(TWO, claim(2))
    expect(await queue.stillMine(ONE, claim(2))).to.deep.equal([0])
    await queue.giveBack(ONE, claim(2))
    expect(idsOf((await claimDue(TWO)).claimed)).to.deep.equal([transaction])
  })

  it('lists a worker that has signed off as ended, even if a heartbeat of it comes afterwards', async () => {
    await queue.beat(ONE)
    await queue.signOff(ONE)
    await queue.beat(ONE)
    expect((await queue.beat(TWO)).others).to.deep.equal([{ worker: ONE, beat: 2, ended: true }])
  })

  it('takes over no claim of a paused rule until it is switched on', async () => {
    const transactions = await captured([rule])
    await queue.claimFirst(ONE, transactions, [], 10)
    const switched = (is_active: 0 | 1) =>
      setting.account(USER, { type: 'RuleChanged', data: { user_id: USER, rule_id: rule, is_active } })
    await switched(0)
    expect((await queue.takeOver(TWO, [ONE], 10)).claimed).to.deep.equal([])
    await switched(1)
    expect(idsOf((await queue.takeOver(TWO, [ONE], 10)).claimed)).to.deep.equal(transactions)
  })

  it('deletes claims recorded long ago, keeps open ones, and forgets dead workers without claims', async () => {
    const transactions = await captured([rule], { count: 2 })
    await queue.beat(ONE)
    await queue.claimFirst(ONE, transactions, [], 10)
    await setting.query('UPDATE read_model.delivery SET attempt = 1 WHERE transaction_id = $1', [transactions[0]])
    await queue.sweep([ONE])
    expect(await setting.query('SELECT FROM ops.claim')).to.have.length(2)
    await setting.query("UPDATE ops.claim SET claimed_at = now() - interval '11 minutes'")
    await queue.sweep([ONE])
    const left = await setting.query<{ transaction_id: number }>('SELECT transaction_id FROM ops.claim')
    expect(idsOf(left)).to.deep.equal([transactions[1]])
    expect((await queue.beat(TWO)).others).to.deep.equal([{ worker: ONE, beat: 1, ended: false }])
    // The age of a claim is that of its last attempt.
    await setting.query('UPDATE read_model.delivery SET attempt = 1, due_at = now() WHERE transaction_id = $1', [
      transactions[1],
    ])
    expect(idsOf((await claimDue(ONE)).claimed)).to.include(transactions[1])
    await setting.query('UPDATE read_model.delivery SET attempt = 2')
    await queue.sweep([ONE])
    expect(await setting.query('SELECT FROM ops.claim WHERE transaction_id = $1', [transactions[1]])).to.have.length(1)
    await setting.query("UPDATE ops.claim SET claimed_at = now() - interval '11 minutes'")
    await queue.sweep([ONE])
    expect((await queue.beat(TWO)).others).to.deep.equal([])
  })
})
