import { expect } from 'chai'
import { PARKED_STREAM } from '../../../../domain/parked/events.ts'
import { parseEvent, type StoredEvent } from '../../../../domain/parse-event.ts'
import type { EventStore, Slice } from '../../../../domain/ports.ts'
import { storeWithSkips } from '../../../../workflows/parked/store-with-skips.ts'

const metadata = { user_id: null, at: '2026-01-01T00:00:00.000Z', correlation_id: '', causation_id: '', version: 1 }
const event = (stream: string, revision: number, type = 'NotYetInvented', data: unknown = {}): StoredEvent =>
  parseEvent({ id: `${stream}@${revision}`, type, data, metadata, stream, revision, checkpoint: '1' })
const good = (stream: string, revision: number) => event(stream, revision, 'IdsReserved', { from: 1, to: 2 })

const memoryStore = () => {
  const streams = new Map<string, StoredEvent[]>()
  let reads = 0
  const store = {
    read: (slices: readonly Slice[]) => {
      reads += slices.filter(({ stream }) => stream === PARKED_STREAM).length
      return Promise.resolve(slices.map(({ stream }) => streams.get(stream) ?? []))
    },
    readAll: () => Promise.resolve([...streams.values()].flat()),
    async *subscribe() {
      yield { events: [...streams.values()].flat(), checkpoint: '1', live: true }
    },
  } as unknown as EventStore
  const skip = (stream: string, revision: number) => {
    const event_id = streams.get(stream)![revision]!.id
    const data = { stream, revision, event_id, type: 'X', reason: 'unknown_type', detail: '', projectors: [] }
    const before = streams.get(PARKED_STREAM) ?? []
    streams.set(PARKED_STREAM, [...before, event(PARKED_STREAM, before.length, 'ParkedEventSkipped', data)])
  }
  return { store, streams, skip, decisionsRead: () => reads }
}

const typesIn = (events: readonly StoredEvent[]) => events.map(({ type }) => type)

describe('a store that obeys skips', () => {
  it('reads the decisions once while all events can be read', async () => {
    const { store, streams, decisionsRead } = memoryStore()
    streams.set('ids', [good('ids', 0)])
    const withSkips = storeWithSkips(store)
    for (let n = 0; n < 5; n++) expect((await withSkips.read([{ stream: 'ids' }]))[0]).to.equal(streams.get('ids'))
    expect(decisionsRead()).to.equal(1)
  })

  it('marks a skipped event at the next read, whatever reads it, and reports another one once', async () => {
    const { store, streams, skip } = memoryStore()
    const reported: string[] = []
    const withSkips = storeWithSkips(store, ({ stream, revision }) => reported.push(`${stream}@${revision}`))
    streams.set('a', [good('a', 0), event('a', 1), event('a', 2)])
    expect(typesIn((await withSkips.read([{ stream: 'a' }]))[0]!)).to.deep.equal([
      'IdsReserved',
      'Unreadable',
      'Unreadable',
    ])
    skip('a', 1)
    const expected = ['IdsReserved', 'Skipped', 'Unreadable']
    expect(typesIn((await withSkips.read([{ stream: 'a' }]))[0]!)).to.deep.equal(expected)
    expect(typesIn(await withSkips.readAll(null, 10)).slice(0, 3)).to.deep.equal(expected)
    for await (const { events } of withSkips.subscribe({ after: null, signal: new AbortController().signal }))
      expect(typesIn(events).slice(0, 3)).to.deep.equal(expected)
    expect(reported).to.deep.equal(['a@1', 'a@2'])
  })

  it('skips an event even if this release can read it', async () => {
    const { store, streams, skip } = memoryStore()
    streams.set('a', [good('a', 0)])
    skip('a', 0)
    expect(typesIn((await storeWithSkips(store).read([{ stream: 'a' }]))[0]!)).to.deep.equal(['Skipped'])
  })
})
