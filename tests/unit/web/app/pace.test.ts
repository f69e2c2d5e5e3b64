import { expect } from 'chai'
import { openPace } from '../../../../web/app/pace.ts'

describe('the pace of live reads', () => {
  let now: number
  const clock = () => now
  const budget = (remaining: number, seconds: number, limit = 1_000) =>
    new Headers({
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(seconds),
    })
  beforeEach(() => (now = 1_000_000))

  it('is every two seconds while half of the calls remain, and without limits', () => {
    const pace = openPace(clock)
    expect(pace.wait()).to.equal(-Infinity)
    pace.asks()
    expect(pace.wait()).to.equal(2_000)
    pace.noticeBudget(new Headers())
    pace.noticeBudget(budget(500, 3_600))
    expect(pace.wait()).to.equal(2_000)
    now += 2_500
    expect(pace.wait()).to.equal(-500)
  })

  it('spreads the other half over the time that is left', () => {
    const pace = openPace(clock)
    pace.noticeBudget(budget(410, 1_200))
    pace.asks()
    // The reads cost 10 calls. Of the 400 that remain, 320 may be spent in 1,200 seconds.
    pace.noticeBudget(budget(400, 1_200))
    expect(pace.wait()).to.equal(37_500)
    // Another device spends too.
    pace.noticeBudget(budget(390, 1_200))
    expect(pace.wait()).to.be.within(76_900, 77_000)
    // The hour is nearly over.
    pace.noticeBudget(budget(400, 30))
    expect(pace.wait()).to.equal(2_000)
  })

  it('begins again with the next hour, at the latest', () => {
    const pace = openPace(clock)
    pace.noticeBudget(budget(8, 1_200))
    pace.asks()
    pace.noticeBudget(budget(0, 1_200))
    expect(pace.wait()).to.equal(1_200_000)
    pace.noticeBudget(budget(997, 3_600))
    expect(pace.wait()).to.equal(2_000)
  })

  it('never uses up the calls of an hour, however many payments come and however many calls one costs', () => {
    for (const [cost, devices] of [
      [3, 1],
      [10, 1],
      [10, 4],
    ] as const) {
      let remaining = 1_000
      const pages = Array.from({ length: devices }, () => openPace(clock))
      for (let second = 0; second < 3_600; second++) {
        for (const page of pages) {
          if (page.wait() > 0) continue
          page.asks()
          remaining -= cost
          page.noticeBudget(budget(remaining, 3_600 - second))
        }
        now += 1_000
      }
      expect(remaining, `${devices} devices, ${cost} calls`).to.be.greaterThan(0)
    }
  })
})
