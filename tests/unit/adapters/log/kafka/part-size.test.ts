import { expect } from 'chai'
import { openPartSize, type PartSize } from '../../../../../adapters/log/kafka/part-size.ts'
import { HOUR_MS } from '../../../../../domain/time.ts'

describe('the size of the relay’s requests', () => {
  let now: number
  let size: PartSize
  beforeEach(() => {
    now = 0
    size = openPartSize(() => now)
  })

  it('is halved at each refusal, down to one message', () => {
    const sizes = Array.from({ length: 12 }, () => {
      size.refused()
      return size.bytes()
    })
    expect(sizes.slice(0, 3)).to.deep.equal([200_000, 100_000, 50_000])
    expect(sizes.at(-1)).to.equal(800)
  })

  it('does not grow soon after a refusal, so that a topic with a low limit refuses once an hour at most', () => {
    size.refused()
    now = HOUR_MS
    size.accepted()
    expect(size.bytes()).to.equal(200_000)
  })

  it('is in proportion to the limit that the brokers state, so that a low one causes no refusal', () => {
    size.stated(5_000)
    expect(size.bytes()).to.be.within(1_500, 2_500)
    now = HOUR_MS + 1
    size.accepted()
    expect(size.bytes()).to.be.within(1_500, 2_500)
    for (const [limit, bytes] of [
      [null, 400_000],
      [10_000_000, 400_000],
      [1, 800],
    ] as const) {
      size.stated(limit)
      expect(size.bytes()).to.equal(bytes)
    }
  })

  it('is outdated once an hour while the limit is low, because it may be raised', () => {
    size.stated(5_000)
    expect(size.isOutdated()).to.equal(false)
    now = HOUR_MS + 1
    expect(size.isOutdated()).to.equal(true)
    size.stated(null)
    now = 3 * HOUR_MS
    expect(size.isOutdated()).to.equal(false)
  })

  it('is half of what was sent after a refusal below the stated limit', () => {
    size.stated(200_000)
    const before = size.bytes()
    size.refused()
    expect(size.bytes()).to.equal(before / 2)
  })

  it('grows again with accepted batches once an hour has passed, up to where it was', () => {
    for (let time = 0; time < 3; time++) size.refused()
    now = HOUR_MS + 1
    const sizes = Array.from({ length: 4 }, () => {
      size.accepted()
      return size.bytes()
    })
    expect(sizes).to.deep.equal([100_000, 200_000, 400_000, 400_000])
    size.refused()
    size.accepted()
    expect(size.bytes()).to.equal(200_000)
  })
})
