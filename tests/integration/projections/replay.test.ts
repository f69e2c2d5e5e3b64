import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { NO_STREAM } from '../../../domain/ports.ts'
import { transactionStream } from '../../../domain/transaction/events.ts'
import { stamp } from '../../../workflows/support/stamp.ts'
import { deleteTransactions } from '../../../workflows/transactions/by-hand.ts'
import { readCheckpoint } from '../../../projections/engine/checkpoint.ts'
import { main } from '../../../projections/main.ts'
import { dropAbandonedCopies, sweepAbandonedCopies } from '../../../projections/engine/abandoned-copies.ts'
import { replay, ReplayRuns, verify } from '../../../projections/engine/replay.ts'
import { openReadModelTables } from '../../../adapters/postgres/ops/read-models.ts'
import { createSchema, renaming } from '../../../projections/engine/schema.ts'
import { capturedData } from '../../harness/captured-data.ts'
import { eventually } from '../../harness/eventually.ts'
import { History } from './history.ts'
import { openSetting, type Setting } from './setting.ts'

describe('replay', () => {
  let setting: Setting
  beforeEach(async () => {
    setting = await openSetting()
  })
  afterEach(() => setting.close())

  const options = () => ({ store: setting.store, tables: setting.tables, definition: main })

  const schemas = async (): Promise<string[]> =>
    (
      await setting.database.query<{ nspname: string }>(
        `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'read_model%' ORDER BY 1`,
      )
    ).map(({ nspname }) => nspname)

  const tableIds = (): Promise<object[]> =>
    setting.database.query(`SELECT oid FROM pg_class WHERE relnamespace = 'read_model'::regnamespace ORDER BY oid`)

  it('rebuilds the same rows, and leaves nothing else behind', async () => {
    await setting.append(new History(21).grow(800).decided)
    await setting.catchUp()
    const live = await setting.rows()
    const ids = await tableIds()
    const shown: number[] = []
    const { events } = await replay({ ...options(), onProgress: (progress) => shown.push(progress.events) })
    expect(await setting.rows()).to.deep.equal(live)
    expect(await tableIds()).not.to.deep.equal(ids)
    expect(await schemas()).to.deep.equal(['read_model'])
    expect(events).to.equal(shown.at(-1))
    expect(live.delivery).to.have.length.above(50)
  })

  it('swaps the tables while the live projector runs, and prepared statements then read the new tables', async () => {
    const history = new History(22).grow(400)
    await setting.append(history.decided)
    const { projector } = await setting.start()
    expect(await projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
    // A reader with its own prepared statement, on one connection.
    const reader = await setting.database.connect()
    const count = async () =>
      (await reader.query<{ n: number }>({ name: 'n', text: 'SELECT count(*) AS n FROM read_model.transaction' }))
        .rows[0]!.n
    expect(await count()).to.be.above(0)

    const ids = await tableIds()
    let written = history.decided.length
    let isWriting = true
    const writing = (async () => {
      while (isWriting) {
        history.grow(20)
        await setting.append(history.decided.slice(written))
        written = history.decided.length
        // Write only as fast as the events are projected. What a replay has to catch up with then stays small on any machine.
        await projector.passed((await setting.store.end())!, 30_000)
      }
    })()
    // A replay has its own connection for its batches, like another process.
    const tables = openReadModelTables(setting.database)
    try {
      for (let times = 0; times < 3; times++) await replay({ ...options(), tables })
    } finally {
      isWriting = false
      await writing
    }
    expect(await tableIds()).not.to.deep.equal(ids)

    await setting.append(history.grow(50).decided.slice(written))
    expect(await projector.passed((await setting.store.end())!, 30_000), JSON.stringify(projector.health())).to.equal(
      true,
    )
    expect(projector.health().state).to.equal('live')
    expect(await count()).to.equal((await setting.rows()).transaction!.length)
    await reader.end()
    const { differences, incomparable } = await verify({ ...options(), tables })
    await tables.close()
    expect({ differences, incomparable }).to.deep.equal({ differences: [], incomparable: null })
    expect(await schemas()).to.deep.equal(['read_model'])
  })

  it('makes a waiting projector continue in the new tables, at the same event', async () => {
    const history = new History(23)
    await setting.append(history.decided)
    const { projector } = await setting.start()
    await projector.passed((await setting.store.end())!, 30_000)
    // This does what a replay does, while the projector waits for the row.
    await setting.database.transaction(async (transaction) => {
      await readCheckpoint(transaction, 'read_model', 'main', { lock: true })
      await setting.append(history.grow(100).decided.slice(9))
      await eventually(
        async () =>
          (
            await setting.database.query(
              `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            )
          ).length > 0,
      )
      await createSchema(setting.tables, main, 'read_model_next')
      await transaction.query('DELETE FROM read_model_next.checkpoint')
      // Rows that triggers maintain follow from the other rows.
      const tables = main.projections.filter(({ triggers }) => !triggers).map((each) => each.table.name)
      for (const table of [...tables, 'checkpoint'])
        await transaction.query(`INSERT INTO read_model_next.${table} SELECT * FROM read_model.${table}`)
      await transaction.query('DELETE FROM read_model.checkpoint')
      await transaction.query('ALTER SCHEMA read_model RENAME TO read_model_old')
      await transaction.query(renaming(main, 'read_model_next', 'read_model'))
    })
    expect(await projector.passed((await setting.store.end())!, 30_000), JSON.stringify(projector.health())).to.equal(
      true,
    )
    expect((await setting.rows('read_model_old')).transaction).to.deep.equal([])
    const { differences } = await verify({ ...options(), tables: openReadModelTables(setting.database) })
    expect(differences).to.deep.equal([])
  })

  it('reaches the end of the store if the last event that the live read models processed was erased', async () => {
    await setting.append(new History(25).grow(50).decided)
    const by = { user_id: 1, at: new Date(), correlation_id: 'c', causation_id: 'c' }
    const [last, data] = [900_001, capturedData({ transaction_id: 900_001, user_id: 1, rules: [] })]
    const events = stamp([{ type: 'TransactionCaptured', data }], by)
    await setting.store.append([[{ stream: transactionStream(last), expectedRevision: NO_STREAM, events }]])
    await setting.catchUp()
    await deleteTransactions(setting.store, by, [last])
    const { incomparable, differences } = await verify(options())
    expect({ incomparable, differences }).to.deep.equal({
      incomparable: 'the newest event that they have was erased or has expired, and they have processed nothing since',
      differences: [],
    })
    await replay(options())
    expect(await setting.database.query('SELECT FROM read_model.transaction WHERE id = $1', [last])).to.deep.equal([])
    expect(await verify(options())).to.deep.include({ incomparable: null, differences: [] })
    expect((await readCheckpoint(setting.database, 'read_model', 'main'))?.passed).to.equal(await setting.store.end())
  })

  it('runs only once at a time', async () => {
    await setting.append(new History(24).decided)
    await setting.catchUp()
    const outcome = await setting.database.transaction(async (transaction) => {
      await transaction.query(`SELECT pg_advisory_xact_lock(hashtext('baoco replay main'))`)
      return replay(options()).catch((error: unknown) => error)
    })
    expect(outcome).to.be.instanceOf(ReplayRuns)
    await replay(options())
  })

  it('leaves the live read models unchanged if it is interrupted, and cleans up', async () => {
    await setting.append(new History(25).grow(200).decided)
    await setting.catchUp()
    const live = await setting.rows()
    const ending = new AbortController()
    const replaying = replay({ ...options(), signal: ending.signal, onProgress: () => ending.abort() })
    expect(await replaying.catch((error: Error) => error.name)).to.equal('Ended')
    expect(await setting.rows()).to.deep.equal(live)
    expect(await schemas()).to.deep.equal(['read_model'])
  })

  it('cleans up after a killed replay', async () => {
    await setting.append(new History(25).grow(50).decided)
    await setting.catchUp()
    const live = await setting.rows()
    await createSchema(setting.tables, main, 'read_model_next')
    await createSchema(setting.tables, main, 'read_model_old')
    await replay(options())
    expect(await setting.rows()).to.deep.equal(live)
    expect(await schemas()).to.deep.equal(['read_model'])
  })

  it('that was killed leaves copies only until the next clean-up, which keeps those of a running one', async () => {
    const { tables } = setting
    await createSchema(tables, main, 'read_model')
    await createSchema(tables, main, 'read_model_next')
    await createSchema(tables, main, 'read_model_old')
    await setting.database.transaction(async (transaction) => {
      await transaction.query(`SELECT pg_advisory_xact_lock(hashtext('baoco replay main'))`)
      expect(await dropAbandonedCopies(tables, [main])).to.equal(0)
    })
    expect(await schemas()).to.have.length(3)
    expect(await sweepAbandonedCopies(tables, [main]).run(new AbortController().signal)).to.deep.equal({ dropped: 2 })
    expect(await schemas()).to.deep.equal(['read_model'])
  })

  it('builds missing read models, even from an empty store', async () => {
    await replay(options())
    expect((await readCheckpoint(setting.tables, 'read_model', 'main'))?.anchor).to.equal(null)
    await setting.append(new History(26).grow(50).decided)
    await setting.database.query('DROP SCHEMA read_model CASCADE')
    await replay(options())
    const rebuilt = await setting.rows()
    await setting.catchUp()
    expect(await setting.rows()).to.deep.equal(rebuilt)
  })

  describe('at the start', () => {
    it('runs if the definition has changed, and logs the reason', async () => {
      await setting.append(new History(27).grow(100).decided)
      await setting.catchUp()
      const rows = await setting.rows()
      await setting.database.query(`UPDATE read_model.checkpoint SET version = 'of yesterday'`)
      await setting.database.query('DELETE FROM read_model.transaction')
      await setting.catchUp()
      expect(await setting.rows()).to.deep.equal(rows)
      const rebuilt = setting.logged.filter(({ what }) => what === 'projection.rebuilding')
      expect(rebuilt.map(({ fields }) => fields.reason)).to.deep.equal(['their definition has changed'])
    })

    it('runs if the store lacks the event that the read models were built from, and logs the reason', async () => {
      await setting.append(new History(28).grow(100).decided)
      await setting.catchUp()
      const rows = await setting.rows()
      // This is the state after a backup was restored: another event has that position.
      await setting.database.query('UPDATE read_model.checkpoint SET event_id = $1', [randomUUID()])
      await setting.database.query('DELETE FROM read_model.delivery')
      await setting.catchUp()
      expect(await setting.rows()).to.deep.equal(rows)
      const rebuilt = setting.logged.filter(({ what }) => what === 'projection.rebuilding')
      expect(rebuilt.map(({ fields }) => fields.reason)).to.deep.equal([
        'the last event they were built from is not in the store',
      ])
    })

    it('does not run otherwise', async () => {
      await setting.append(new History(29).grow(100).decided)
      await setting.catchUp()
      const ids = await tableIds()
      await setting.catchUp()
      expect(await tableIds()).to.deep.equal(ids)
      expect(setting.logged).to.deep.equal([])
    })
  })

  describe('verify', () => {
    const planted = async (statement: string) => {
      await setting.append(new History(30).grow(300).decided)
      await setting.catchUp()
      await setting.database.query(statement)
      const live = await setting.rows()
      const { differences } = await verify(options())
      expect(await setting.rows()).to.deep.equal(live)
      expect(await schemas()).to.deep.equal(['read_model'])
      return differences
    }

    it('finds a changed row', async () => {
      const [difference, ...others] = await planted(
        `UPDATE read_model.delivery SET attempt = attempt + 1, round_base = round_base + 1
          WHERE (transaction_id, rule_id) = (SELECT transaction_id, rule_id FROM read_model.delivery LIMIT 1)`,
      )
      expect(others).to.deep.equal([])
      expect(difference).to.include({ table: 'delivery', rows: 1 })
      expect(difference!.examples[0]).to.deep.include({ columns: ['attempt', 'round_base'], only_in: null })
    })

    it('finds missing rows and extra rows', async () => {
      const differences = await planted(
        `WITH gone AS (DELETE FROM read_model.attempt WHERE id = (SELECT min(id) FROM read_model.attempt))
         INSERT INTO read_model.system (system_id, user_id) VALUES (999999, 1)`,
      )
      expect(
        differences.map(({ table, rows, examples }) => ({ table, rows, only_in: examples[0]!.only_in })),
      ).to.deep.equal([
        { table: 'system', rows: 1, only_in: 'live' },
        { table: 'attempt', rows: 1, only_in: 'rebuilt' },
        { table: 'attempt_count', rows: 1, only_in: null },
      ])
    })

    it('treats erased transactions as absent', async () => {
      const history = new History(31).grow(300)
      await setting.append(history.decided)
      await setting.catchUp()
      const deleted = [...history.transactions.values()].filter((each) => each?.phase === 'deleted')
      expect(deleted).to.have.length.above(3)
      for (const each of deleted) await setting.store.erase(`transaction-${each!.transaction_id}`)
      expect((await verify(options())).differences).to.deep.equal([])
    })

    it('gives the reason if read models cannot be compared at all', async () => {
      expect((await verify(options())).incomparable).to.equal('there are none yet')
    })
  })
})
