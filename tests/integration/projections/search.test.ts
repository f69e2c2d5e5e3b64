/** Tests the search projector beside the main one: it has its own schema, checkpoint, replay and verification. */
import { expect } from 'chai'
import { openApplier } from '../../../projections/engine/applier.ts'
import { readCheckpoint } from '../../../projections/engine/checkpoint.ts'
import { replay, verify } from '../../../projections/engine/replay.ts'
import { createSchema } from '../../../projections/engine/schema.ts'
import { search } from '../../../projections/search.ts'
import { History } from './history.ts'
import { openSetting, type Setting } from './setting.ts'

describe('the search projector', () => {
  let setting: Setting
  beforeEach(async () => {
    setting = await openSetting()
  })
  afterEach(() => setting.close())

  const options = () => ({ store: setting.store, tables: setting.tables, definition: search })
  const rows = (schema = 'search_model'): Promise<{ id: number; rules: string[] }[]> =>
    setting.database.query(`SELECT * FROM ${schema}.searchable ORDER BY id`)

  it('has the transactions that the lists have, each with the rules of its deliveries', async () => {
    await setting.append(new History(61).grow(800).decided)
    await setting.catchUp()
    await setting.catchUp({ definition: search })
    const expected = await setting.database.query<{ id: number; rules: string[] }>(
      `SELECT id, ARRAY(SELECT rule_id FROM read_model.delivery d WHERE d.transaction_id = t.id ORDER BY 1) AS rules
       FROM read_model.transaction t ORDER BY id`,
    )
    expect((await rows()).map(({ id, rules }) => ({ id, rules }))).to.deep.equal(expected)
    expect(expected.filter(({ rules }) => rules.length > 0)).to.have.length.above(20)
  })

  it('gives the same rows in batches of any size', async () => {
    await setting.append(new History(62).grow(600).decided)
    await setting.catchUp({ definition: search })
    const events = await setting.store.readAll(null, 1_000_000)
    await createSchema(setting.tables, search, 'in_pieces')
    const applier = openApplier({
      store: setting.store,
      tables: setting.tables,
      definition: search,
      schema: 'in_pieces',
      anchor: null,
    })
    for (let start = 0, size = 3; start < events.length; start += size) {
      size = 1 + ((size * 7 + 2) % 23)
      const piece = events.slice(start, start + size)
      await applier.apply(piece, piece.at(-1)!.checkpoint)
    }
    expect(await rows('in_pieces')).to.deep.equal(await rows())
  })

  it('is rebuilt and compared without any effect on the main one, which keeps its position', async () => {
    const history = new History(63).grow(200)
    await setting.append(history.decided)
    await setting.catchUp()
    await setting.catchUp({ definition: search })
    const positionOfMain = async () => ({
      ...(await readCheckpoint(setting.database, 'read_model', 'main')),
      age: null,
    })
    const position = await positionOfMain()
    const before = await rows()
    await replay(options())
    expect(await rows()).to.deep.equal(before)
    expect(await positionOfMain()).to.deep.equal(position)
    for (const each of history.transactions.values())
      if (each?.phase === 'deleted') await setting.store.erase(`transaction-${each.transaction_id}`)
    expect((await verify(options())).differences).to.deep.equal([])
    await setting.database.query("UPDATE search_model.searchable SET text = 'other' WHERE id = $1", [before[0]!.id])
    const { differences } = await verify(options())
    expect(differences).to.have.length(1)
    expect(differences[0]!.examples[0]).to.deep.include({ columns: ['text'], only_in: null })
  })

  it('reaches the same position as the main one, whatever the newest event is', async () => {
    await setting.append(new History(64).grow(20).decided)
    await setting.catchUp()
    await setting.catchUp({ definition: search })
    const main = await readCheckpoint(setting.database, 'read_model', 'main')
    const ours = await readCheckpoint(setting.database, 'search_model', 'search')
    expect(ours!.anchor).to.deep.equal(main!.anchor)
  })
})
