import { expect } from 'chai'
import { aheadBy, seeClock, type SeenClock } from '../../../domain/clock.ts'
import { HOUR_MS } from '../../../domain/time.ts'

const at = (hours: number) => new Date(Date.UTC(2026, 2, 1) + hours * HOUR_MS)

/** The clock after it was seen at these hours. */
const seen = (...hours: number[]): SeenClock =>
  hours.reduce<SeenClock | null>((before, hour) => seeClock(before, at(hour)), null)!
const isBelieved = (...hours: number[]): boolean => seen(...hours).doubted_until === null

describe('a clock', () => {
  it('is believed when it is first seen, and while it runs', () => {
    expect(isBelieved(0)).to.equal(true)
    expect(isBelieved(0, 1, 2, 26)).to.equal(true)
  })

  it('is doubted for a day after it jumped by more than a day', () => {
    expect(seen(0, 24 * 7)).to.deep.equal({
      seen_at: at(24 * 7).toISOString(),
      doubted_until: at(24 * 8).toISOString(),
    })
    expect(isBelieved(0, 168, 169, 191)).to.equal(false)
    expect(isBelieved(0, 168, 169, 191, 192)).to.equal(true)
  })

  it('is doubted again if it jumps again, and believed once it is set back', () => {
    expect(isBelieved(0, 168, 191, 336, 337)).to.equal(false)
    expect(isBelieved(0, 168, 1)).to.equal(true)
    expect(isBelieved(0, 168, 1, 168)).to.equal(false)
  })

  it('is believed after a day of running in all, if it runs on Saturdays only', () => {
    const saturday = (week: number) => [0, 1, 2, 3, 4, 5, 6, 7].map((hour) => 168 * week + hour)
    const weeks = (number: number) => Array.from({ length: number }, (_, week) => saturday(week + 1)).flat()
    expect(isBelieved(0, ...weeks(3))).to.equal(false)
    expect(isBelieved(0, ...weeks(4))).to.equal(true)
  })

  it('is doubted for two hours after each jump, however long it was seen before', () => {
    expect(isBelieved(0, 168, 191.9, 336, 337.9)).to.equal(false)
    expect(isBelieved(0, 168, 191.9, 336, 338)).to.equal(true)
  })

  it('stays doubted if it is set back a little', () => {
    expect(isBelieved(0, 168, 167.9)).to.equal(false)
  })
})

describe('the difference of two clocks', () => {
  const ms = (time: number) => new Date(time)

  it('is the part that the time until the answer cannot explain', () => {
    expect(aheadBy(ms(1_000), ms(900), ms(1_100))).to.equal(0)
    expect(aheadBy(ms(1_000), ms(5_000), ms(5_100))).to.equal(4_000)
    expect(aheadBy(ms(9_000), ms(5_000), ms(5_100))).to.equal(-3_900)
  })
})
