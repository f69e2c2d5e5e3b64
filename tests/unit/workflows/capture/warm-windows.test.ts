import { expect } from 'chai'
import { DedupWindow } from '../../../../domain/dedup/window.ts'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import { WarmWindows, type WarmWindow } from '../../../../workflows/capture/warm-windows.ts'
import type { KeptSnapshot } from '../../../../workflows/support/snapshots.ts'
import { sighting, sms } from '../../domain/dedup/sightings.ts'

const filled = (windows: WarmWindows, userId: number, count: number): WarmWindow => {
  const warm = windows.take(userId, 'VCB')
  const events = Array.from({ length: count }, (_, revision) => ({
    id: `event-${revision}`,
    revision,
    type: 'NotificationSeen',
    data: { ...sighting(sms({ ref: `FT:${revision}` })), transaction_id: revision + 1, verdict: 'new', copy_of: null },
  }))
  warm.readOn(events as unknown as StoredEvent[])
  windows.put(warm)
  return warm
}

describe('cached deduplication windows', () => {
  it('are limited by their memory, and the least recently used is dropped first', () => {
    const each = filled(new WarmWindows(Infinity), 1, 10).window.bytes
    const windows = new WarmWindows(2.5 * each)
    const [one, two] = [filled(windows, 1, 10), filled(windows, 2, 10)]
    windows.put(windows.take(1, 'VCB'))
    const three = filled(windows, 3, 10)
    expect(windows.take(1, 'VCB')).to.equal(one)
    expect(windows.take(2, 'VCB')).to.not.equal(two)
    expect(windows.take(3, 'VCB')).to.equal(three)
  })

  it('keep a window that alone exceeds the limit', () => {
    const windows = new WarmWindows(5)
    expect(windows.take(1, 'VCB')).to.not.equal(filled(windows, 1, 10))
    const large = filled(windows, 2, 10)
    expect(windows.take(2, 'VCB')).to.equal(large)
  })

  it('continue from their revision, and skip events they already contain', () => {
    const warm = filled(new WarmWindows(1_000_000), 1, 3)
    expect(warm.slice()).to.deep.equal({ stream: 'book-1-VCB', from: 3 })
    filled(new WarmWindows(1_000_000), 1, 3)
    warm.readOn([{ revision: 2 }] as unknown as StoredEvent[])
    expect(warm.window.size).to.equal(3)
  })

  it('accept the revision of a conflict if no newer event can be read', () => {
    const warm = new WarmWindows(1_000_000).take(1, 'VCB')
    warm.conflicted(41)
    expect(warm.slice().from).to.equal(0)
    warm.readOn([])
    expect(warm.revision).to.equal(41)
  })

  it('know the id of the event at their revision, unless only a conflict has reported the revision', () => {
    const warm = new WarmWindows(1_000_000).take(1, 'VCB')
    expect(warm.lastId).to.equal(null)
    const window = new DedupWindow()
    warm.restored(window, { revision: 7, event_id: 'of the snapshot', parts: [] } as unknown as KeptSnapshot)
    expect(warm.lastId).to.equal('of the snapshot')
    const next = { id: 'newer', revision: 8, type: 'SomethingElse' }
    warm.readOn([{ ...next, id: 'older', revision: 6 }, next] as unknown as StoredEvent[])
    expect([warm.revision, warm.lastId]).to.deep.equal([8, 'newer'])
    warm.conflicted(8)
    warm.readOn([])
    expect([warm.revision, warm.lastId]).to.deep.equal([8, 'newer'])
    warm.conflicted(9)
    warm.readOn([])
    expect([warm.revision, warm.lastId]).to.deep.equal([9, null])
    warm.readOn([{ ...next, id: 'newest', revision: 10 }] as unknown as StoredEvent[])
    expect([warm.revision, warm.lastId]).to.deep.equal([10, 'newest'])
  })

  it('are dropped after a conflict with an older revision, because their events no longer exist', () => {
    const windows = new WarmWindows(1_000_000)
    filled(windows, 1, 3)
    const ahead = windows.take(1, 'VCB')
    ahead.conflicted(1)
    windows.put(ahead)
    expect(windows.take(1, 'VCB').slice().from).to.equal(0)
  })
})
