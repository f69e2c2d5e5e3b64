/** Tests that the counts equal the number of rows after any history. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { replay, verify } from '../../../projections/engine/replay.ts'
import { openApplier } from '../../../projections/engine/applier.ts'
import { main } from '../../../projections/main.ts'
import { createSchema } from '../../../projections/engine/schema.ts'
import { History } from './history.ts'
import { openSetting, type Setting } from './setting.ts'

describe('counts', () => {
  let setting: Setting
  beforeEach(async () => {
    setting = await openSetting()
  })
  afterEach(() => setting.close())

  /** The kinds whose count is not the number of their rows. */
  const wrong = (): Promise<object[]> =>
    setting.database.query(
      `SELECT * FROM (SELECT user_id, (transaction_date AT TIME ZONE 'UTC' + interval '7 hours')::date AS day, bank_code,
          transaction_type, source_type, webhook_status, coalesce(account_number, '') AS account_number,
          coalesce(prefix, '') AS prefix, count(*)::integer AS number
        FROM read_model.transaction GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) AS rows
        FULL JOIN (SELECT * FROM read_model.transaction_total WHERE day < 'infinity') AS counts
          USING (user_id, day, bank_code, transaction_type, source_type, webhook_status, account_number, prefix, number)
        WHERE rows IS NULL OR counts IS NULL
      UNION ALL SELECT user_id, NULL, bank_code, transaction_type, source_type, webhook_status, account_number, prefix, number
        FROM (SELECT user_id, bank_code, transaction_type, source_type, webhook_status, account_number, prefix,
            sum(number)::integer AS number FROM read_model.transaction_total WHERE day < 'infinity' GROUP BY 1, 2, 3, 4, 5, 6, 7) AS days
        FULL JOIN (SELECT * FROM read_model.transaction_total WHERE day = 'infinity') AS all_days
          USING (user_id, bank_code, transaction_type, source_type, webhook_status, account_number, prefix, number)
        WHERE days IS NULL OR all_days IS NULL
      UNION ALL SELECT user_id, NULL, NULL, NULL, NULL, NULL, NULL, rule_id::text, number
        FROM (SELECT user_id, rule_id, count(*)::integer AS number FROM read_model.attempt GROUP BY 1, 2) AS rows
        FULL JOIN read_model.attempt_count AS counts USING (user_id, rule_id, number)
        WHERE rows IS NULL OR counts IS NULL`,
    )
  const kinds = async (table: string): Promise<number> =>
    (await setting.database.query<{ n: number }>(`SELECT count(*) AS n FROM read_model.${table}`))[0]!.n

  for (const seed of [51, 52])
    it(`are right after any history, in batches of any size (${seed})`, async () => {
      await setting.append(new History(seed).grow(700).decided)
      const events = await setting.store.readAll(null, 1_000_000)
      await createSchema(setting.tables, main)
      const applier = openApplier({
        store: setting.store,
        tables: setting.tables,
        definition: main,
        schema: 'read_model',
        anchor: null,
      })
      for (let start = 0, size = seed; start < events.length; start += size) {
        size = 1 + ((size * 5 + seed) % 61)
        const piece = events.slice(start, start + size)
        await applier.apply(piece, piece.at(-1)!.checkpoint)
        if (start % 7 === 0) expect(await wrong()).to.deep.equal([])
      }
      expect(await wrong()).to.deep.equal([])
      expect(await kinds('transaction_total')).to.be.above(5)
      expect(await kinds('attempt_count')).to.be.above(2)
    })

  it('contain nothing of a deleted account', async () => {
    const history = new History(53).grow(300)
    await setting.append(history.decided)
    await setting.catchUp()
    const before = await kinds('transaction_total')
    const metadata = { user_id: 1, at: '2026-02-01T00:00:00.000Z', correlation_id: 'c', causation_id: 'c', version: 1 }
    const event = (type: string) => ({ id: randomUUID(), type, data: { user_id: 1 }, metadata })
    const own = [...history.transactions.values()].filter((each) => each?.phase === 'live' && each.user_id === 1)
    await setting.append([
      { stream: 'account-1', events: [event('AccountDeleted')] },
      ...own.map((each) => ({ stream: `transaction-${each!.transaction_id}`, events: [event('StreamErased')] })),
    ])
    await setting.catchUp()
    expect(await wrong()).to.deep.equal([])
    const left = await setting.database.query('SELECT FROM read_model.transaction_total WHERE user_id = 1')
    expect(left).to.deep.equal([])
    expect(await kinds('transaction_total')).to.be.within(1, before - 1)
  })

  it('are kept in the tables of a replay too, and are checked by a verification', async () => {
    const history = new History(54).grow(200)
    await setting.append(history.decided)
    const past = history.decided.length
    await replay({ store: setting.store, tables: setting.tables, definition: main })
    await setting.append(history.grow(200).decided.slice(past))
    await setting.catchUp()
    expect(await wrong()).to.deep.equal([])
    const found = () => verify({ store: setting.store, tables: setting.tables, definition: main })
    expect((await found()).differences).to.deep.equal([])
    await setting.database.query('UPDATE read_model.transaction_total SET number = number + 1 WHERE user_id = 2')
    expect(await wrong()).not.to.be.empty
    const [difference, ...others] = (await found()).differences
    expect(others).to.deep.equal([])
    expect(difference).to.include({ table: 'transaction_total' })
    expect(difference!.examples[0]!.columns).to.deep.equal(['number'])
  })
})
