import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { openDatabase, type Database } from '../../../adapters/database/database.ts'
import { openSnapshots, sweepSnapshots } from '../../../adapters/postgres/ops/snapshots.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'

const NAME = 'book VCB'

describe('snapshots in Postgres', () => {
  let test: TestDatabase
  let database: Database
  const failures: unknown[] = []
  const open = (version = '1') => openSnapshots(database, version, (error) => failures.push(error))
  const state = { devices: new Map([[1, { name: 'Điện thoại' }]]) }
  const writer = randomUUID()
  const part = (size: number, value: number) => [randomUUID(), new Uint8Array(size).fill(value)] as const
  type Part = ReturnType<typeof part>
  const snapshot = (kept: readonly Part[], added: readonly Part[], revision = 9) => ({
    revision,
    event_id: randomUUID(),
    state,
    writer,
    parts: [...kept, ...added].map(([id]) => id),
    added,
  })
  const read = async (name = NAME, version = '1') => {
    const found = (await open(version).load(7, name))!
    const parts: Uint8Array[] = []
    for await (const bytes of open(version).parts(7, name, found.parts)) parts.push(bytes)
    return { ...found, parts }
  }
  const rows = async (table: string) => (await database.query(`SELECT FROM ${table}`)).length
  const older = (table: string, days: number) =>
    database.query(`UPDATE ${table} SET written_at = now() - make_interval(days => $1)`, [days])

  before(async () => {
    test = await freshDatabase()
    database = openDatabase(test.url)
  })
  after(async () => {
    await database?.close()
    await test?.drop()
  })
  afterEach(() => expect(failures.splice(0)).to.deep.equal([]))

  it('keep the state and its parts in their order', async () => {
    const parts = Array.from({ length: 21 }, (_, n) => part(100_000, n))
    const given = snapshot([], parts)
    expect(await open().save(7, NAME, given)).to.equal(true)
    const found = await read()
    expect(found).to.deep.include({ revision: 9, event_id: given.event_id, state, writer })
    expect(found.parts.map((bytes) => [bytes[0], bytes.length])).to.deep.equal(parts.map((_, n) => [n, 100_000]))
  })

  it('belong to one account, one name and one version of the fold', async () => {
    expect(await open().load(8, NAME)).to.equal(null)
    expect(await open().load(7, 'account')).to.equal(null)
    expect(await open('2').load(7, NAME)).to.equal(null)
  })

  it('keep the parts that are not given again, and only those that the newest one has', async () => {
    const [one, two, three] = [part(10, 1), part(10, 2), part(12, 3)]
    await open().save(7, NAME, snapshot([], [one, two]))
    expect(await rows('ops.snapshot_part')).to.equal(2)
    expect(await open().save(7, NAME, snapshot([one], [three], 12))).to.equal(true)
    expect((await read()).parts.map((bytes) => [bytes[0], bytes.length])).to.deep.equal([
      [1, 10],
      [3, 12],
    ])
    expect(await rows('ops.snapshot_part')).to.equal(2)
  })

  it('are not saved if parts are missing, because another process has saved its own', async () => {
    const [mine, other] = [part(10, 1), part(10, 5)]
    await open().save(7, NAME, snapshot([], [mine]))
    await open().save(7, NAME, snapshot([], [other], 20))
    expect(await open().save(7, NAME, snapshot([mine], [part(10, 3)], 30))).to.equal(false)
    expect((await read()).revision).to.equal(20)
  })

  it('end with an error if a part is missing', async () => {
    const { parts } = (await open().load(7, NAME))!
    const all = async () => {
      for await (const _ of open().parts(7, NAME, [...parts, randomUUID()]));
    }
    expect(await all().then(String, String)).to.contain('is missing')
  })

  it('replace snapshots of another version only when that version has not saved for a while', async () => {
    expect(await open('2').save(7, NAME, snapshot([], [part(10, 7)], 40))).to.equal(false)
    await older('ops.snapshot', 1)
    expect(await open('2').save(7, NAME, snapshot([], [part(10, 7)], 40))).to.equal(true)
    expect((await read(NAME, '2')).revision).to.equal(40)
    expect(await open('1').load(7, NAME)).to.equal(null)
  })

  it('of windows end with the events of the window, and parts with their snapshot', async () => {
    await open('2').save(7, 'account', snapshot([], []))
    await older('ops.snapshot', 7)
    // Of a process that ended before it was done.
    await database.query(`INSERT INTO ops.snapshot_part (user_id, name, id, data) VALUES (7, $1, $2, '')`, [
      NAME,
      randomUUID(),
    ])
    await older('ops.snapshot_part', 7)
    expect(await sweepSnapshots(database).run(new AbortController().signal)).to.deep.equal({ snapshots: 0, parts: 1 })
    expect((await read(NAME, '2')).parts).to.have.length(1)
    await older('ops.snapshot', 9)
    await older('ops.snapshot_part', 9)
    expect(await sweepSnapshots(database).run(new AbortController().signal)).to.deep.equal({ snapshots: 1, parts: 1 })
    expect([await rows('ops.snapshot'), await rows('ops.snapshot_part')]).to.deep.equal([1, 0])
  })

  it('can be forgotten', async () => {
    await open('2').save(7, NAME, snapshot([], [part(10, 7)]))
    await open('2').forget(7, NAME)
    expect(await open('2').load(7, NAME)).to.equal(null)
    expect(await rows('ops.snapshot_part')).to.equal(0)
  })

  it('are not found while Postgres does not answer', async () => {
    const gone = openDatabase(test.url)
    await gone.close()
    const snapshots = openSnapshots(gone, '1', (error) => failures.push(error))
    expect(await snapshots.load(7, NAME)).to.equal(null)
    expect(await snapshots.save(7, NAME, snapshot([], []))).to.equal(false)
    await snapshots.forget(7, NAME)
    expect(failures.splice(0)).to.have.length(3)
  })
})
