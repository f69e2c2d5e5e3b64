import { expect } from 'chai'
import { contains, isChain } from '../../../../../adapters/http/receive/text-search.ts'
import { pseudoRandom } from '../../../../harness/pseudo-random.ts'

describe('the test whether one text contains another', () => {
  it('agrees with includes', () => {
    const next = pseudoRandom(7)
    const word = (length: number) => Array.from({ length }, () => 'ab'[next(2)]).join('')
    for (let round = 0; round < 5_000; round++) {
      const [whole, part] = [word(next(20)), word(next(6))]
      expect(contains(whole, part), `${whole} ${part}`).to.equal(whole.includes(part))
    }
  })

  it('takes linear time in the lengths of both texts', () => {
    const half = 500_000
    const began = process.cpuUsage()
    expect(contains('a'.repeat(2 * half), `b${'a'.repeat(half)}`)).to.equal(false)
    expect(contains('a'.repeat(2 * half), `${'a'.repeat(half)}b`)).to.equal(false)
    expect(process.cpuUsage(began).user / 1_000).to.be.below(1_000)
  })

  it('accepts a chain only if one of any two of its texts contains the other', () => {
    expect(isChain([])).to.equal(true)
    expect(isChain(['abc', 'b', 'xabcx', 'b'])).to.equal(true)
    expect(isChain(['abc', 'a', 'c'])).to.equal(false)
  })
})
