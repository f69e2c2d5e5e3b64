import { expect } from 'chai'
import { NO_STREAM } from '../../../domain/ports.ts'
import { eventually } from '../../harness/eventually.ts'
import {
  appended,
  appendOne,
  conflictWith,
  eventsOf,
  follow,
  idsOf,
  part,
  readStream,
  revisionsOf,
  streamName,
  type Cases,
} from './harness.ts'

export const forgettingCases: Cases = (under) => {
  describe('retain', () => {
    it('hides expired events, and the numbering continues', async () => {
      const { store } = under()
      const prefix = `${streamName('retained')}-`
      await store.retain(prefix, 1)
      const [stream, kept] = [`${prefix}a`, streamName()]
      await appended(store, [part(stream, NO_STREAM, eventsOf(3)), part(kept, NO_STREAM)])
      expect(await readStream(store, stream)).to.have.length(3)
      await eventually(async () => (await readStream(store, stream)).length === 0, { what: 'the expiry' })
      expect((await store.read([{ stream, backwards: true, limit: 1 }]))[0]).to.deep.equal([])

      // An empty stream is not a new one.
      expect(await appendOne(store, [part(stream, NO_STREAM)])).to.deep.equal(conflictWith(stream, 2))
      await appended(store, [part(stream, 2)])
      expect(revisionsOf(await readStream(store, stream))).to.deep.equal([3])
      expect(await readStream(store, kept)).to.have.length(1)
    })

    it('keeps the numbering if the events are removed permanently', async () => {
      const { store } = under()
      const prefix = `${streamName('retained')}-`
      await store.retain(prefix, 1)
      const [gone, alive] = [`${prefix}gone`, `${prefix}alive`]
      await appended(store, [part(gone, NO_STREAM, eventsOf(3)), part(alive, NO_STREAM, eventsOf(2))])
      await eventually(async () => (await readStream(store, gone)).length === 0, { what: 'the expiry' })
      await store.retain(prefix, 3_600)
      await store.retain(prefix, 1)
      await store.expire()
      await store.retain(prefix, 3_600)
      await appended(store, [part(alive, 1)])
      expect(await appendOne(store, [part(gone, NO_STREAM)])).to.deep.equal(conflictWith(gone, 2))
      expect(await appendOne(store, [part(gone, 3)])).to.deep.equal(conflictWith(gone, 2))
      await appended(store, [part(gone, 2, eventsOf(2))])
      await store.expire()
      expect(revisionsOf(await readStream(store, gone)).slice(-2)).to.deep.equal([3, 4])
      expect(revisionsOf(await readStream(store, alive)).at(-1)).to.equal(2)
    })

    it('accepts the same ids again while the events exist', async () => {
      const { store } = under()
      const prefix = `${streamName('retained')}-`
      await store.retain(prefix, 1)
      const unit = [part(`${prefix}a`, NO_STREAM, eventsOf(2))]
      await appended(store, unit)
      await eventually(async () => (await readStream(store, `${prefix}a`)).length === 0, { what: 'the expiry' })
      await appended(store, unit)
      expect(await readStream(store, `${prefix}a`)).to.have.length(0)
    })
  })

  describe('erase', () => {
    it('leaves the last event, and the stream cannot start again', async () => {
      const { store } = under()
      const [stream, other] = [streamName(), streamName()]
      const events = eventsOf(5)
      await appended(store, [part(stream, NO_STREAM, events), part(other, NO_STREAM, eventsOf(2))])
      await store.erase(stream)
      await store.erase(stream)
      const [last, ...more] = await readStream(store, stream)
      expect([last!.id, last!.revision, more.length]).to.deep.equal([events[4]!.id, 4, 0])
      expect(await appendOne(store, [part(stream, NO_STREAM)])).to.deep.equal(conflictWith(stream, 4))
      await appended(store, [part(stream, 4)])
      expect(revisionsOf(await readStream(store, stream))).to.deep.equal([4, 5])
      expect(await readStream(store, other)).to.have.length(2)
      await store.erase(streamName())
    })

    it('leaves other streams to a subscription that starts before it', async () => {
      const { store } = under()
      const start = await store.end()
      const prefix = `${streamName('erased')}-`
      const closing = eventsOf(1)
      await appended(store, [part(`${prefix}a`, NO_STREAM, eventsOf(20))])
      await appended(store, [part(`${prefix}b`, NO_STREAM, eventsOf(3)), part(`${prefix}a`, 19, closing)])
      await store.erase(`${prefix}a`)
      const following = follow(store, { after: start, prefixes: [prefix] })
      try {
        await eventually(() => idsOf(following.events()).includes(closing[0]!.id))
        const ofB = following.events().filter(({ stream }) => stream === `${prefix}b`)
        expect(revisionsOf(ofB)).to.deep.equal([0, 1, 2])
      } finally {
        await following.stop()
      }
    })
  })
}
