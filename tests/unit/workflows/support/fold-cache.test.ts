import { expect } from 'chai'
import type { RecordedEvent } from '../../../../domain/event.ts'
import type { EventStore } from '../../../../domain/ports.ts'
import { FoldCache } from '../../../../workflows/support/fold-cache.ts'

const cacheOfTwo = () =>
  new FoldCache<string>(
    { stream: (key) => `letters-${key}`, initial: '', evolve: (state, { data }) => state + (data as string) },
    2,
  )

const letters = (text: string, from = 0): RecordedEvent[] =>
  [...text].map((data, n) => ({ data, revision: from + n }) as RecordedEvent)

describe('a cache of folds', () => {
  it('continues from its revision, and skips events it has already folded', () => {
    const cache = cacheOfTwo()
    cache.advance('a', letters('abc'))
    expect(cache.slice('a')).to.deep.equal({ stream: 'letters-a', from: 3 })
    expect(cache.advance('a', letters('cd', 2))).to.deep.equal({ state: 'abcd', revision: 3 })
  })

  it('folds onto the state from before the read, even if that was evicted meanwhile', async () => {
    const cache = cacheOfTwo()
    cache.advance('a', letters('abc'))
    const store = {
      read: async () => {
        cache.advance('b', letters('x'))
        cache.advance('c', letters('y'))
        expect(cache.has('a')).to.equal(false)
        return [letters('d', 3)]
      },
    } as unknown as EventStore
    expect(await cache.load(store, 'a')).to.deep.equal({ state: 'abcd', revision: 3 })
  })
})
