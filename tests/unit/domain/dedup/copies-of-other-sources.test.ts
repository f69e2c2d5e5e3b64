import { another, copyOf, given, push, sms, url } from './sightings.ts'

const DAY = 86_400
const HOUR = 3_600

describe('row 4: another source with an equal order id is a copy', () => {
  it('within two hours', () =>
    given(sms({ order: 'DH1' }))
      .when(push({ order: 'DH1', at: 2 * HOUR }))
      .then(copyOf(0)))
  it('within ten minutes by the arrivals, although a phone’s clock is wrong by hours', () =>
    given(sms({ order: 'DH1' }))
      .when({ source: 'device-2:sms', order: 'DH1', stamp: -7 * HOUR, arrives: 60 })
      .then(copyOf(0)))
  it('but not after more than two hours', () =>
    given(sms({ order: 'DH1' }))
      .when(push({ order: 'DH1', at: 2 * HOUR + 1 }))
      .then(another))
  it('but not from the same source', () =>
    given(sms({ order: 'DH1' }))
      .when(sms({ order: 'DH1', at: 60, content: 'x' }))
      .then(another))
  it('but not if the event has one from this source', () =>
    given(sms({ order: 'DH1' }), push({ order: 'DH1', at: 1 }))
      .when(push({ order: 'DH1', at: 60 }))
      .then(another))
  it('by the printed times if both print one, even if it arrives days later', () =>
    given(sms({ order: 'DH1', minute: 0 }))
      .when(push({ order: 'DH1', minute: 0, at: 2 * DAY, content: 'x' }))
      .then(copyOf(0)))
  it('by the printed time of any copy, even if it arrives hours later', () =>
    given(push({ order: 'DH1' }), sms({ order: 'DH1', minute: 0 }))
      .when(url({ order: 'DH1', minute: 0, arrives: 3 * HOUR }))
      .then(copyOf(0)))
  it('of the nearer of two events', () =>
    given(sms({ order: 'DH1', minute: 0 }), sms({ order: 'DH1', minute: 240, at: 240 }))
      .when(push({ order: 'DH1', at: 200 }))
      .then(copyOf(1)))
  for (const [at, index] of [
    [3, 0],
    [28, 1],
  ] as const)
    it(`of the event with the nearest stamp if two print the same minute, at ${at} s`, () =>
      given(sms({ order: 'DH1', minute: 0, ref: 'FT:1' }), sms({ order: 'DH1', minute: 0, ref: 'FT:2', at: 30 }))
        .when(push({ order: 'DH1', minute: 0, at }))
        .then(copyOf(index)))
  it('by the arrivals if one has no stamp', () =>
    given(sms({ order: 'DH1', stamp: 0, arrives: 3 * HOUR }))
      .when(url({ order: 'DH1', arrives: 3 * HOUR + 60 }))
      .then(copyOf(0)))
})

describe('row 5: another source is a copy if one of the two lost its end before balance and memo', () => {
  const short = push({ minute: 0, account: '42xxx584', text: 'TK 42xxx584|GD: +150,000VND 10:00 |SD: 5,3...' })
  const whole = sms({ minute: 0, account: '4240xxxx4584', balance: 7, order: 'DH1' })
  it('if both print the same minute, whichever comes first', () => {
    given(short).when(whole).then(copyOf(0))
    given(whole).when(short).then(copyOf(0))
    given(whole)
      .when({ ...short, minute: 60 })
      .then(another)
  })
  it('if one prints no time, within two minutes', () => {
    given(sms({ balance: 7, order: 'DH1' }))
      .when({ ...short, at: 120 })
      .then(copyOf(0))
    given(sms({ balance: 7, order: 'DH1', stamp: -7 * HOUR, arrives: 0 }))
      .when({ ...short, at: 120 })
      .then(copyOf(0))
    given(sms({ balance: 7, order: 'DH1' }))
      .when({ ...short, at: 121 })
      .then(another)
  })
  it('but not with another account, another amount or the same source', () => {
    given(whole)
      .when({ ...short, account: '42xxx999' })
      .then(another)
    given(whole)
      .when({ ...short, amount: '100000.00' })
      .then(another)
    given(short, push({ minute: 0, account: '42xxx584', balance: 7, order: 'DH1', at: 11 }))
      .when(whole)
      .then(copyOf(1))
  })
  it('but not if it prints a balance, an order id or a reference', () => {
    const text = 'TK 42xxx584|GD: +150,000VND 10:00 |ND: ...'
    const more = [{ balance: 8 }, { order: 'DH2' }, { ref: 'FT:2' }] as const
    for (const one of more)
      given(sms({ minute: 0, balance: 7, order: 'DH1', ref: 'FT:1' }))
        .when(push({ minute: 0, text, ...one }))
        .then(another)
    given(sms({ minute: 0 }))
      .when(push({ minute: 0, text, order: 'DH2' }))
      .then(another)
  })
  it('and a whole text of the same source may still join the event, because the cut one may be of another payment', () => {
    const one = { balance: 7, order: 'DH1' }
    const shortOfOther = push({ account: '42xxx584', text: 'TK 42xxx584 So du: VND 30...', at: 4 })
    given(sms(one), shortOfOther)
      .when(push({ ...one, account: '42xxx584', at: 25 }))
      .then(copyOf(0))
  })
  it('once for each payment of a minute', () => {
    const later = { ...short, at: 11 }
    const other = { ...whole, balance: 14, order: 'DH2', at: 11 }
    given(short, later, whole).when(other).then(copyOf(1))
    given(whole, short, other).when(later).then(copyOf(2))
    given(short, whole).when(other).then(another)
  })
})
