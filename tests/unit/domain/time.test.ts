import { expect } from 'chai'
import {
  endOfDay,
  fromVietnam,
  inVietnam,
  isoTime,
  monthBounds,
  startOfDay,
  vietnamDay,
  vietnamMonth,
} from '../../../domain/time.ts'

describe('Vietnamese time', () => {
  it('is seven hours ahead of UTC all year', () => {
    for (const month of [1, 7])
      expect(fromVietnam({ year: 2026, month, day: 9, hour: 8, minute: 30 })?.toISOString()).to.equal(
        `2026-0${month}-09T01:30:00.000Z`,
      )
  })

  it('has no 31 February and no 25:61', () => {
    expect(fromVietnam({ year: 2026, month: 2, day: 31 })).to.equal(null)
    expect(fromVietnam({ year: 2026, month: 2, day: 3, hour: 25, minute: 61 })).to.equal(null)
    expect(fromVietnam({ year: 2028, month: 2, day: 29 })?.toISOString()).to.equal('2028-02-28T17:00:00.000Z')
    expect(fromVietnam({ year: 2026, month: 13, day: 1 })).to.equal(null)
    expect(fromVietnam({ year: 2026, month: 0, day: 0 })).to.equal(null)
  })

  it('reads a year below 100 as it is written', () => {
    expect(startOfDay('0099-12-31')?.toISOString()).to.equal('0099-12-30T17:00:00.000Z')
    expect(startOfDay('0001-01-05')?.toISOString()).to.equal('0001-01-04T17:00:00.000Z')
    expect(endOfDay('0001-01-01')?.toISOString()).to.equal('0001-01-01T17:00:00.000Z')
    expect(startOfDay('0004-02-29')?.toISOString()).to.equal('0004-02-28T17:00:00.000Z')
    expect([startOfDay('0100-02-29'), startOfDay('0000-12-31')]).to.deep.equal([null, null])
    expect(fromVietnam({ year: 26, month: 2, day: 3 })?.getUTCFullYear()).to.equal(26)
  })

  it('converts to UTC and back without a change', () => {
    const wall = { year: 2026, month: 12, day: 31, hour: 23, minute: 59, second: 58 }
    expect(inVietnam(fromVietnam(wall)!)).to.deep.equal(wall)
  })

  it('writes a moment like toISOString', () => {
    for (const at of [
      '2026-11-20T03:04:05.000Z',
      '2026-01-02T23:59:59.999Z',
      '0999-12-31T00:00:00.000Z',
      '+010000-01-01T00:00:00.000Z',
    ])
      expect(isoTime(new Date(at))).to.equal(at)
    for (let at = Date.UTC(1000, 0); at < Date.UTC(9999, 0); at += 86_399_000 * 367) {
      const moment = new Date(at)
      expect(isoTime(moment)).to.equal(moment.toISOString())
    }
  })

  it('begins a day, a month and a year at 17:00 UTC', () => {
    expect(vietnamDay(new Date('2026-12-31T16:59:59.999Z'))).to.equal('2026-12-31')
    expect(vietnamDay(new Date('2026-12-31T17:00:00Z'))).to.equal('2027-01-01')
    expect(vietnamMonth(new Date('2026-12-31T17:00:00Z'))).to.equal('2027-01')
    expect(startOfDay('2026-11-20')?.toISOString()).to.equal('2026-11-19T17:00:00.000Z')
    expect(endOfDay('2026-11-20')?.toISOString()).to.equal('2026-11-20T17:00:00.000Z')
    expect(monthBounds('2026-12')?.to.toISOString()).to.equal('2026-12-31T17:00:00.000Z')
  })

  it('has no day or month for an invalid text', () => {
    for (const text of ['', '2026-2-3', '2026-02-30', '20-11-2026', '2026-11-20T00:00'])
      expect(startOfDay(text), text).to.equal(null)
    expect(monthBounds('2026-13')).to.equal(null)
  })
})
