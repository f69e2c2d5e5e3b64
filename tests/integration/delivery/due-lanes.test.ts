/**
 * A look for due deliveries costs what is due. Rules whose deliveries wait cost nothing, however many there are, and due
 * deliveries of held rules cost little. The costs are counted in blocks of tables and indexes that the statements touch.
 */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import { deliveryNumbers } from '../../../adapters/postgres/delivery-queue/numbers.ts'
import type { DeliveryQueue } from '../../../workflows/deliver/queue.ts'
import { createSchema } from '../../../projections/engine/schema.ts'
import { main } from '../../../projections/main.ts'
import { fillRetries, fillRules, isFree } from '../../harness/waiting-deliveries.ts'
import { openSetting, type Setting } from '../projections/setting.ts'

/** A look at every rule touches three blocks or more for each. */
const RULES = 15_000
const FREE = 14_997
const HELD = 7_000
const ROOM = { first: 500, retry: 500, manual: 500, bulk: 500 }
const WANTED = { room: ROOM, perRule: 10, fullRules: [], shares: { whole: ROOM, left: [] }, firstEarlier: 0 }

describe('a search for due deliveries', () => {
  let setting: Setting
  /** One connection, so that it can flush the statistics of its own reads. */
  let alone: Database
  let queue: DeliveryQueue
  /** After the last look. */
  let isAtEnd: boolean

  const blocks = async (): Promise<number> => {
    await alone.query('SELECT pg_stat_force_next_flush()')
    const [row] = await alone.query<{ count: number }>(
      `SELECT sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0))::bigint AS count
       FROM pg_statio_user_tables WHERE schemaname IN ('read_model', 'ops')`,
    )
    return row!.count
  }
  const costOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = await blocks()
    await work()
    return (await blocks()) - before
  }
  const look = async (): Promise<number[]> => {
    const { claimed, hasMore } = await queue.claimDue(randomUUID(), WANTED)
    isAtEnd = !hasMore
    return claimed.map(({ transaction_id }) => transaction_id).toSorted((a, b) => a - b)
  }

  before(async () => {
    setting = await openSetting()
    await createSchema(setting.tables, main)
    // Autovacuum reads blocks too, and replaces the old statistics.
    for (const table of ['delivery', 'rule'])
      await setting.database.query(`ALTER TABLE read_model.${table} SET (autovacuum_enabled = off)`)
    await fillRules(setting.database, RULES)
    await fillRetries(setting.database, { from: 1, count: RULES, rule: 'n', due: `now() + interval '1 hour'` })
    alone = openDatabase(setting.url, { poolSize: 1 })
    queue = openDeliveryQueue(alone, alone)
    expect(isFree(FREE)).to.equal(true)
  })
  after(async () => {
    await alone.close()
    await setting.close()
  })

  it('costs little while one retry of each free, ordered and limited rule waits, with old statistics', async () => {
    const cost = await costOf(async () => expect(await look()).to.deep.equal([]))
    expect(cost, `blocks for ${RULES} rules`).to.be.below(100)
    expect(await costOf(() => deliveryNumbers(alone)), 'blocks for the metrics').to.be.below(100)
  })

  it('finds the due deliveries of free, ordered and limited rules', async () => {
    await setting.database.query('UPDATE read_model.delivery SET due_at = now() WHERE transaction_id IN (3, 4, 5)')
    // The first look notes the pace of the limited rule.
    expect([...(await look()), ...(await look())].toSorted((a, b) => a - b)).to.deep.equal([3, 4, 5])
  })

  it('costs little while paused rules have more due deliveries than one search reads, and finds the others', async () => {
    await setting.database.query(`UPDATE read_model.rule SET is_active = 0 WHERE rule_id <= ${HELD}`)
    const anHourAgo = `now() - interval '1 hour'`
    await fillRetries(setting.database, { from: 100_000, count: HELD, rule: `1 + n % ${HELD}`, due: anHourAgo })
    await fillRetries(setting.database, { from: 200_000, count: 1, rule: String(FREE), due: 'now()' })
    const found: number[] = []
    const costs: number[] = []
    do costs.push(await costOf(async () => found.push(...(await look()))))
    while (!isAtEnd)
    expect(found).to.deep.equal([200_000])

    expect(Math.max(...costs), `blocks of each look: ${costs.join()}`).to.be.below(20_000)
  })

  it('finds a delivery that becomes due before the time already searched, at the latest when another worker has died', async () => {
    await fillRetries(setting.database, {
      from: 300_000,
      count: 1,
      rule: String(FREE - 3),
      due: `now() - interval '2 hours'`,
    })
    expect(await look(), 'behind what was read').to.deep.equal([])
    await queue.takeOver(randomUUID(), [randomUUID()], 10)
    expect(await look()).to.deep.equal([300_000])
  })
})
