import { expect } from 'chai'
import { heardAgain, silentAfter, silentSince, type Rhythm } from '../../../../domain/sources/silence.ts'

const HOUR = 3_600_000
const START = Date.parse('2026-11-02T01:00:00.000Z')
const at = (hours: number) => new Date(START + hours * HOUR)

const after = (hours: readonly number[]): Rhythm =>
  hours.reduce<Rhythm | null>((rhythm, hour) => heardAgain(rhythm, at(hour).toISOString()), null)!

/** A shop that sells from 8 to 20 o'clock, every hour. */
const days = (count: number): number[] =>
  Array.from({ length: count }, (_, day) => Array.from({ length: 13 }, (_, hour) => day * 24 + hour)).flat()

describe('how long a source usually says nothing', () => {
  it('is not known of one that is new, so its first night is no silence', () => {
    const rhythm = after(days(2))
    expect(silentAfter(rhythm)).to.equal(null)
    expect(silentSince(rhythm, at(1_000))).to.equal(null)
  })

  it('is learnt with its nights; twice as long is silence, since it was heard last', () => {
    const rhythm = after(days(5))
    const last = 4 * 24 + 12
    expect(silentSince(rhythm, at(last + 12))).to.equal(null)
    expect(silentSince(rhythm, at(last + 22))).to.equal(null)
    expect(silentSince(rhythm, at(last + 25))).to.equal(at(last).toISOString())
  })

  it('ends when it is heard again, and a death is not learnt as usual', () => {
    const last = 4 * 24 + 12
    const back = heardAgain(after(days(5)), at(last + 500).toISOString())
    expect(silentSince(back, at(last + 501))).to.equal(null)
    expect(silentAfter(back)! / 3_600).to.be.lessThan(50)
  })

  it('is never so short that a few hours are silence', () => {
    const often = after(Array.from({ length: 24 * 4 * 12 }, (_, n) => n / 12))
    const last = (24 * 4 * 12 - 1) / 12
    expect(silentSince(often, at(last + 2.9))).to.equal(null)
    expect(silentSince(often, at(last + 3.1))).to.not.equal(null)
  })

  it('forgets a long pause that does not come again', () => {
    const before = after(days(5))
    const later = Array.from({ length: 24 * 60 }, (_, n) => 5 * 24 + n).reduce(
      (rhythm, hour) => heardAgain(rhythm, at(hour).toISOString()),
      before,
    )
    expect(silentAfter(later)).to.be.lessThan(silentAfter(before)!)
  })

  it('is the same whichever process tells first', () => {
    const one = heardAgain(after(days(5)), at(200).toISOString())
    expect(heardAgain(one, at(199).toISOString())).to.include({ last_heard_at: at(200).toISOString() })
  })
})
