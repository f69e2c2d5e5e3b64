import { expect } from 'chai'
import { BoundedMap } from '../../../../workflows/support/bounded-map.ts'

describe('a bounded map', () => {
  it('drops the oldest entry when there are too many, and reports it', () => {
    const dropped: string[] = []
    const map = new BoundedMap<string, number>(2, (key) => dropped.push(key))
    map.set('a', 1).set('b', 2)
    expect(dropped).to.deep.equal([])
    map.set('c', 3)
    expect([...map]).to.deep.equal([
      ['b', 2],
      ['c', 3],
    ])
    expect(dropped).to.deep.equal(['a'])
    expect([map.size, map.has('a'), map.get('c')]).to.deep.equal([2, false, 3])
  })

  it('treats an entry that is set again as the newest, and does not reorder one that is only read', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1).set('b', 2)
    map.get('b')
    map.set('a', 3).set('c', 4)
    expect([...map.keys()]).to.deep.equal(['a', 'c'])
    expect(map.get('a')).to.equal(3)
  })

  it('has room again for each entry that is deleted', () => {
    const map = new BoundedMap<undefined | string, number>(2)
    map.set(undefined, 1).set('b', 2)
    map.delete('b')
    expect([...map.set('c', 3).keys()]).to.deep.equal([undefined, 'c'])
    expect([...map.set('d', 4).keys()]).to.deep.equal(['c', 'd'])
  })

  it('keeps the same entries in the same order as a plain list, whatever is set, deleted and cleared', () => {
    const LIMIT = 5
    let seed = 7
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
    const map = new BoundedMap<number, number>(LIMIT)
    let list: [number, number][] = []
    for (let n = 0; n < 20_000; n++) {
      const key = random(12)
      const chance = random(100)
      if (chance === 0) {
        map.clear()
        list = []
      } else if (chance < 30) {
        map.delete(key)
        list = list.filter(([each]) => each !== key)
      } else {
        map.set(key, n)
        list = [...list.filter(([each]) => each !== key), [key, n] as [number, number]].slice(-LIMIT)
      }
      if ([...map].join() !== list.join()) expect([...map], `after ${n} changes`).to.deep.equal(list)
    }
    expect(map.size).to.be.above(0)
  })
})
