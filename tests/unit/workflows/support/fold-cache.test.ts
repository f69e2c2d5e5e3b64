import { expect } from 'chai'
import { idEvents } from '../../../../domain/ids.ts'
import { asSkipped, parseEvent, UnreadableEvent, type StoredEvent } from '../../../../domain/parse-event.ts'
import type { EventStore } from '../../../../domain/ports.ts'
import type { Snapshot } from '../../../../workflows/support/snapshots.ts'
import { foldCache } from '../../../../workflows/support/fold-cache.ts'

const cacheOfTwo = () =>
  foldCache(
    { stream: (key) => `numbers-${key}`, events: idEvents, initial: '', evolve: (state, { data }) => state + data.to },
    2,
  )

const event = (data: unknown, revision: number, { type = 'IdsReserved', version = 1 } = {}): StoredEvent =>
  parseEvent({
    id: '',
    type,
    data,
    metadata: { user_id: null, at: '2026-01-01T00:00:00.000Z', correlation_id: '', causation_id: '', version },
    stream: 'numbers-a',
    revision,
    checkpoint: '1',
  })

const numbers = (text: string, from = 0): StoredEvent[] =>
  [...text].map((digit, n) => event({ from: 1, to: Number(digit) }, from + n))

describe('a cache of folds', () => {
  it('continues a read, and skips events that it has already folded', () => {
    const cache = cacheOfTwo()
    cache.advance('a', numbers('123'))
    expect(cache.slice('a')).to.deep.equal({ stream: 'numbers-a', from: 3 })
    expect(cache.advance('a', numbers('34', 2))).to.deep.equal({ state: '1234', revision: 3 })
  })

  it('folds onto the state from which the read began, even if that was evicted meanwhile', async () => {
    const cache = cacheOfTwo()
    cache.advance('a', numbers('123'))
    const store = {
      read: async () => {
        cache.advance('b', numbers('8'))
        cache.advance('c', numbers('9'))
        expect(cache.has('a')).to.equal(false)
        return [numbers('4', 3)]
      },
    } as unknown as EventStore
    expect(await cache.load(store, 'a')).to.deep.equal({ state: '1234', revision: 3 })
  })

  it('counts events of other kinds, and events that the operator has skipped, and folds none of them', () => {
    const events = [
      ...numbers('1'),
      event({ installation_id: '6f1d2e3f-0000-4b0c-8f5e-0f6f9a8f7b33' }, 1, { type: 'InstallationFounded' }),
      asSkipped(event({}, 2, { type: 'NotYetInvented' })),
      event({ from: 1, to: 2 }, 3),
    ]
    expect(cacheOfTwo().advance('a', events)).to.deep.equal({ state: '12', revision: 3 })
  })

  for (const [what, unreadable] of [
    ['an unknown type', event({}, 1, { type: 'NotYetInvented' })],
    ['a newer version', event({ from: 1, to: 2 }, 1, { version: 2 })],
    ['data that its schema refuses', event({ from: 1, to: 'two' }, 1)],
  ] as const)
    it(`refuses to go on after an event of ${what}`, () => {
      expect(() => cacheOfTwo().advance('a', [...numbers('1'), unreadable])).to.throw(UnreadableEvent, 'numbers-a@1')
    })

  it('saves a snapshot of a long stream, and reads it instead of the past', async () => {
    const stream = Array.from({ length: 2_500 }, (_, n) => ({
      ...event({ from: 1, to: 1 + (n % 9) }, n),
      id: `id ${n}`,
    }))
    let read = 0
    const store = {
      read: async ([{ from = 0, limit = Infinity }]: [{ from?: number; limit?: number }]) => {
        const some = stream.slice(from, from + limit)
        read += some.length
        return [some]
      },
    } as unknown as EventStore
    const kept = new Map<string, Snapshot>()
    const open = () =>
      foldCache(
        {
          stream: (key) => `numbers-${key}`,
          events: idEvents,
          initial: 0,
          evolve: (state, { data }) => state + data.to,
        },
        2,
        { load: async (key) => kept.get(key) ?? null, save: (key, snapshot) => void kept.set(key, snapshot) },
      )
    const state = stream.reduce((sum, { data }) => sum + (data as { to: number }).to, 0)
    expect(await open().load(store, 'a')).to.deep.equal({ state, revision: 2_499 })
    expect(kept.get('a')).to.deep.equal({ state, revision: 2_499, event_id: 'id 2499' })
    read = 0
    expect(await open().load(store, 'a')).to.deep.equal({ state, revision: 2_499 })
    expect(read).to.equal(1_001)
    kept.set('a', { state: -1, revision: 2_000, event_id: 'another id' })
    expect(await open().load(store, 'a')).to.deep.equal({ state, revision: 2_499 })
  })
})
