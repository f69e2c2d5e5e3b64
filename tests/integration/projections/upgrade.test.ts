/** Read models while processes of two versions of Baoco run, and a start after their last event is gone from the store. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { openReadModelTables } from '../../../adapters/postgres/ops/read-models.ts'
import type { NewEvent } from '../../../domain/event.ts'
import { NO_STREAM } from '../../../domain/ports.ts'
import { openApplier, Overtaken } from '../../../projections/engine/applier.ts'
import { readCheckpoint } from '../../../projections/engine/checkpoint.ts'
import type { Definition } from '../../../projections/engine/definition.ts'
import { replay } from '../../../projections/engine/replay.ts'
import { upgrade } from '../../../projections/engine/upgrade.ts'
import { main } from '../../../projections/main.ts'
import { eventually } from '../../harness/eventually.ts'
import { errorOf } from '../../harness/outcomes.ts'
import { History } from './history.ts'
import { openSetting, type Setting } from './setting.ts'

/** The read models of a newer version of Baoco: one table has one more column. */
const newer: Definition = {
  ...main,
  generation: main.generation + 1,
  projections: main.projections.map((each) =>
    each.table.name === 'transaction'
      ? { ...each, table: { ...each.table, columns: { ...each.table.columns, added: 'text' } } }
      : each,
  ),
}

describe('read models of two versions', () => {
  let setting: Setting
  let history: History
  let appended = 0
  beforeEach(async () => {
    setting = await openSetting()
    history = new History(41)
    appended = 0
  })
  afterEach(() => setting.close())

  const grow = async (steps: number): Promise<void> => {
    const decided = history.grow(steps).decided
    await setting.append(decided.slice(appended))
    appended = decided.length
  }
  const logged = (what: string) => setting.logged.filter((line) => line.what === what)
  const log = {
    info: (fields: object, what: string) => void setting.logged.push({ what, fields: { ...fields } }),
    warn: (fields: object, what: string) => void setting.logged.push({ what, fields: { ...fields } }),
    error: (fields: object, what: string) => void setting.logged.push({ what, fields: { ...fields } }),
  }
  const version = async () =>
    (await setting.database.query<{ version: string }>('SELECT version FROM read_model.checkpoint'))[0]!.version
  const forever = new AbortController().signal
  /** Like another process, with its own connection. */
  const upgraded = async (definition: Definition): Promise<boolean> => {
    const tables = openReadModelTables(setting.database)
    return upgrade({ store: setting.store, tables, definition, log }, forever).finally(() => tables.close())
  }

  it('are built beside the old ones, which stay current, and are switched when they have caught up', async () => {
    await grow(300)
    const { projector } = await setting.start()
    expect(await projector.passed((await setting.store.end())!, 30_000)).to.equal(true)
    let isWriting = true
    const late: string[] = []
    const writing = (async () => {
      while (isWriting) {
        await grow(5)
        const end = (await setting.store.end())!
        // After the switch this projector has ended.
        if (!(await projector.passed(end, 2_000)) && projector.isRunning()) late.push(end)
      }
    })()
    try {
      expect(await upgraded(newer)).to.equal(true)
    } finally {
      await grow(1).catch(() => {})
      isWriting = false
      await writing
    }
    expect(late).to.deep.equal([])
    await eventually(() => !projector.isRunning())
    expect(projector.health().state).to.equal('overtaken')
    await setting.catchUp({ definition: newer })
    const rows = await setting.rows()
    expect(logged('projection.rebuilding')).to.deep.equal([])
    await replay({ store: setting.store, tables: setting.tables, definition: newer })
    expect(await setting.rows()).to.deep.equal(rows)
    expect(await upgraded(newer), 'a second time').to.equal(false)
  })

  it('are not written by a process of the older version that was frozen during the switch', async () => {
    await grow(50)
    await setting.catchUp()
    const { anchor } = (await readCheckpoint(setting.tables, main.schema, main.projector))!
    expect(await upgraded(newer)).to.equal(true)
    await grow(5)
    const frozen = openApplier({ ...setting, definition: main, schema: main.schema, anchor })
    const events = await setting.store.readAll(anchor!.checkpoint, 5)
    expect(await errorOf(frozen.apply(events, events.at(-1)!.checkpoint))).to.be.instanceOf(Overtaken)
  })

  it('are left alone by the older version, which becomes a standby and logs that once', async () => {
    await grow(100)
    await setting.catchUp({ definition: newer })
    const [rows, present] = [await setting.rows(), await version()]
    await grow(20)
    const { projector, stop } = await setting.start()
    await eventually(() => projector.health().state === 'outdated')
    expect(projector.health().reason).to.equal('a newer version of Baoco maintains these read models')
    await projector.run(forever)
    await stop()
    expect(await upgraded(main)).to.equal(false)
    expect(await setting.rows()).to.deep.equal(rows)
    expect(await version()).to.equal(present)
    expect(logged('projection.newer')).to.have.length(1)
    expect(logged('projection.rebuilding')).to.deep.equal([])
  })

  it('are built by one process at a time, and another that waits for it ends when it is stopped', async () => {
    await grow(50)
    await setting.catchUp()
    await setting.database.transaction(async (transaction) => {
      await transaction.query(`SELECT pg_advisory_xact_lock(hashtext('baoco replay main'))`)
      const stopping = new AbortController()
      const { store, tables } = setting
      const waiting = upgrade({ store, tables, definition: newer, log }, stopping.signal)
      await eventually(() => logged('projection.upgrading').length > 0)
      stopping.abort()
      expect(await waiting).to.equal(false)
    })
    expect(logged('projection.upgrade_waits')).to.deep.equal([])
  })

  it('go back to the older version only by a replay', async () => {
    await grow(100)
    await setting.catchUp({ definition: newer })
    await replay({ store: setting.store, tables: setting.tables, definition: main })
    await setting.catchUp()
    expect(logged('projection.rebuilding')).to.deep.equal([])
    expect(await version()).to.match(new RegExp(`^${main.generation}\\.`))
  })
})

describe('read models whose last event is gone', () => {
  let setting: Setting
  beforeEach(async () => {
    setting = await openSetting()
    await setting.append(new History(42).grow(100).decided)
  })
  afterEach(() => setting.close())

  const AT = '2026-01-02T00:00:00.000Z'
  const anEvent = (): NewEvent =>
    ({
      id: randomUUID(),
      type: 'SomethingElse',
      data: {},
      metadata: { user_id: 1, at: AT, correlation_id: '', causation_id: '', version: 1 },
    }) as unknown as NewEvent
  const append = async (stream: string, expectedRevision: number): Promise<void> => {
    const [result] = await setting.store.append([[{ stream, expectedRevision, events: [anEvent()] }]])
    expect(result!.ok).to.equal(true)
  }
  const rebuilt = () => setting.logged.filter(({ what }) => what === 'projection.rebuilding').length

  it('are not rebuilt if its stream was erased since', async () => {
    await append('transaction-777', NO_STREAM)
    await setting.catchUp()
    await append('transaction-777', 0)
    await setting.store.erase('transaction-777')
    await setting.catchUp()
    expect(rebuilt()).to.equal(0)
  })

  it('are not rebuilt if it has expired since', async () => {
    await append('ignored-777', NO_STREAM)
    await setting.catchUp()
    await setting.store.retain('ignored-', 1)
    await eventually(async () => (await setting.store.read([{ stream: 'ignored-777' }]))[0]!.length === 0)
    await setting.store.expire()
    await setting.catchUp()
    expect(rebuilt()).to.equal(0)
  })

  it('are rebuilt if it is too young to have expired: an older state of the store was restored', async () => {
    await setting.catchUp()
    // The last event was of a stream that expires, and the store does not have it.
    await setting.database.query(
      `UPDATE read_model.checkpoint SET stream = 'ignored-778', revision = 0, event_id = $1, updated_at = now()`,
      [randomUUID()],
    )
    await setting.catchUp()
    expect(rebuilt()).to.equal(1)
  })
})
