import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import type { EventStore } from '../../../../domain/ports.ts'
import { main } from '../../../../projections/main.ts'
import { reasonToRebuild, type StoredCheckpoint } from '../../../../projections/engine/checkpoint.ts'
import { versionOf } from '../../../../projections/engine/sql.ts'

const ANCHOR = { stream: 'account-1', revision: 4, event_id: 'the event', checkpoint: '40' }
const KEPT_FOR = 100
const definition = { ...main, keptFor: (stream: string) => (stream.startsWith('account-') ? KEPT_FOR : null) }
const GONE = 'the last event they were built from is not in the store'

/** @param found  the first event of the anchor's stream from its revision on */
const reason = (found: object | null, { anchor = ANCHOR, age = 0 }: Partial<StoredCheckpoint> = {}, end = '50') => {
  const store = {
    read: () => Promise.resolve([found ? [found as StoredEvent] : []]),
    end: () => Promise.resolve(end),
    isAfter: (a: string, b: string) => Number(a) > Number(b),
  } as unknown as EventStore
  return reasonToRebuild(store, { version: versionOf(definition), anchor, passed: '40', age }, definition)
}
const event = { stream: 'account-1', revision: 4, id: 'the event', checkpoint: '40', type: 'AccountDeleted' }

describe('read models whose last event', () => {
  it('is in the store are continued', async () => {
    expect(await reason(event)).to.equal(null)
    expect(await reason(null, { anchor: null })).to.equal(null)
  })

  it('differs from the one there, or is at another position, are rebuilt', async () => {
    expect(await reason({ ...event, id: 'another event' })).to.equal(GONE)
    expect(await reason({ ...event, checkpoint: '41' })).to.equal(GONE)
  })

  it('was erased up to a later event are continued', async () => {
    expect(await reason({ ...event, revision: 6, id: 'the end', checkpoint: '45' })).to.equal(null)
    expect(await reason({ ...event, revision: 6, id: 'the end', checkpoint: '35' })).to.equal(GONE)
  })

  it('was deleted in the store with its stream are continued', async () => {
    const tombstone = {
      ...event,
      id: 'a tombstone',
      checkpoint: '',
      type: 'Unreadable',
      data: { stored: { type: '$streamDeleted' } },
    }
    expect(await reason(tombstone)).to.equal(null)
  })

  it('can have expired are continued, unless the store ends before it: then they are rebuilt', async () => {
    expect(await reason(null, { age: KEPT_FOR + 1 })).to.equal(null)
    expect(await reason(null, { age: KEPT_FOR })).to.equal(GONE)
    expect(await reason(null, { age: null })).to.equal(GONE)
    expect(await reason(null, { age: KEPT_FOR + 1 }, '39')).to.equal(GONE)
    expect(await reason(null, { age: KEPT_FOR + 1, anchor: { ...ANCHOR, stream: 'transaction-1' } })).to.equal(GONE)
  })
})
