import { expect } from 'chai'
import { verdictOn } from '../../../../domain/dedup/verdict.ts'
import { DedupWindow } from '../../../../domain/dedup/window.ts'
import { another, copyOf, given, push, sighting, sms, visitedBy } from './sightings.ts'

const DAY = 86_400
const HOUR = 3_600

describe('row 3: a notification is a copy', () => {
  it('if the reference is equal, even days later', () =>
    given(sms({ ref: 'FT:1' }))
      .when(push({ ref: 'FT:1', at: 3 * DAY }))
      .then(copyOf(0)))
  it('but not after more than seven days', () =>
    given(sms({ ref: 'FT:1' }))
      .when(push({ ref: 'FT:1', at: 7 * DAY + 1 }))
      .then(another))
  it('if the reference is equal but the same source sent another text', () =>
    given(sms({ ref: 'FT:1' }))
      .when(sms({ ref: 'FT:1', content: 'x' }))
      .then(copyOf(0)))
  it('but not if equal numbers have different labels', () =>
    given(sms({ ref: 'FT:1' }))
      .when(push({ ref: 'Trace:1' }))
      .then(another))
  it('if any of several references is equal', () =>
    given(sms({ ref: ['FT:1', 'Trace:2'] }))
      .when(push({ ref: ['Trace:2', 'GD:3'] }))
      .then(copyOf(0)))
  it('if balance and time are equal', () =>
    given(sms({ time: 5, balance: 7 }))
      .when(push({ time: 5, balance: 7, at: DAY }))
      .then(copyOf(0)))
  it('if balance and time are equal, even if another balance was printed in between', () =>
    given(sms({ time: 5, balance: 7 }), sms({ balance: 9, direction: 'debit', at: 60 }))
      .when(sms({ time: 5, balance: 7, at: 120, content: 'x' }))
      .then(copyOf(0)))
  it('if balance and time are equal at the coarser precision', () => {
    const [second, minute] = [sms({ time: 5, balance: 7 }), push({ minute: 0, balance: 7 })]
    given(second).when(minute).then(copyOf(0))
    given(minute).when(second).then(copyOf(0))
  })
  it('but not of another order if only one prints seconds', () =>
    given(sms({ minute: 0, balance: 7, order: 'DH1' }))
      .when(push({ time: 5, balance: 7, order: 'DH2' }))
      .then(another))
  it('if balance and time are equal, although one of two order ids that differ is a guess', () =>
    given(sms({ minute: 0, balance: 7, order: 'AB12', prefix: null }))
      .when(push({ minute: 0, balance: 7, order: 'DH1' }))
      .then(copyOf(0)))
  it('but not if the time is in the next minute', () =>
    given(sms({ time: 5, balance: 7 }))
      .when(push({ minute: 60, balance: 7 }))
      .then(another))
  it('if only the balance is equal and another source sends it within two hours', () =>
    given(sms({ balance: 7, time: 1 }))
      .when(push({ balance: 7, at: 2 * HOUR }))
      .then(copyOf(0)))
  it('but not if only the balance is equal and more than two hours have passed', () =>
    given(sms({ balance: 7 }))
      .when(push({ balance: 7, at: 2 * HOUR + 1 }))
      .then(another))
  it('if only the balance is equal and both arrive within ten minutes, although a phone’s clock is wrong by hours', () => {
    for (const stamp of [-7 * HOUR, 7 * HOUR]) {
      given(sms({ balance: 7 }))
        .when({ source: 'device-2:sms', balance: 7, stamp, arrives: 600 })
        .then(copyOf(0))
      given(sms({ balance: 7, stamp, arrives: 0 }), push({ balance: 7, stamp: stamp + 5, arrives: 5 }))
        .when({ source: 'device-2:sms', balance: 7, at: 9 })
        .then(copyOf(0))
    }
    given(sms({ balance: 7 }))
      .when({ source: 'device-2:sms', balance: 7, stamp: -7 * HOUR, arrives: 601 })
      .then(another)
  })
  it('if only the balance is equal and both arrive within two hours, although a phone’s clock is hours ahead', () => {
    const ahead = { source: 'device-2:sms', balance: 7, stamp: 8 * HOUR }
    given(sms({ balance: 7 }))
      .when({ ...ahead, arrives: HOUR })
      .then(copyOf(0))
    given({ ...ahead, arrives: 0 })
      .when(sms({ balance: 7, at: HOUR }))
      .then(copyOf(0))
    given(sms({ balance: 7 }))
      .when({ ...ahead, stamp: 10 * HOUR, arrives: 2 * HOUR + 1 })
      .then(another)
  })
  describe('if only the balance is equal, and the other phone’s clock is hours behind', () => {
    /** A notification that the other phone has sent earlier, after so many seconds. */
    const sent = (at: number, delay: number) => ({
      source: 'device-2:sms',
      balance: 100 + at,
      stamp: at - delay,
      arrives: at,
    })
    const late = { source: 'device-2:sms', balance: 7, stamp: -5 * HOUR, arrives: HOUR }
    const steady = [sent(-9 * HOUR, 6 * HOUR), sent(-4 * HOUR, 6 * HOUR + 50)]

    it('and both arrive within two hours, after two others with the same delay', () => {
      given(...steady, sms({ balance: 7 }))
        .when(late)
        .then(copyOf(2))
      given(...steady, { ...late, stamp: -6 * HOUR, arrives: 0 })
        .when(sms({ balance: 7, at: HOUR }))
        .then(copyOf(2))
      given(...steady, sms({ balance: 7 }))
        .when({ ...late, stamp: -4 * HOUR + 120, arrives: 2 * HOUR + 120 })
        .then(another)
    })
    it('and it was offline as well', () => {
      given(...steady, sent(-3 * HOUR, 6 * HOUR), sms({ balance: 7 }))
        .when({ ...late, stamp: -6 * HOUR + 5, arrives: 4 * HOUR })
        .then(copyOf(3))
      given(...steady, sms({ balance: 7 }))
        .when({ ...late, stamp: -6 * HOUR + 5, arrives: 4 * HOUR })
        .then(another)
    })
    it('or it was offline, and its clock is hours ahead', () => {
      const ahead = [sent(-9 * HOUR, -8 * HOUR), sent(-4 * HOUR, -8 * HOUR), sent(-HOUR, -8 * HOUR)]
      given(...ahead, sms({ balance: 7 }))
        .when({ ...late, stamp: 8 * HOUR + 5, arrives: 9 * HOUR })
        .then(copyOf(3))
    })
    it('but not after fewer others', () =>
      given(steady[0]!, sms({ balance: 7 }))
        .when(late)
        .then(another))
    it('but not if the two others were sent within ten minutes', () =>
      given(sent(-9 * HOUR, 6 * HOUR), sent(-9 * HOUR + 599, 6 * HOUR), sms({ balance: 7 }))
        .when(late)
        .then(another))
    it('but not if one came sooner: the phone was offline', () =>
      given(sent(-10 * HOUR, 60), ...steady, sms({ balance: 7 }))
        .when(late)
        .then(another))
    it('but not if the delays differ', () =>
      given(sent(-9 * HOUR, 6 * HOUR), sent(-4 * HOUR, 6 * HOUR + 61), sms({ balance: 7 }))
        .when(late)
        .then(another))
    it('but not if another phone sent the others', () =>
      given(...steady.map((each) => ({ ...each, source: 'device-3:sms' })), sms({ balance: 7 }))
        .when(late)
        .then(another))
    it('and asks once what each source has sent, however many notifications are compared', () => {
      const asked: number[] = []
      const window = new (class extends DedupWindow {
        override walkSource(...[source, probe, visit]: Parameters<DedupWindow['walkSource']>): void {
          asked.push(source)
          super.walkSource(source, probe, visit)
        }
      })()
      const balances = Array.from({ length: 9 }, (_, n) => ({ ...late, text: `${n}`, arrives: HOUR + n }))
      for (const [n, each] of [...steady, ...balances].entries()) window.add(n, n, window.probe(sighting(each)))
      verdictOn(window, window.probe(sighting(sms({ balance: 7, at: 2 * HOUR }))), false)
      expect(asked).to.have.length(1)
    })
    it('and both channels of that phone stay together, although one is late', () =>
      given(...steady, late)
        .when({ ...late, source: 'device-2:com.VCB', stamp: -5 * HOUR + 3, arrives: 4 * HOUR })
        .then(copyOf(2)))
    it('although it sent another one without a time', () =>
      given(...steady, { ...sent(-3 * HOUR, 0), stamp: null }, sms({ balance: 7 }))
        .when(late)
        .then(copyOf(3)))
    it('unless a cut order id differs and it has shown another balance in between', () => {
      const cut = sms({ balance: 7, order: 'DH10', prefix: null, text: 'TK 1 +150,000VND SD 7 DH10...' })
      const whole = { source: 'device-2:sms', balance: 7, order: 'DH1042', stamp: 90 - 6 * HOUR, arrives: 90 }
      given(...steady, cut)
        .when(whole)
        .then(copyOf(2))
      given(...steady, cut, { ...sent(60, 6 * HOUR), balance: 6, direction: 'debit' })
        .when(whole)
        .then(another)
    })
  })
  it('of a cut order id too, although a phone’s clock is hours ahead', () =>
    given(sms({ balance: 7, order: 'DH10', prefix: null, text: 'TK 1 +150,000VND SD 7 DH10...' }))
      .when({ source: 'device-2:com.VCB', balance: 7, order: 'DH1042', stamp: 7 * HOUR, arrives: 600 })
      .then(copyOf(0)))
  it('of a cut order id too, if the phone whose clock is ahead has shown other balances before', () =>
    given(
      { source: 'device-2:com.VCB', balance: 6, stamp: 7 * HOUR - 60, arrives: -60 },
      sms({ balance: 7, order: 'DH10', prefix: null, text: 'TK 1 +150,000VND SD 7 DH10...' }),
    )
      .when({ source: 'device-2:com.VCB', balance: 7, order: 'DH1042', stamp: 7 * HOUR + 5, arrives: 5 })
      .then(copyOf(1)))
  it('of a cut order id, unless the phone whose clock is ahead has shown another balance in between', () =>
    given(sms({ balance: 7, order: 'DH10', prefix: null, text: 'TK 1 +150,000VND SD 7 DH10...' }), {
      source: 'device-2:com.VCB',
      balance: 6,
      direction: 'debit',
      stamp: 7 * HOUR + 60,
      arrives: 60,
    })
      .when({ source: 'device-2:com.VCB', balance: 7, order: 'DH1042', stamp: 7 * HOUR + 90, arrives: 90 })
      .then(another))
  it('by their stamps, if a phone whose clock is ahead sends one channel hours late', () => {
    const early = { stamp: HOUR, arrives: 0 }
    const late = { stamp: HOUR + 3, arrives: 3 * HOUR }
    given(sms({ balance: 7, ...early }))
      .when(push({ balance: 7, ...late }))
      .then(copyOf(0))
    given(push({ balance: 7, ...early }))
      .when(sms({ balance: 7, ...late }))
      .then(copyOf(0))
  })
  it('of the payment with the same stamp, if one phone sends two channels of several with a clock that is ahead', () =>
    given(
      sms({ balance: 7, stamp: 8 * HOUR, arrives: HOUR }),
      sms({ balance: 6, direction: 'debit', stamp: 11 * HOUR, arrives: HOUR }),
      sms({ balance: 7, stamp: 12 * HOUR, arrives: HOUR }),
    )
      .when(push({ balance: 7, stamp: 8 * HOUR + 3, arrives: HOUR }))
      .then(copyOf(0)))
  it('of the payment with the same stamp, if a phone that was offline sends several with one balance at once', () =>
    given(sms({ balance: 7 }), sms({ balance: 6, direction: 'debit', at: HOUR }), sms({ balance: 7, at: 5 * HOUR }))
      .when({ source: 'device-2:sms', balance: 7, stamp: 3, arrives: 5 * HOUR + 10 })
      .then(copyOf(0)))
  it('but not of a cut order id if a whole text of the event shows another one', () =>
    given(
      push({ balance: 7, order: 'AB77', prefix: null }),
      sms({ balance: 7, order: 'DH10', prefix: null, text: 'TK 1 +150,000VND SD 7 DH10...' }),
    )
      .when({ source: 'device-2:com.VCB', balance: 7, order: 'DH1042', at: 60 })
      .then(another))
  it('but not if only the balance is equal and the event has one from this source', () =>
    given(sms({ balance: 7 }), push({ balance: 7, at: 1 }))
      .when(push({ balance: 7, at: HOUR, content: 'x' }))
      .then(another))
  it('if the balance is equal and the same source sends another text within ten minutes', () =>
    given(sms({ balance: 7 }))
      .when(sms({ balance: 7, at: 600, content: 'x' }))
      .then(copyOf(0)))
  it('but not if another balance was printed in between', () =>
    given(sms({ balance: 7 }), sms({ balance: 9, direction: 'debit', at: 60 }))
      .when(sms({ balance: 7, at: 120, content: 'x' }))
      .then(another))
  it('if time and content are equal', () =>
    given(sms({ minute: 0, content: 'abc' }))
      .when(push({ minute: 0, content: 'abc' }))
      .then(copyOf(0)))
  it('if one copy of the event printed the time and another the content', () =>
    given(sms({ minute: 0, ref: 'FT:1' }), push({ ref: 'FT:1', content: 'abc' }))
      .when({ source: 'device-2:sms', minute: 0, content: 'abc' })
      .then(copyOf(0)))
  it('but not if the content differs', () =>
    given(sms({ minute: 0, content: 'abc' }))
      .when(push({ minute: 0, content: 'abd' }))
      .then(another))
  it('but not if only the hashes of two contents are equal', () => {
    const [first, second] = [
      sms({ minute: 0, content: 'DON HANG 26185' }),
      push({ minute: 0, content: 'DON HANG 31792' }),
    ]
    expect(visitedBy('content', first, second)).to.equal(1)
    given(first).when(second).then(another)
  })
  it('but not if neither prints a time', () =>
    given(sms({ content: 'abc' }))
      .when(push({ content: 'abc' }))
      .then(another))
  it('but not if time and content are equal and the event has one from this source', () =>
    given(sms({ minute: 0, content: 'abc' }))
      .when(sms({ minute: 0, content: 'abc', at: 20, text: 'other words' }))
      .then(another))
  const whole = 'TK 8832123000 +150,000VND ND: NGUYEN VAN AN chuyen tien'
  const cut = 'TK 8832123000 +150,000VND ND: NGUYEN VAN...'
  it('if its text is a cut of the other within ten seconds', () =>
    given(push({ text: cut }))
      .when(push({ text: whole, at: 10 }))
      .then(copyOf(0)))
  it('if its text is a cut of the other and the whole text came first', () =>
    given(push({ text: whole }))
      .when(push({ text: cut, at: 10 }))
      .then(copyOf(0)))
  it('if its text is a cut of the other, and the cut is inside the order id', () =>
    given(push({ text: `${whole} DH10...`, order: 'DH10', prefix: null }))
      .when(push({ text: `${whole} DH1042`, order: 'DH1042', at: 5 }))
      .then(copyOf(0)))
  it('but not if a cut text comes eleven seconds later', () =>
    given(push({ text: cut }))
      .when(push({ text: whole, at: 11 }))
      .then(another))
  it('but not if the text is cut from another one', () =>
    given(push({ text: cut }))
      .when(push({ text: `x${whole}`, at: 5 }))
      .then(another))
  it('but not if both show an order id, and the ids differ', () =>
    given(push({ text: 'TK 8832123000 +150,000VND ND: AB123 x...', order: 'AB123', prefix: null }))
      .when(push({ text: 'TK 8832123000 +150,000VND ND: AB124 xyz', order: 'AB124', prefix: null, at: 5 }))
      .then(another))
  it('but not if the shorter text has no mark of a cut', () =>
    given(push({ text: whole.slice(0, 40) }))
      .when(push({ text: whole, at: 5 }))
      .then(another))
})
