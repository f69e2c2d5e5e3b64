/** The two-year memory of credits on both stores: its content, crashes, its size limit, and its erasure. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../../adapters/database/database.ts'
import { openCreditsCheckpoint, openReactorCheckpoint } from '../../../adapters/postgres/ops/reactor-checkpoint.ts'
import { creditsStream, creditSegmentsStream, SEGMENTS } from '../../../domain/credits/events.ts'
import { StoreUnavailable } from '../../../domain/errors.ts'
import { accountStream } from '../../../domain/account/events.ts'
import type { EventStore } from '../../../domain/ports.ts'
import { freshDatabase } from '../../harness/postgres.ts'
import { stepwise } from '../../harness/stepwise-store.ts'
import { Accounts } from '../../../workflows/accounts/accounts.ts'
import { eraseAccount } from '../../../workflows/accounts/delete-account.ts'
import { CreditMemories, LoadedMemory } from '../../../workflows/credits/memories.ts'
import { gatherCredits, rememberCredits, type CreditsCheckpoint } from '../../../workflows/credits/remember-credits.ts'
import type { StorePosition } from '../../../workflows/support/store-position.ts'
import { NOW, openWorld, USER, vietcombankPush, vietcombankSms, type World } from '../capture/world.ts'
import { STORES } from '../capture/stores.ts'

const clock = { now: () => NOW }
const never = new AbortController().signal

const checkpointInMemory = (): CreditsCheckpoint & { position: StorePosition | null } => {
  const checkpoint = {
    position: null as StorePosition | null,
    load: () => Promise.resolve(checkpoint.position),
    save: (position: StorePosition) => {
      checkpoint.position = position
      return Promise.resolve()
    },
  }
  return checkpoint
}

for (const [name, openStore] of Object.entries(STORES))
  describe(`the memory of credits, on ${name}`, () => {
    let world: World
    let store: EventStore
    let checkpoint: ReturnType<typeof checkpointInMemory>

    beforeEach(async () => {
      world = await openWorld(openStore)
      store = world.store
      checkpoint = checkpointInMemory()
    })
    afterEach(() => world.close())

    const gather = (parts: { store?: EventStore; segmentCredits?: number } = {}) =>
      gatherCredits({ store, clock, checkpoint, ...parts }, never)
    const loaded = async (): Promise<LoadedMemory> => {
      const memory = new LoadedMemory(USER)
      await memory.readOn(store)
      return memory
    }
    const take = (from: number, to: number) =>
      world.process().take(Array.from({ length: to - from }, (_, n) => vietcombankSms(from + n)))

    it('contains each credit once and none of its copies', async () => {
      await take(0, 5)
      await world.process().take([vietcombankPush(2)])
      expect(await gather()).to.equal(5)
      expect((await loaded()).memory.size).to.equal(5)
      expect((await world.events(creditsStream(USER, 0))).length).to.equal(1)
    })

    it('continues from its checkpoint; without one it reads everything and adds nothing twice', async () => {
      await take(0, 3)
      await gather()
      await take(3, 5)
      expect(await gather()).to.equal(2)
      expect(await gather()).to.equal(0)
      checkpoint.position = null
      expect(await gather()).to.equal(0)
      expect((await loaded()).memory.size).to.equal(5)
    })

    it('gets each credit once if two processes gather at the same time', async () => {
      await take(0, 6)
      const other = checkpointInMemory()
      const added = await Promise.all([gather(), gatherCredits({ store, clock, checkpoint: other }, never)])
      expect(added[0] + added[1]).to.equal(6)
      expect((await loaded()).total).to.equal(6)
    })

    it('loses nothing and repeats nothing after a crash at any append', async () => {
      await take(0, 8)
      for (let left = 0; left < 5; left++) {
        const dying = stepwise(store, (_part, done) => {
          if (done === left) throw new StoreUnavailable('it died here')
        })
        await gather({ store: dying, segmentCredits: 3 }).catch((error: unknown) => {
          if (!(error instanceof StoreUnavailable)) throw error
        })
      }
      await gather({ segmentCredits: 3 })
      const { memory } = await loaded()
      expect(memory.size).to.equal(8)
      const blocks = (await world.events('credits-')).map(({ data }) => (data as { credits: string }).credits)
      expect(blocks.join('')).to.have.length(8 * 16)
    })

    it('keeps a limited number of segments and erases the oldest', async () => {
      const most = 2 * SEGMENTS
      await take(0, most + 5)
      await gather({ segmentCredits: 2 })
      const { memory } = await loaded()
      expect(memory.size).to.be.at.most(most)
      expect(memory.size).to.be.at.least(most - 1)
      const [oldest, kept] = await store.read([
        { stream: creditsStream(USER, 0) },
        { stream: creditsStream(USER, memory.newest) },
      ])
      expect(oldest!.map(({ type }) => type)).to.deep.equal(['StreamErased'])
      expect(kept!.map(({ type }) => type)).to.deep.equal(['CreditsRemembered'])
      // The next credits, which begin a segment, are still added.
      await take(100, 103)
      expect(await gather({ segmentCredits: 2 })).to.equal(3)
      expect((await loaded()).memory.size).to.be.at.most(most)
    })

    /** A time this many days later. The deduplication window keeps entries for 7 days. */
    const later = (days: number) => ({ stamp: days * 86_400_000, arrived: days * 86_400_000 })
    const statuses = async () =>
      [...(await world.transactions()).values()].map(({ webhook_status, already_run_of }) => ({
        webhook_status,
        of: already_run_of,
      }))

    it('lets another process recognise a credit that the deduplication window has dropped', async () => {
      await take(1, 2)
      await gather()
      const [taken] = await world.process().take([vietcombankSms(1, 'DH1001', later(8))])
      expect(taken).to.include({ kind: 'transaction', webhook_status: 'already_run' })
      const [first, copy] = [...(await world.transactions()).values()]
      expect(copy!.already_run_of).to.equal(first!.transaction_id)
    })

    for (let streams = 0; streams < 2; streams++)
      it(`recognises a repeated credit: crash after ${streams} of 2 streams, sent again to another process`, async () => {
        await take(1, 2)
        await gather()
        const { store: dying, dieAfter, isDead } = await world.mortal()
        dieAfter(streams)
        const again = vietcombankSms(1, 'DH1001', later(8))
        const failure: unknown = await world
          .process({ store: dying })
          .take([again])
          .catch((error: unknown) => error)
        isDead()
        expect(failure).to.be.instanceOf(StoreUnavailable)
        await world.process().take([again])
        const [first, copy, ...others] = await statuses()
        expect(others).to.deep.equal([])
        expect(first).to.include({ webhook_status: 'pending', of: null })
        expect(copy!.webhook_status).to.equal('already_run')
      })

    it('is read once per hour, and then only its new part', async () => {
      await take(0, 2)
      await gather()
      let reads = 0
      const counted = { read: (slices: Parameters<EventStore['read']>[0]) => (reads++, store.read(slices)) }
      const memories = new CreditMemories()
      expect(memories.get(USER, NOW)).to.equal(null)
      expect((await memories.load(counted, USER, NOW)).size).to.equal(2)
      expect(reads).to.equal(1)
      expect(memories.get(USER, NOW)?.size).to.equal(2)
      await take(2, 3)
      await gather()
      const later = new Date(NOW.getTime() + 3_600_000)
      expect(memories.get(USER, later)).to.equal(null)
      expect((await memories.load(counted, USER, later)).size).to.equal(3)
    })

    it('is cached up to a total number of credits, and the least recently used one is dropped first', async () => {
      const memories = new CreditMemories(45)
      for (const user of [1, 2, 3]) await memories.load(store, user, NOW)
      expect([1, 2, 3].map((user) => memories.get(user, NOW) !== null)).to.deep.equal([false, true, true])
    })

    it('is not written for a deleted account, even if it was deleted just before the append', async () => {
      await take(0, 2)
      const gone = [{ type: 'AccountDeleted', data: { user_id: USER } }]
      const [[last] = []] = await store.read([{ stream: accountStream(USER), backwards: true, limit: 1 }])
      // The account is deleted between the check of the account and the append.
      let isDeleted = false
      const late: EventStore = Object.assign(Object.create(store) as EventStore, {
        read: store.read.bind(store),
        subscribe: store.subscribe.bind(store),
        erase: store.erase.bind(store),
        append: async (units: Parameters<EventStore['append']>[0]) => {
          if (!isDeleted) {
            isDeleted = true
            await world.write(accountStream(USER), gone, last!.revision)
          }
          return store.append(units)
        },
      })
      await gather({ store: late })
      for (const stream of [creditsStream(USER, 0), creditSegmentsStream(USER)]) {
        const [events] = await store.read([{ stream }])
        expect(events!.filter(({ type }) => type !== 'StreamErased')).to.deep.equal([])
      }
      checkpoint.position = null
      expect(await gather()).to.equal(0)
    })

    it('is erased with the account', async () => {
      await take(0, 5)
      await gather({ segmentCredits: 2 })
      const occasion = { user_id: USER, at: NOW, correlation_id: 'test', causation_id: 'test' }
      const parts = {
        store,
        accounts: new Accounts(store),
        list: () => Promise.resolve({ unknown: 'there are no read models' }),
        onFullRead: () => {},
        forget: async () => {},
      }
      await eraseAccount(parts, occasion, `user${USER}@example.com`)
      const streams = [creditSegmentsStream(USER), ...[0, 1, 2].map((segment) => creditsStream(USER, segment))]
      const left = await store.read(streams.map((stream) => ({ stream })))
      expect(left.flat().map(({ type, data }) => ({ type, data }))).to.deep.equal(
        streams.map(() => ({ type: 'StreamErased', data: { user_id: USER } })),
      )
      expect((await loaded()).memory.size).to.equal(0)
    })

    it('is updated once per day in each process, and again after a failure', async () => {
      await take(0, 1)
      let fails = true
      const job = rememberCredits({
        store,
        clock,
        checkpoint: {
          ...checkpoint,
          load: () => (fails ? Promise.reject(new Error('away')) : checkpoint.load()),
        },
      })
      const error: unknown = await job.run(never).catch((thrown: unknown) => thrown)
      expect((error as Error).message).to.equal('away')
      fails = false
      expect(await job.run(never)).to.deep.equal({ remembered: 1 })
      await take(1, 2)
      expect(await job.run(never)).to.equal(null)
    })

    it('ignores a checkpoint that belongs to another store', async () => {
      await take(0, 1)
      checkpoint.position = { checkpoint: '9', event_id: randomUUID(), stream: 'transaction-1', revision: 0 }
      expect(await gather()).to.equal(1)
    })
  })

describe('the checkpoint of gathered credits', () => {
  it('is stored in the database, separate from the checkpoint of the reactors', async () => {
    const { url, drop } = await freshDatabase()
    const database = openDatabase(url)
    try {
      const position = { checkpoint: '7', event_id: randomUUID(), stream: 'transaction-3', revision: 2 }
      const checkpoint = openCreditsCheckpoint(database)
      expect(await checkpoint.load()).to.equal(null)
      await checkpoint.save({ ...position, checkpoint: '5' })
      await checkpoint.save(position)
      expect(await openCreditsCheckpoint(database).load()).to.deep.equal(position)
      expect(await openReactorCheckpoint(database).load()).to.equal(null)
    } finally {
      await database.close()
      await drop()
    }
  })
})
