import { expect } from 'chai'
import { openIds } from '../../../adapters/system/ids.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import type { EventStore, Ids } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase, type TestDatabase } from '../../harness/postgres.ts'

const clock = { now: () => new Date('2026-11-21T02:15:27.000Z') }

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n)

describe('ids', () => {
  let database: TestDatabase
  const stores: EventStore[] = []
  const open = async (): Promise<EventStore> => {
    const store = await openPostgresEventStore({ url: database.url, parse: parseEvent })
    stores.push(store)
    return store
  }
  const process = async (skip?: number): Promise<Ids> => openIds({ store: await open(), clock, ...(skip && { skip }) })
  beforeEach(async () => {
    database = await freshDatabase()
  })
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()))
    await database.drop()
  })

  it('rise from 1 and are reserved in blocks', async () => {
    const store = await open()
    const ids = openIds({ store, clock })
    expect(await ids.next(3)).to.deep.equal([1, 2, 3])
    expect(await ids.next(0)).to.deep.equal([])
    expect(await ids.next(998)).to.deep.equal(range(4, 1_001))
    expect(await ids.next(2_500)).to.deep.equal(range(1_002, 3_501))
    const [reserved] = await store.read([{ stream: 'ids' }])
    expect(reserved!.map(({ type, data }) => ({ type, data }))).to.deep.equal([
      { type: 'IdsReserved', data: { from: 1, to: 1_000 } },
      { type: 'IdsReserved', data: { from: 1_001, to: 2_000 } },
      { type: 'IdsReserved', data: { from: 2_001, to: 3_501 } },
    ])
    expect(reserved![0]!.metadata).to.include({ user_id: null, at: '2026-11-21T02:15:27.000Z' })
  })

  it('are never given out twice, even if several processes request them concurrently', async () => {
    const processes = await Promise.all([process(), process(), process()])
    const given = await Promise.all(
      Array.from({ length: 300 }, async (_, n) => ({ n: n % 3, ids: await processes[n % 3]!.next(1 + (n % 40)) })),
    )
    const all = given.flatMap(({ ids }) => ids)
    expect(new Set(all).size).to.equal(all.length)
    for (const n of [0, 1, 2]) {
      const own = given.filter((one) => one.n === n).flatMap(({ ids }) => ids)
      expect(own).to.deep.equal([...own].sort((a, b) => a - b))
    }
  })

  it('continue after the block that an earlier process reserved', async () => {
    expect(await (await process()).next(1)).to.deep.equal([1])
    expect(await (await process()).next(1)).to.deep.equal([1_001])
  })

  it('are reserved before the last block is used up, so that no caller waits', async () => {
    const store = await open()
    const ids = openIds({ store, clock })
    await ids.next(800)
    const blocks = async () => (await store.read([{ stream: 'ids' }]))[0]!.length
    await eventually(async () => (await blocks()) === 2)
    const { append } = store
    store.append = () => Promise.reject(new Error('nothing is to be reserved now'))
    expect(await ids.next(700)).to.deep.equal(range(801, 1_500))
    store.append = append
    expect(await ids.next(1)).to.deep.equal([1_501])
    expect(await blocks()).to.equal(2)
  })

  it('are reserved on demand if the early reservation failed', async () => {
    const store = await open()
    const ids = openIds({ store, clock })
    const { append } = store
    await ids.next(1)
    store.append = () => Promise.reject(new StoreUnavailable('away'))
    await ids.next(800)
    store.append = append
    expect(await ids.next(1_000)).to.deep.equal(range(802, 1_801))
  })

  it('skip a range after a restore, because the backup may lack the latest reservations', async () => {
    await (await process()).next(1)
    const ids = await process(50_000)
    expect(await ids.next(1)).to.deep.equal([51_001])
    expect((await ids.next(1_000)).at(-1)).to.equal(52_001)
  })

  it('continue a million above what a process knows if the store has lost its blocks', async () => {
    await (await process()).next(1)
    const store = await open()
    const first = openIds({ store, clock, above: 3_000, isAfterLoss: true })
    expect(await first.next(1)).to.deep.equal([1_003_001])
    // The others find that one has left out ids already. One knows more than the first, one knows nothing.
    expect(await openIds({ store, clock, above: 5_000, isAfterLoss: true }).next(1)).to.deep.equal([1_004_001])
    expect(await openIds({ store, clock, above: 5_000 }).next(1)).to.deep.equal([1_005_001])
    expect(await openIds({ store, clock, isAfterLoss: true }).next(1)).to.deep.equal([2_006_001])
  })

  it('never go below a block that this process has reserved', async () => {
    const store = await open()
    const ids = openIds({ store, clock })
    expect((await ids.next(1_500)).at(-1)).to.equal(1_500)
    const emptied = {
      ...store,
      read: () => Promise.resolve([[]]),
      append: () => Promise.resolve([{ ok: true as const, checkpoint: '1' }]),
    }
    Object.assign(store, emptied)
    expect((await ids.next(1_000)).at(-1)).to.be.above(1_001_500)
  })

  it('are requested again after the store was unavailable', async () => {
    const real = await open()
    let isAway = true
    const store: EventStore = {
      ...real,
      read: async (slices) => {
        if (isAway) throw new Error('away')
        return real.read(slices)
      },
    }
    const ids = openIds({ store, clock })
    expect(await ids.next(1).catch((error: Error) => error.message)).to.equal('away')
    isAway = false
    expect(await ids.next(2)).to.deep.equal([1, 2])
    expect(await ids.next(-1).catch((error: unknown) => error)).to.be.instanceOf(RangeError)
  })
})
