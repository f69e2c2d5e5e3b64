import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import { isAtOrAfter, isPositionIn, type StorePosition } from '../../../../workflows/support/store-position.ts'

const POSITION: StorePosition = { checkpoint: '10', event_id: 'a', stream: 'txn-1', revision: 3 }

/** As a store does that never issued a checkpoint such as `C:12/P:12`. */
const isAfter = (a: string, b: string): boolean => {
  for (const checkpoint of [a, b])
    if (!/^\d+$/.test(checkpoint)) throw new RangeError(`not a checkpoint of this store: ${checkpoint}`)
  return Number(a) > Number(b)
}

/** A store that has one event at or after the position, or none. */
const storeWith = (found?: Partial<StoredEvent>) => ({
  isAfter,
  read: async () => [found ? [{ type: 'WebhookAttempted', metadata: {}, ...found } as StoredEvent] : []],
})

describe('a position in the event store', () => {
  const isIn = (found?: Partial<StoredEvent>, position = POSITION) => isPositionIn(storeWith(found), position)

  it('is in the store if its stream has the event', async () => {
    expect(await isIn({ id: 'a', revision: 3, checkpoint: '10' })).to.equal(true)
  })

  it('is not in the store if its stream has another event there, or none', async () => {
    expect(await isIn({ id: 'b', revision: 3, checkpoint: '10' })).to.equal(false)
    expect(await isIn()).to.equal(false)
  })

  it('is in the store if its stream was erased up to a later event', async () => {
    expect(await isIn({ id: 'b', revision: 5, checkpoint: '11' })).to.equal(true)
    expect(await isIn({ id: 'b', revision: 5, checkpoint: '9' })).to.equal(false)
  })

  it('of another store, before a store migration, is reported as in doubt, not as an error', async () => {
    const migrated = { ...POSITION, checkpoint: 'C:12/P:12' }
    expect(await isIn({ id: 'b', revision: 5, checkpoint: '11' }, migrated)).to.equal(null)
    expect(await isIn({ id: 'a', revision: 3, checkpoint: '11' }, migrated)).to.equal(null)
    expect(await isIn({ id: 'a', revision: 3, checkpoint: '11' })).to.equal(null)
  })

  it('is not at or after a position of another store', () => {
    expect(isAtOrAfter('10', '10', isAfter)).to.equal(true)
    expect(isAtOrAfter('10', '11', isAfter)).to.equal(false)
    expect(isAtOrAfter('10', 'C:12/P:12', isAfter)).to.equal(false)
  })
})
