import { expect } from 'chai'
import { isOld } from '../../../../domain/arrival/old-texts.ts'
import { DAY_MS, HOUR_MS } from '../../../../domain/time.ts'
import type { PrintedTime } from '../../../../domain/reader/reading.ts'

const ARRIVED = new Date('2026-11-20T03:00:00.000Z')

const arrived = (stampedAgo: number | null) => ({
  arrived_at: ARRIVED,
  stamp: stampedAgo === null ? null : new Date(ARRIVED.getTime() - stampedAgo),
})
const printed = (at: string | null, precision: PrintedTime['precision'] = 'second') => ({
  printed_time: at === null ? null : { at, precision, year_printed: true },
})
const nothing = printed(null)

describe('an old notification', () => {
  it('has a stamp older than the age limit at its arrival', () => {
    expect(isOld(arrived(DAY_MS), nothing, DAY_MS)).to.equal(false)
    expect(isOld(arrived(DAY_MS + 1), nothing, DAY_MS)).to.equal(true)
    expect(isOld(arrived(2 * HOUR_MS), nothing, HOUR_MS)).to.equal(true)
  })
  it('or prints a time older than the age limit', () => {
    expect(isOld(arrived(null), printed('2026-11-19T03:00:00.000Z'), DAY_MS)).to.equal(false)
    expect(isOld(arrived(null), printed('2026-11-19T02:59:59.000Z'), DAY_MS)).to.equal(true)
  })
  it('is judged by the end of a printed minute', () => {
    expect(isOld(arrived(null), printed('2026-11-19T02:59:00.000Z', 'minute'), DAY_MS)).to.equal(false)
    expect(isOld(arrived(null), printed('2026-11-19T02:58:00.000Z', 'minute'), DAY_MS)).to.equal(true)
  })
  it('is judged by the end of a printed day in Vietnam', () => {
    // The arrival is 20 November, 10:00 in Vietnam. 19 November began there at 17:00 UTC on the 18th and ended a day later.
    expect(isOld(arrived(null), printed('2026-11-18T17:00:00.000Z', 'day'), DAY_MS)).to.equal(false)
    expect(isOld(arrived(null), printed('2026-11-17T17:00:00.000Z', 'day'), DAY_MS)).to.equal(true)
  })
  it('needs only one of both, because a restored text may have a new stamp or print no time', () => {
    expect(isOld(arrived(0), printed('2026-11-01T00:00:00.000Z'), DAY_MS)).to.equal(true)
    expect(isOld(arrived(30 * DAY_MS), printed('2026-11-20T02:59:00.000Z'), DAY_MS)).to.equal(true)
  })
  it('is not assumed without stamp and time, or if they are in the future', () => {
    expect(isOld(arrived(null), nothing, DAY_MS)).to.equal(false)
    expect(isOld(arrived(-400 * DAY_MS), printed('2027-11-20T00:00:00.000Z'), DAY_MS)).to.equal(false)
  })
})
