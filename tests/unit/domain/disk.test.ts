import { expect } from 'chai'
import { isOutOfSpace, levelsOf, shareFree } from '../../../domain/disk.ts'

const MEGABYTE = 1024 ** 2
const free = (percent: number) => ({ free: percent * 100, size: 10_000 })

describe('the space on the disk', () => {
  it('is too little for new notifications below 32 MB, however large the disk is', () => {
    expect(isOutOfSpace({ free: 32 * MEGABYTE, size: 1e12 })).to.equal(false)
    expect(isOutOfSpace({ free: 32 * MEGABYTE - 1, size: 1e9 })).to.equal(true)
  })

  it('raises an alert below 10 % and another below 5 %, and each ends 1 % above its level', () => {
    expect(levelsOf(free(50))).to.deep.equal({ below: [], above: [10, 5] })
    expect(levelsOf(free(11))).to.deep.equal({ below: [], above: [10, 5] })
    expect(levelsOf(free(10.5))).to.deep.equal({ below: [], above: [5] })
    expect(levelsOf(free(9.9))).to.deep.equal({ below: [10], above: [5] })
    expect(levelsOf(free(5.5))).to.deep.equal({ below: [10], above: [] })
    expect(levelsOf(free(4.9))).to.deep.equal({ below: [10, 5], above: [] })
  })

  it('is zero on a disk without a size', () => {
    expect(shareFree({ free: 0, size: 0 })).to.equal(0)
  })
})
