/** Tests what counts towards a quota and the effect of exceeding it (interface, sections 6.7 and 8; decisions, "Over quota"). */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { accountStream, type AccountEvent } from '../../../domain/account/events.ts'
import { transactionStream } from '../../../domain/transaction/events.ts'
import { transactionsInMonth } from '../../../projections/account/queries.ts'
import { verify } from '../../../projections/engine/replay.ts'
import { main } from '../../../projections/main.ts'
import type { Decided } from './history.ts'
import { openSetting, type Setting } from './setting.ts'
import { capturedData } from '../../harness/captured-data.ts'

const USER = 1
const RULE = 5
const MONTH = '2026-11'
const START = Date.parse('2026-11-10T03:00:00Z')

describe('the quota', () => {
  let setting: Setting
  let ids: number
  beforeEach(async () => {
    setting = await openSetting()
    ids = 1_000
    await account(
      {
        type: 'AccountRegistered',
        data: { user_id: USER, email: 'a@b.vn', name: null, operator: false, registered_at: at(0) },
      },
      {
        type: 'RuleCreated',
        data: {
          user_id: USER, rule_id: RULE, name: 'shop', url: 'https://shop.example/', system_id: null, http_method: 'POST',
          filter_banks: [], filter_type: 'both', min_amount: null, payload_format: 'standard', custom_template: null,
          is_active: 1, is_auto: 0, sealed_secret: 's', created_at: at(0),
        },
      },
    ) // prettier-ignore
  })
  afterEach(() => setting.close())

  const at = (minutes: number): string => new Date(START + minutes * 60_000).toISOString()
  const decided = (stream: string, facts: readonly { type: string; data: unknown }[], when = at(0)): Decided => ({
    stream,
    events: facts.map((fact) => ({
      id: randomUUID(),
      ...fact,
      metadata: { user_id: USER, at: when, correlation_id: 'c', causation_id: 'c', version: 1 },
    })),
  })
  const account = (...events: AccountEvent[]) => setting.append([decided(accountStream(USER), events)])
  const plan = (name: 'Free' | 'Basic' | 'Pro', expires_at: string | null = null) =>
    account({ type: 'PlanChanged', data: { user_id: USER, plan: name, expires_at } })

  const captured = (created_at: string, already_run_of: number | null, isSkipped = false) =>
    capturedData({
      transaction_id: ++ids,
      user_id: USER,
      source: 'device-1:sms',
      transaction_date: created_at,
      transaction_date_source: 'arrival',
      already_run_of,
      order_id: 'DH1',
      prefix: 'DH',
      rules: already_run_of === null ? [RULE] : [],
      webhook_status: already_run_of === null ? 'pending' : 'already_run',
      created_at,
      ...(isSkipped && { order_id: null, prefix: null, rules: [], webhook_status: 'skipped' as const }),
    })

  /** A transaction without an order id. @returns its id */
  const captureSkipped = async (): Promise<number> => {
    const when = at(1)
    const data = captured(when, null, true)
    await setting.append([
      decided(transactionStream(data.transaction_id), [{ type: 'TransactionCaptured', data }], when),
    ])
    return data.transaction_id
  }
  const complete = (transaction_id: number, when: string) => {
    const data = { transaction_id, completed_by: ++ids, order_id: 'DH1', prefix: 'DH', rules: [RULE], webhook_status: 'pending' } // prettier-ignore
    return setting.append([decided(transactionStream(transaction_id), [{ type: 'TransactionCompleted', data }], when)])
  }

  /** @returns ids */
  const capture = async (count: number, when = at(1), already_run_of: number | null = null): Promise<number[]> => {
    const all = Array.from({ length: count }, () => captured(when, already_run_of))
    await setting.append(
      all.map((data) => decided(transactionStream(data.transaction_id), [{ type: 'TransactionCaptured', data }], when)),
    )
    return all.map(({ transaction_id }) => transaction_id)
  }

  /** The transactions whose first call is delayed, with the time until which it is. */
  const putOff = async () => {
    await setting.catchUp()
    const rows = (await setting.rows()).delivery as { transaction_id: number; lane: string; due_at: string }[]
    return rows.filter(({ lane }) => lane === 'retry').map(({ transaction_id, due_at }) => [transaction_id, due_at])
  }
  const used = async (month = MONTH) => {
    await setting.catchUp()
    return transactionsInMonth(setting.database, USER, month)
  }
  const same = async () => {
    const { differences, incomparable } = await verify({
      store: setting.store,
      tables: setting.tables,
      definition: main,
      signal: new AbortController().signal,
    })
    expect([incomparable, differences]).to.deep.equal([null, []])
  }

  it('is 100 per month on Free; the first call of each later transaction is due after 15 minutes', async () => {
    await capture(100)
    expect(await putOff()).to.deep.equal([])
    const [over] = await capture(1)
    expect(await putOff()).to.deep.equal([[over, at(1 + 15)]])
    expect(await used()).to.equal(101)
    await same()
  })

  it('gives the same count however the events are split into batches', async () => {
    await capture(60)
    await setting.catchUp({ maxBatch: 7 })
    const more = await capture(60)
    await setting.catchUp({ maxBatch: 7 })
    expect((await putOff()).map(([id]) => id)).to.deep.equal(more.slice(40))
    await same()
  })

  it('does not count copies of a notification', async () => {
    const [first] = await capture(100)
    await capture(50, at(2), first!)
    expect(await used()).to.equal(100)
  })

  it('keeps the count if a transaction is deleted, before and after its capture is erased', async () => {
    const [first] = await capture(100)
    const deletion = { transaction_id: first!, user_id: USER, captured_at: at(1), counted: true }
    await setting.append([decided(transactionStream(first!), [{ type: 'TransactionDeleted', data: deletion }])])
    expect(await used()).to.equal(100)
    await same()
    await setting.store.erase(transactionStream(first!))
    const [over] = await capture(1, at(5))
    expect((await putOff()).map(([id]) => id)).to.deep.equal([over])
    await same()
    expect(await used()).to.equal(101)
  })

  it('keeps the count if a transaction is captured, deleted and erased before the read models reach it', async () => {
    const [first] = await capture(3)
    const [copy] = await capture(1, at(1), first)
    for (const [id, counted] of [
      [first!, true],
      [copy!, false],
    ] as const) {
      const data = { transaction_id: id, user_id: USER, captured_at: at(1), counted }
      await setting.append([decided(transactionStream(id), [{ type: 'TransactionDeleted', data }])])
      await setting.store.erase(transactionStream(id))
    }
    expect(await used()).to.equal(3)
  })

  it('uses the plan in force at the position of each transaction', async () => {
    await capture(100)
    await plan('Pro')
    await capture(5)
    await plan('Free')
    const over = await capture(2)
    await plan('Basic')
    await capture(5)
    expect((await putOff()).map(([id]) => id)).to.deep.equal(over)
    await same()
  })

  it('uses a lower plan from its position on, in the batch that brings it', async () => {
    await plan('Pro')
    await capture(100)
    await setting.catchUp()
    await capture(1)
    await plan('Free')
    const over = await capture(1)
    expect((await putOff()).map(([id]) => id)).to.deep.equal(over)
  })

  it('does not use the plan of another user, from before the batch or in it', async () => {
    const data = { user_id: 2, email: 'c@d.vn', name: null, operator: false, registered_at: at(0) }
    const pro = { type: 'PlanChanged', data: { user_id: 2, plan: 'Pro', expires_at: null } }
    await setting.append([decided(accountStream(2), [{ type: 'AccountRegistered', data }, pro])])
    await setting.catchUp()
    await setting.append([decided(accountStream(2), [pro])])
    await capture(100)
    const over = await capture(1)
    expect((await putOff()).map(([id]) => id)).to.deep.equal(over)
  })

  it('treats an expired plan as Free', async () => {
    await plan('Basic', at(10))
    await capture(105, at(9))
    const over = await capture(1, at(10))
    expect((await putOff()).map(([id]) => id)).to.deep.equal(over)
  })

  it('starts again with each month in Vietnam, at 17:00 UTC', async () => {
    const november = await capture(101, '2026-11-30T16:59:59.999Z')
    const december = await capture(101, '2026-11-30T17:00:00.000Z')
    expect((await putOff()).map(([id]) => id)).to.deep.equal([november.at(-1), december.at(-1)])
    expect([await used('2026-11'), await used('2026-12')]).to.deep.equal([101, 101])
    await capture(100, '2026-12-31T17:00:00.000Z')
    expect(await putOff()).to.have.length(2)
  })

  it('delays the first call although the account is unlocked before it would be due, in the same batch or later', async () => {
    const unlocked = [{ type: 'AccountUnlocked', data: { user_id: USER } }]
    await account({ type: 'AccountLocked', data: { user_id: USER, reason: 'abuse' } })
    await capture(100)
    const [over] = await capture(1)
    await setting.append([decided(accountStream(USER), unlocked, at(1.5))])
    expect(await putOff()).to.deep.equal([[over, at(1 + 15)]])
    const [later] = await capture(1)
    await setting.catchUp()
    await setting.append([decided(accountStream(USER), unlocked, at(1.5))])
    expect((await putOff()).toSorted()).to.deep.equal([over, later].map((id) => [id, at(1 + 15)]))
    await same()
  })

  it('delays a transaction over it even if only a copy brings its order id, until the same time', async () => {
    const within = await captureSkipped()
    await capture(99)
    const apart = await captureSkipped()
    const late = await captureSkipped()
    const deleted = await captureSkipped()
    const deletion = { transaction_id: deleted, user_id: USER, captured_at: at(1), counted: true }
    await setting.append([decided(transactionStream(deleted), [{ type: 'TransactionDeleted', data: deletion }])])
    await setting.catchUp()
    const together = await captureSkipped()
    for (const id of [within, apart, together]) await complete(id, at(2))
    await complete(late, at(20))
    expect(await putOff()).to.deep.equal([
      [apart, at(16)],
      [late, at(20)],
      [together, at(16)],
    ])
    const { over_quota: remembered } = await setting.rows()
    expect(remembered).to.have.length(3)
    await same()
  })

  it('delays a transaction over it even if it waited for its bank account to be confirmed', async () => {
    const within = await captureSkipped()
    await capture(99)
    const [over, byHand] = [await captureSkipped(), await captureSkipped()]
    for (const [id, released] of [
      [within, true],
      [over, true],
      [byHand, undefined],
    ] as const) {
      const data = { transaction_id: id, by: 'bulk', rematched: true, order_id: 'DH1', prefix: 'DH', rules: [RULE], webhook_status: 'pending', released } // prettier-ignore
      await setting.append([decided(transactionStream(id), [{ type: 'WebhookRetryRequested', data }], at(2))])
    }
    expect(await putOff()).to.deep.equal([[over, at(16)]])
    await same()
  })

  it('leaves a delivery that its owner has retried by hand in the lane of manual retries, due at once', async () => {
    await capture(100)
    const [over] = await capture(1)
    const data = { transaction_id: over, by: 'manual', rematched: true, order_id: 'DH1', prefix: 'DH', rules: [RULE], webhook_status: 'pending' } // prettier-ignore
    await setting.append([decided(transactionStream(over!), [{ type: 'WebhookRetryRequested', data }], at(2))])
    expect(await putOff()).to.deep.equal([])
    const rows = (await setting.rows()).delivery as { transaction_id: number; lane: string; due_at: string }[]
    expect(rows.find(({ transaction_id }) => transaction_id === over)).to.include({ lane: 'manual', due_at: at(2) })
  })

  it('does not further delay a delivery that was already attempted or is due because its rule is gone', async () => {
    await capture(100)
    const [called, orphaned] = await capture(2)
    const attempted = {
      transaction_id: called, attempt_id: ++ids, rule_id: RULE, attempt: 1, method: 'POST', url: 'https://shop.example/',
      account_revision: 1, timestamp: 1, body_sha256: 'x', renderer: 1, http_status: 500, response_body: '', error: null,
      sent_at: at(2), duration_ms: 1, outcome: 'retrying', next_attempt_at: at(3),
    } // prettier-ignore
    await setting.append([decided(transactionStream(called!), [{ type: 'WebhookAttempted', data: attempted }])])
    await setting.append([
      decided(accountStream(USER), [{ type: 'RuleDeleted', data: { user_id: USER, rule_id: RULE } }], at(4)),
    ])
    const due = new Map((await putOff()) as [number, string][])
    expect([due.get(called!), due.get(orphaned!)]).to.deep.equal([at(4), at(4)])
    await same()
  })
})
