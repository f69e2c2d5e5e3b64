import { expect } from 'chai'
import { PartSize } from '../../../../../adapters/log/kafka/part-size.ts'

const HOUR = 3_600_000

describe('the size of the relay’s requests', () => {
  let now: number
  let size: PartSize
  beforeEach(() => {
    now = 0
    size = new PartSize(() => now)
  })

  it('is halved at each refusal, down to one message', () => {
    const sizes = Array.from({ length: 12 }, () => {
      size.refused()
      return size.bytes
    })
    expect(sizes.slice(0, 3)).to.deep.equal([200_000, 100_000, 50_000])
    expect(sizes.at(-1)).to.equal(800)
  })

  it('does not grow soon after a refusal, so that a topic with a low limit refuses once an hour at most', () => {
    size.refused()
    now = HOUR
    size.accepted()
    expect(size.bytes).to.equal(200_000)
  })

  it('grows again with accepted batches once an hour has passed, up to where it was', () => {
    for (let time = 0; time < 3; time++) size.refused()
    now = HOUR + 1
    const sizes = Array.from({ length: 4 }, () => {
      size.accepted()
      return size.bytes
    })
    expect(sizes).to.deep.equal([100_000, 200_000, 400_000, 400_000])
    size.refused()
    size.accepted()
    expect(size.bytes).to.equal(200_000)
  })
})
