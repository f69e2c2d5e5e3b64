import { expect } from 'chai'
import { seenAgain, silentAfter, silentSince, type Rhythm } from '../../../../domain/sources/silence.ts'
import { HOUR_MS } from '../../../../domain/time.ts'

const START = Date.parse('2026-11-02T01:00:00.000Z')
const at = (hours: number) => new Date(START + hours * HOUR_MS)

const after = (hours: readonly number[]): Rhythm =>
  hours.reduce<Rhythm | null>((rhythm, hour) => seenAgain(rhythm, at(hour).toISOString()), null)!

/** A shop that sells every hour from 8:00 to 20:00. */
const days = (count: number): number[] =>
  Array.from({ length: count }, (_, day) => Array.from({ length: 13 }, (_, hour) => day * 24 + hour)).flat()

describe('the usual pause of a source', () => {
  it('is unknown for a new source, so its first night raises no alert', () => {
    const rhythm = after(days(2))
    expect(silentAfter(rhythm)).to.equal(null)
    expect(silentSince(rhythm, at(1_000))).to.equal(null)
  })

  it('includes its nights, and twice that pause counts as silence since it was last seen', () => {
    const rhythm = after(days(5))
    const last = 4 * 24 + 12
    expect(silentSince(rhythm, at(last + 12))).to.equal(null)
    expect(silentSince(rhythm, at(last + 22))).to.equal(null)
    expect(silentSince(rhythm, at(last + 25))).to.equal(at(last).toISOString())
  })

  it('is not extended by an outage, and the silence ends when the source is seen again', () => {
    const last = 4 * 24 + 12
    const back = seenAgain(after(days(5)), at(last + 500).toISOString())
    expect(silentSince(back, at(last + 501))).to.equal(null)
    expect(silentAfter(back)! / 3_600).to.be.lessThan(50)
  })

  it('never makes a silence of less than three hours', () => {
    const often = after(Array.from({ length: 24 * 4 * 12 }, (_, n) => n / 12))
    const last = (24 * 4 * 12 - 1) / 12
    expect(silentSince(often, at(last + 2.9))).to.equal(null)
    expect(silentSince(often, at(last + 3.1))).to.not.equal(null)
  })

  it('becomes shorter if a long pause does not recur', () => {
    const before = after(days(5))
    const later = Array.from({ length: 24 * 60 }, (_, n) => 5 * 24 + n).reduce(
      (rhythm, hour) => seenAgain(rhythm, at(hour).toISOString()),
      before,
    )
    expect(silentAfter(later)).to.be.lessThan(silentAfter(before)!)
  })

  it('is learnt anew after a clock was ahead, and the silence counts from the current time', () => {
    const last = 4 * 24 + 12
    const ahead = seenAgain(after(days(5)), at(last + 720).toISOString())
    const corrected = seenAgain(ahead, at(last + 1).toISOString())
    expect(corrected).to.include({ last_seen_at: at(last + 1).toISOString(), first_seen_at: at(0).toISOString() })
    const since = silentSince(corrected, at(last + 1 + silentAfter(corrected)! / 3_600 + 1))
    expect(since).to.equal(at(last + 1).toISOString())
    const begunAhead = seenAgain(seenAgain(null, at(720).toISOString()), at(1).toISOString())
    expect(begunAhead).to.include({ first_seen_at: at(1).toISOString() })
  })

  it('does not depend on the order in which processes report', () => {
    const one = seenAgain(after(days(5)), at(200).toISOString())
    expect(seenAgain(one, at(199).toISOString())).to.include({ last_seen_at: at(200).toISOString() })
  })
})
