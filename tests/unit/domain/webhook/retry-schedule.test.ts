import { expect } from 'chai'
import { delayBeforeRetry, RETRY_SCHEDULE, wholeSchedule } from '../../../../domain/webhook/retry-schedule.ts'

const failed = (tryOfRound: number, http_status = 500, retry_after_s: number | null = null) => ({
  tryOfRound,
  http_status,
  retry_after_s,
})
const middle = 0.5

describe('the retry schedule', () => {
  it('waits 1 min, 5 min, 30 min, 2 h, 8 h and 24 h, and then ends', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((number) => delayBeforeRetry(RETRY_SCHEDULE, failed(number), middle))
    expect(delays).to.deep.equal([60, 300, 1_800, 7_200, 28_800, 86_400, null])
  })

  it('varies each delay by up to ten percent in both directions', () => {
    expect(delayBeforeRetry(RETRY_SCHEDULE, failed(2), 0)).to.be.closeTo(270, 1e-6)
    expect(delayBeforeRetry(RETRY_SCHEDULE, failed(2), 0.999999)).to.be.closeTo(330, 0.01)
  })

  it('honours Retry-After on 429 and 503 between the scheduled delay and 24 h', () => {
    expect(delayBeforeRetry(RETRY_SCHEDULE, failed(1, 429, 600), middle)).to.equal(600)
    expect(delayBeforeRetry(RETRY_SCHEDULE, failed(1, 503, 5), middle)).to.equal(60)
    expect(delayBeforeRetry(RETRY_SCHEDULE, failed(1, 503, 1_000_000), middle)).to.equal(86_400)
    expect(delayBeforeRetry(RETRY_SCHEDULE, failed(6, 429, 1_000_000), 0.9)).to.be.closeTo(93_312, 1e-6)
  })

  it('ignores Retry-After of other responses', () =>
    expect(delayBeforeRetry(RETRY_SCHEDULE, failed(1, 500, 600), middle)).to.equal(60))

  it('can be replaced by another schedule', () => {
    expect(delayBeforeRetry([1, 2], failed(2), middle)).to.equal(2)
    expect(delayBeforeRetry([1, 2], failed(3), middle)).to.equal(null)
    expect(wholeSchedule([1, 2])).to.equal(3)
  })
})
