/** Waiting deliveries cost nothing, however many there are. Each due delivery goes to one worker, however many claim. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { BY_KEY } from '../../../adapters/database/session.ts'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import type { DeliveryQueue } from '../../../workflows/deliver/queue.ts'
import { eventually } from '../../harness/eventually.ts'
import { openDeliverySetting, USER, type DeliverySetting } from './setting.ts'

const WAITING = 50_000
const DUE = 5_000
const ROOM = { first: 500, retry: 500, manual: 500, bulk: 500 }
const WANTED = { room: ROOM, perRule: 128, fullRules: [], shares: { whole: ROOM, left: [] }, firstEarlier: 0 }

describe('the delivery queue at size', () => {
  let setting: DeliverySetting
  /** A pool of one connection, so that it can flush the statistics of its own reads. */
  let alone: Database
  let byKey: Database
  let queue: DeliveryQueue
  let rules: number[]

  /** Inserts deliveries as the projector would write them, with their transactions. */
  const fill = async (from: number, count: number, due: string): Promise<void> => {
    await setting.query(`INSERT INTO read_model.transaction (id, user_id, bank_code, bank_name, transaction_type, amount, currency,
        description, source_type, source, webhook_status, raw_data, transaction_date, created_at, updated_at)
      SELECT n, ${USER}, 'VCB', 'Vietcombank', 'credit', 150000, 'VND', 'text', 'api', 'url', 'pending', '{}', now(), now(), now()
      FROM generate_series(${from}, ${from + count - 1}) n`)
    await setting.query(`INSERT INTO read_model.delivery
        (transaction_id, rule_id, user_id, status, attempt, round_base, lane, due_at, first_due_at, captured_at)
      SELECT n, (ARRAY[${rules.join()}])[1 + n % ${rules.length}], ${USER}, 'open', 1, 0, 'retry', ${due}, now(), now()
      FROM generate_series(${from}, ${from + count - 1}) n`)
    await setting.query('ANALYZE read_model.delivery, read_model.transaction')
  }

  /** The number of rows of the queue that statements in this database have read so far. */
  const rowsRead = async (by = alone): Promise<number> => {
    await by.query('SELECT pg_stat_force_next_flush()')
    const [row] = await by.query<{ read: number }>(
      `SELECT (coalesce(idx_tup_fetch, 0) + seq_tup_read)::integer AS read FROM pg_stat_user_tables
        WHERE schemaname = 'read_model' AND relname = 'delivery'`,
    )
    return row!.read
  }

  before(async () => {
    setting = await openDeliverySetting()
    alone = openDatabase(setting.url, { poolSize: 1 })
    byKey = openDatabase(setting.url, { poolSize: 1, session: BY_KEY })
    queue = openDeliveryQueue(alone, byKey)
    // Its query plan is made while the tables are empty.
    await queue.claimFirst(randomUUID(), [1], [], 10)
    rules = []
    for (let n = 0; n < 10; n++) rules.push(await setting.rule(`http://127.0.0.1:${n + 1}/`))
    await fill(10_000_000, WAITING, `now() + interval '1 hour'`)
  })
  after(async () => {
    await alone.close()
    await byKey.close()
    await setting.close()
  })

  it('looks for due deliveries without reading waiting ones', async () => {
    const before = await rowsRead()
    for (let looks = 0; looks < 20; looks++) {
      const { claimed } = await queue.claimDue(randomUUID(), WANTED)
      expect(claimed).to.deep.equal([])
    }
    expect((await rowsRead()) - before, `rows read of ${WAITING} in 20 looks`).to.be.below(20 * 10 * rules.length)
  })

  it('claims first attempts without reading waiting deliveries, by a plan made on empty tables', async () => {
    await fill(30_000_000, 100, 'now()')
    await setting.query(`UPDATE read_model.delivery SET lane = 'first', attempt = 0 WHERE transaction_id >= 30000000`)
    const before = await rowsRead(byKey)
    for (let id = 30_000_000; id < 30_000_100; id += 10) {
      const wanted = Array.from({ length: 10 }, (_, n) => id + n)
      const { claimed } = await queue.claimFirst(randomUUID(), wanted, [], 1_000)
      expect(claimed.map(({ transaction_id }) => transaction_id)).to.have.members(wanted)
    }
    // Each row is read to be found, for the data of the call, and with the other deliveries of its transaction.
    expect((await rowsRead(byKey)) - before, `rows read of ${WAITING} for 100 claims`).to.be.within(100, 1_000)
    await setting.query('DELETE FROM read_model.delivery WHERE transaction_id >= 30000000')
  })

  it('claims calls of a limited rule without reading those that wait', async () => {
    const limited = rules[0]!
    const isLimited = (most: number | null) =>
      setting.account(USER, { type: 'RuleChanged', data: { user_id: USER, rule_id: limited, max_per_minute: most } })
    await isLimited(60)
    await setting.query('UPDATE read_model.delivery SET due_at = now() WHERE transaction_id = $1', [10_000_000])
    const before = await rowsRead()
    const claim = () => queue.claimDue(randomUUID(), WANTED)
    // The first look notes the pace of the rule.
    const claimed = [...(await claim()).claimed, ...(await claim()).claimed]
    expect(claimed.map(({ transaction_id }) => transaction_id)).to.deep.equal([10_000_000])
    expect((await rowsRead()) - before, `rows read of ${WAITING / rules.length}`).to.be.below(1_000)
    await isLimited(null)
    await setting.query('DELETE FROM read_model.delivery WHERE transaction_id = $1', [10_000_000])
  })

  it('hands all due deliveries to several workers at once, each attempt to one of them', async () => {
    await fill(20_000_000, DUE, 'now()')
    const before = await rowsRead()
    queue = openDeliveryQueue(setting.database, setting.byKey)
    const drained = async (): Promise<number[]> => {
      const worker = randomUUID()
      const ids: number[] = []
      for (;;) {
        const { claimed } = await queue.claimDue(worker, WANTED)
        ids.push(...claimed.map(({ transaction_id }) => transaction_id))
        if (claimed.length === 0) return ids
      }
    }
    const ids = (await Promise.all([drained(), drained(), drained()])).flat()
    expect(ids).to.have.length(DUE)
    expect(new Set(ids).size).to.equal(DUE)
    await eventually(async () => (await rowsRead()) - before >= DUE, { what: 'statistics that count what was read' })
  })
})
