import { expect } from 'chai'
import { DAY_MS, isOld } from '../../../../domain/arrival/old.ts'
import type { PrintedTime } from '../../../../domain/reader/reading.ts'

const ARRIVED = new Date('2026-11-20T03:00:00.000Z')
const HOUR = 3_600_000

const arrived = (stampedAgo: number | null) => ({
  arrived_at: ARRIVED,
  stamp: stampedAgo === null ? null : new Date(ARRIVED.getTime() - stampedAgo),
})
const printed = (at: string | null, precision: PrintedTime['precision'] = 'second') => ({
  printed_time: at === null ? null : { at, precision, year_printed: true },
})
const nothing = printed(null)

describe('an old notification', () => {
  it('has a stamp of more than the age before its arrival', () => {
    expect(isOld(arrived(DAY_MS), nothing, DAY_MS)).to.equal(false)
    expect(isOld(arrived(DAY_MS + 1), nothing, DAY_MS)).to.equal(true)
    expect(isOld(arrived(2 * HOUR), nothing, HOUR)).to.equal(true)
  })
  it('or prints such a time', () => {
    expect(isOld(arrived(null), printed('2026-11-19T03:00:00.000Z'), DAY_MS)).to.equal(false)
    expect(isOld(arrived(null), printed('2026-11-19T02:59:59.000Z'), DAY_MS)).to.equal(true)
  })
  it('a printed minute counts as its end', () => {
    expect(isOld(arrived(null), printed('2026-11-19T02:59:00.000Z', 'minute'), DAY_MS)).to.equal(false)
    expect(isOld(arrived(null), printed('2026-11-19T02:58:00.000Z', 'minute'), DAY_MS)).to.equal(true)
  })
  it('a bare day counts as its end in Vietnam', () => {
    // Arrival: 20 November, 10:00 there. 19 November began at 17:00 UTC of the 18th and ended a day later.
    expect(isOld(arrived(null), printed('2026-11-18T17:00:00.000Z', 'day'), DAY_MS)).to.equal(false)
    expect(isOld(arrived(null), printed('2026-11-17T17:00:00.000Z', 'day'), DAY_MS)).to.equal(true)
  })
  it('either is enough: a restored text may have a fresh stamp, or print no time', () => {
    expect(isOld(arrived(0), printed('2026-11-01T00:00:00.000Z'), DAY_MS)).to.equal(true)
    expect(isOld(arrived(30 * DAY_MS), printed('2026-11-20T02:59:00.000Z'), DAY_MS)).to.equal(true)
  })
  it('is none where there is neither, or where they lie in the future', () => {
    expect(isOld(arrived(null), nothing, DAY_MS)).to.equal(false)
    expect(isOld(arrived(-400 * DAY_MS), printed('2027-11-20T00:00:00.000Z'), DAY_MS)).to.equal(false)
  })
})
