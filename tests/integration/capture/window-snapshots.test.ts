import { expect } from 'chai'
import type { EventStore } from '../../../domain/ports.ts'
import type { KeptSnapshot, Snapshots } from '../../../workflows/support/snapshots.ts'
import { dedupStream } from '../../../domain/dedup/events.ts'
import { eventually } from '../../harness/eventually.ts'
import { STORES } from './stores.ts'
import { openWorld, USER, vietcombankPush, vietcombankSms, type World } from './world.ts'

const SEEN = 1_600
const NAME = `${USER} book VCB`

/** Snapshots in memory, and what happened to them. */
const openMemory = () => {
  const kept = new Map<string, KeptSnapshot>()
  const parts = new Map<string, Uint8Array>()
  const log = { saves: 0, running: 0, most: 0, forgotten: 0 }
  const snapshots: Snapshots = {
    load: async (userId, name) => kept.get(`${userId} ${name}`) ?? null,
    parts: async function* (_userId, _name, ids) {
      for (const id of ids) yield parts.get(id)!
    },
    save: async (userId, name, { added, ...snapshot }) => {
      log.most = Math.max(log.most, ++log.running)
      for (const [id, bytes] of added) {
        await new Promise(setImmediate)
        parts.set(id, bytes)
      }
      log.running--
      if (!snapshot.parts.every((id) => parts.has(id))) return false
      log.saves++
      kept.set(`${userId} ${name}`, structuredClone(snapshot))
      return true
    },
    forget: async (userId, name) => {
      log.forgotten++
      kept.delete(`${userId} ${name}`)
    },
  }
  return { kept, parts, snapshots, log }
}

const withResolvers = () => {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve: () => resolve() }
}

for (const [n, [name, openStore]] of Object.entries(STORES).entries())
  describe(`snapshots of deduplication windows, on ${name}`, () => {
    let world: World
    let memory = openMemory()
    before(async () => (world = await openWorld(openStore)))
    after(() => world?.close())
    const book = dedupStream(USER, 'VCB')
    const entries = async () => (await world.events('book-')).length

    /** A process with empty caches, and the events of the window that it reads. */
    const cold = (from = 0, { snapshotsApartMs = 0 } = {}) => {
      let read = 0
      const store: EventStore = {
        ...world.store,
        read: async (slices) => {
          const found = await world.store.read(slices)
          slices.forEach(({ stream }, n) => (read += stream === book ? found[n]!.length : 0))
          return found
        },
      }
      const process = world.process({ store, snapshots: memory.snapshots, snapshotsApartMs })
      let next = from
      const takeUpTo = async (end: number) => {
        for (; next < end; next += 100)
          await process.take(Array.from({ length: 100 }, (_, k) => vietcombankSms(next + k)))
      }
      return { process, takeUpTo, read: () => read }
    }
    const snapshot = () => eventually(() => memory.kept.get(NAME), { what: 'a snapshot' })
    const atRest = () => eventually(() => memory.log.running === 0, { what: 'no snapshot under way' })

    it('are made when much is new, and let another process answer after a short read', async () => {
      await cold().takeUpTo(SEEN)
      const { revision } = await snapshot()
      await atRest()
      expect(revision).to.be.within(998, SEEN - 1)
      const other = cold()
      const [resent, copy, fresh] = await other.process.take([
        vietcombankSms(3),
        vietcombankPush(700),
        vietcombankSms(SEEN),
      ])
      // The last event of the snapshot, and those after it.
      expect(other.read()).to.equal(1 + SEEN - 1 - memory.kept.get(NAME)!.revision)
      expect(resent).to.deep.include({ webhook_status: 'pending' })
      expect(copy).to.deep.include({ webhook_status: 'already_run' })
      expect(fresh).to.deep.include({ webhook_status: 'pending' })
      expect(await entries()).to.equal(SEEN + 2)
    })

    // The same on every store.
    const onTheFirst: (title: string, test: () => Promise<void>) => unknown = n === 0 ? it : () => null
    onTheFirst('have the parts of the one before, and are made by one process at a time', async () => {
      const before = { ...(await snapshot()) }
      const one = cold(SEEN + 100)
      const other = cold(SEEN + 1_300)
      await one.takeUpTo(SEEN + 1_300)
      await atRest()
      const after = memory.kept.get(NAME)!
      expect(after.revision).to.be.above(before.revision + 499)
      expect(after.parts[0]).to.equal(before.parts[0])
      expect(after.writer).not.to.equal(before.writer)
      // The other one has read the first one's snapshot. It saves none before that one is out of date.
      const { saves } = memory.log
      await other.takeUpTo(SEEN + 1_900)
      await atRest()
      expect(memory.log).to.include({ saves, most: 1 })
      await other.takeUpTo(SEEN + 3_300)
      await eventually(() => memory.kept.get(NAME)!.writer !== after.writer, { what: 'a snapshot of the other one' })
      await atRest()
      const third = cold()
      const [copy] = await third.process.take([vietcombankPush(SEEN + 1_250)])
      expect(copy).to.deep.include({ webhook_status: 'already_run' })
      expect(third.read()).to.be.below(1_100)
    })

    onTheFirst('let a process whose window is out of date answer after a short read', async () => {
      const before = memory.kept.get(NAME)!.revision
      const first = SEEN + 10_000
      const [owner, next] = [cold(first), cold(first + 100)]
      await owner.takeUpTo(first + 100)
      await next.takeUpTo(first + 3_600)
      await eventually(() => memory.kept.get(NAME)!.revision > before + 2_000, { what: 'a snapshot of the next owner' })
      await atRest()
      const known = owner.read()
      const end = await entries()
      const [copy, fresh] = await owner.process.take([vietcombankPush(first + 3_000), vietcombankSms(first + 3_600)])
      expect(copy).to.deep.include({ webhook_status: 'already_run' })
      expect(fresh).to.deep.include({ webhook_status: 'pending' })
      // The events that show that it is out of date, the last one of the snapshot, and those after it.
      expect(owner.read() - known).to.equal(1_000 + 1 + end - 1 - memory.kept.get(NAME)!.revision)
      expect(await entries()).to.equal(end + 2)
    })

    /** The window that a cold process builds if it must not believe a snapshot. */
    const expectWhole = async () => {
      const known = await entries()
      const other = cold()
      const [resent, copy] = await other.process.take([vietcombankSms(4), vietcombankPush(701)])
      expect(other.read()).to.be.within(known, known + 1)
      expect(resent).to.deep.include({ webhook_status: 'pending' })
      expect(copy).to.deep.include({ webhook_status: 'already_run' })
      expect(await entries()).to.be.within(known, known + 1)
    }

    it('are not used if their last event is not in the stream', async () => {
      const present = memory.kept.get(NAME)!
      memory.kept.set(NAME, { ...present, event_id: '00000000-0000-4000-8000-000000000000' })
      await expectWhole()
      // Of a store that went back: it has fewer events.
      memory.kept.set(NAME, { ...present, revision: 1_000_000 })
      await expectWhole()
    })

    it('are not used if a part is missing', async () => {
      const present = memory.kept.get(NAME)!
      memory.kept.set(NAME, { ...present, parts: present.parts.slice(1) })
      await expectWhole()
    })

    onTheFirst('wait for each other, however much is new', async () => {
      memory = openMemory()
      const { takeUpTo } = cold(50_000, { snapshotsApartMs: 3_600_000 })
      await takeUpTo(50_100)
      await snapshot()
      await takeUpTo(52_300)
      await atRest()
      expect(memory.log).to.include({ saves: 1 })
    })

    it('are removed if the account was deleted while they were written', async () => {
      memory = openMemory()
      const { snapshots } = memory
      const save = snapshots.save.bind(snapshots)
      let begun = false
      const { promise: deleted, resolve: deleteNow } = withResolvers()
      snapshots.save = async (...given) => {
        begun = true
        await deleted
        return save(...given)
      }
      await cold(100_000).takeUpTo(100_100)
      await eventually(() => begun, { what: 'a snapshot' })
      const [[newest] = []] = await world.store.read([{ stream: book, backwards: true, limit: 1 }])
      await world.write(book, [{ type: 'StreamErased', data: { user_id: USER } }], newest!.revision)
      await world.store.erase(book)
      deleteNow()
      await eventually(() => memory.log.forgotten === 1, { what: 'the snapshot of the deleted account to go' })
      expect(memory.kept.size).to.equal(0)
    })
  })
