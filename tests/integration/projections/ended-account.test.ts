/** The rows of a deleted account: they go with the closing events of their streams, however many there are, and nothing is done with them meanwhile. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { openDeliveryQueue } from '../../../adapters/postgres/delivery-queue/delivery-queue.ts'
import { deliveryNumbers } from '../../../adapters/postgres/delivery-queue/numbers.ts'
import { remove } from '../../../domain/transaction/decide.ts'
import type { LiveTransaction } from '../../../domain/transaction/transaction.ts'
import { verify } from '../../../projections/engine/replay.ts'
import { main } from '../../../projections/main.ts'
import { search } from '../../../projections/search.ts'
import { freshReadModels } from '../../harness/postgres.ts'
import { History, type Decided } from './history.ts'
import { openSetting, type Setting } from './setting.ts'

const USER = 1
const OF_TRANSACTIONS = ['transaction', 'delivery', 'attempt', 'transaction_total', 'attempt_count']

describe('the rows of a deleted account', () => {
  let setting: Setting
  let live: LiveTransaction[]

  const closing = (stream: string, type: string, data: object): Decided => ({
    stream,
    events: [
      {
        id: randomUUID(),
        type,
        data,
        metadata: { user_id: USER, at: '2026-02-01T00:00:00.000Z', correlation_id: 'c', causation_id: 'c', version: 1 },
      },
    ],
  })
  const ended = () => closing('account-1', 'AccountDeleted', { user_id: USER })
  const deleted = (transaction: LiveTransaction): Decided => {
    const [fact] = remove(transaction)
    return closing(`transaction-${transaction.transaction_id}`, fact!.type, fact!.data)
  }
  const close = async (decided: readonly Decided[]) => {
    await setting.append(decided)
    await setting.catchUp()
    await setting.catchUp({ definition: search })
  }
  const left = async (table: string): Promise<number> => {
    const [row] = await setting.database.query<{ left: number }>(
      `SELECT count(*) AS left FROM ${table} WHERE user_id = ${USER}`,
    )
    return row!.left
  }
  const differences = async () => {
    const found = await Promise.all([main, search].map((definition) => verify({ ...setting, definition })))
    return found.flatMap((each) => each.differences)
  }

  beforeEach(async () => {
    setting = await openSetting(freshReadModels)
    const history = new History(61).grow(300)
    live = [...history.transactions.values()].filter(
      (each) => each?.phase === 'live' && each.user_id === USER,
    ) as LiveTransaction[]
    expect(live.length).to.be.above(10)
    await close([...history.decided, ended()])
  })
  afterEach(() => setting.close())

  it('are removed with their streams, so that no statement removes all of them at once', async () => {
    expect(await left('read_model.account')).to.equal(0)
    expect(await left('read_model.rule')).to.equal(0)
    expect(await left('read_model.transaction')).to.equal(live.length)
    await close(live.slice(1).map(deleted))
    expect(await left('read_model.transaction')).to.equal(1)
    expect(await left('search_model.searchable')).to.equal(1)
    // Its events cannot be read, so nothing could be decided about it.
    await close([closing(`transaction-${live[0]!.transaction_id}`, 'StreamErased', { user_id: USER }), ended()])
    for (const { table } of main.projections.filter(({ table: { columns } }) => 'user_id' in columns))
      expect(await left(`read_model.${table.name}`), table.name).to.equal(0)
    expect(await left('search_model.searchable')).to.equal(0)
  })

  it('are the same after a rebuild while its streams are closed and erased', async () => {
    const some = live.slice(0, 5)
    await close(some.map(deleted))
    for (const { transaction_id } of some) await setting.store.erase(`transaction-${transaction_id}`)
    await setting.store.expire()
    expect(await differences()).to.deep.equal([])
    await close([...live.slice(5).map(deleted), ended()])
    for (const table of [...OF_TRANSACTIONS, 'quota']) expect(await left(`read_model.${table}`), table).to.equal(0)
    expect(await differences()).to.deep.equal([])
  })

  it('are not claimed, and not counted as overdue', async () => {
    const { database } = setting
    const dueAt = (user: string, at: string) =>
      database.query(`UPDATE read_model.delivery SET due_at = now() ${at} WHERE status = 'open' AND user_id ${user}`)
    await dueAt(`<> ${USER}`, "+ interval '1 second'")
    await dueAt(`= ${USER}`, "- interval '1 hour'")
    const queue = openDeliveryQueue(database, database)
    const worker = randomUUID()
    await queue.beat(worker)
    const room = { first: 1_000, retry: 1_000, manual: 1_000, bulk: 1_000 }
    const shares = { whole: room, left: [] }
    const due = await queue.claimDue(worker, { room, perRule: 1_000, fullRules: [], shares, firstEarlier: 0 })
    expect([...due.claimed, ...due.orphans].filter(({ user_id }) => user_id === USER)).to.deep.equal([])
    expect(await deliveryNumbers(database)).to.deep.include({ overdue: 0 })
  })
})
