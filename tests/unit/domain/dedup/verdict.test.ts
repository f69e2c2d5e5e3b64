import { another, copyOf, given, push, resendOf, sms, url } from './sightings.ts'

const DAY = 86_400
const HOUR = 3_600

describe('row 1: the same source, text and stamp', () => {
  const plain = sms({ order: 'DH1' })
  it('is a resend, whenever it arrives', () =>
    given(plain)
      .when({ ...plain, arrives: 3 * DAY })
      .then(resendOf(0)))
  it('of a copy is a resend of that copy', () => given(plain, push({ order: 'DH1' })).when(push({ order: 'DH1' })).then(resendOf(1, 0))) // prettier-ignore
  it('is forgotten after seven days', () =>
    given(plain)
      .when({ ...plain, arrives: 7 * DAY + 1 })
      .then(another))
  it('is remembered to the end of the seventh', () =>
    given(plain)
      .when({ ...plain, arrives: 7 * DAY })
      .then(resendOf(0)))
  it('not from another device', () =>
    given(plain)
      .when({ ...plain, source: 'device-2:sms', order: 'DH2' })
      .then(another))
  it('not with another text', () =>
    given(plain)
      .when(sms({ order: 'DH2' }))
      .then(another))
})

describe('row 2: the same source and text, bound by what it prints', () => {
  const day = { stamp: 2 * DAY, arrives: 2 * DAY }
  it('a reference', () =>
    given(sms({ ref: 'FT:1' }))
      .when(sms({ ref: 'FT:1', ...day }))
      .then(resendOf(0)))
  it('a time with seconds', () =>
    given(sms({ time: 5 }))
      .when(sms({ time: 5, ...day }))
      .then(resendOf(0)))
  it('a time with a balance', () => given(sms({ minute: 0, balance: 7 })).when(sms({ minute: 0, balance: 7, ...day })).then(resendOf(0))) // prettier-ignore
  it('not a time to the minute alone', () =>
    given(sms({ minute: 0 }))
      .when(sms({ minute: 0, at: 6 }))
      .then(another))
  it('a balance alone, ten minutes apart', () =>
    given(sms({ balance: 7 }))
      .when(sms({ balance: 7, at: 600 }))
      .then(resendOf(0)))
  it('not over ten minutes', () =>
    given(sms({ balance: 7 }))
      .when(sms({ balance: 7, at: 601 }))
      .then(another))
  it('not with another balance of the account in between', () =>
    given(sms({ balance: 7 }), sms({ balance: 9, direction: 'debit', at: 60 }))
      .when(sms({ balance: 7, at: 120 }))
      .then(another))
  it('another balance before does not count', () =>
    given(sms({ balance: 9, direction: 'debit', at: 0 }), sms({ balance: 7, at: 60 }))
      .when(sms({ balance: 7, at: 120 }))
      .then(resendOf(1)))
  it('nor that of another account', () =>
    given(sms({ balance: 7, account: '111' }), sms({ balance: 9, account: '222', at: 60 }))
      .when(sms({ balance: 7, account: '111', at: 120 }))
      .then(resendOf(0)))
  it('nor that of another source', () =>
    given(sms({ balance: 7 }), push({ balance: 9, at: 60 }))
      .when(sms({ balance: 7, at: 120 }))
      .then(resendOf(0)))
})

describe('row 2: the same source and text, close together', () => {
  it('pushes ten seconds apart: Android posts twice', () =>
    given(push())
      .when(push({ at: 10 }))
      .then(resendOf(0)))
  it('not eleven', () =>
    given(push())
      .when(push({ at: 11 }))
      .then(another))
  it('SMS five seconds apart', () =>
    given(sms())
      .when(sms({ at: 5 }))
      .then(resendOf(0)))
  it('not six', () =>
    given(sms())
      .when(sms({ at: 6 }))
      .then(another))
  it('by stamps, not by arrivals', () =>
    given(sms())
      .when(sms({ stamp: 60, arrives: 1 }))
      .then(another))
  it('without stamps ten minutes apart', () =>
    given(url())
      .when(url({ arrives: 600 }))
      .then(resendOf(0)))
  it('not over ten minutes', () =>
    given(url())
      .when(url({ arrives: 601 }))
      .then(another))
  it('not where only one has a stamp', () =>
    given(url({ stamp: 0 }))
      .when(url({ arrives: 60 }))
      .then(another))
  it('the nearest of two', () =>
    given(push(), push({ at: 12 }))
      .when(push({ at: 8 }))
      .then(resendOf(1)))
})

describe('row 3: a copy', () => {
  it('equal reference, days later', () =>
    given(sms({ ref: 'FT:1' }))
      .when(push({ ref: 'FT:1', at: 3 * DAY }))
      .then(copyOf(0)))
  it('equal reference from the same source with another text', () => given(sms({ ref: 'FT:1' })).when(sms({ ref: 'FT:1', content: 'x' })).then(copyOf(0))) // prettier-ignore
  it('not equal numbers under other labels', () =>
    given(sms({ ref: 'FT:1' }))
      .when(push({ ref: 'Trace:1' }))
      .then(another))
  it('any of several references', () => given(sms({ ref: ['FT:1', 'Trace:2'] })).when(push({ ref: ['Trace:2', 'GD:3'] })).then(copyOf(0))) // prettier-ignore
  it('equal balance and time', () =>
    given(sms({ time: 5, balance: 7 }))
      .when(push({ time: 5, balance: 7, at: DAY }))
      .then(copyOf(0)))
  it('equal balance and time, whatever was printed in between', () =>
    given(sms({ time: 5, balance: 7 }), sms({ balance: 9, direction: 'debit', at: 60 }))
      .when(sms({ time: 5, balance: 7, at: 120, content: 'x' }))
      .then(copyOf(0)))
  it('at the coarser precision', () =>
    given(sms({ time: 5, balance: 7 }))
      .when(push({ minute: 0, balance: 7 }))
      .then(copyOf(0)))
  it('not in the next minute', () =>
    given(sms({ time: 5, balance: 7 }))
      .when(push({ minute: 60, balance: 7 }))
      .then(another))
  it('equal balance without a time, another source, two hours', () =>
    given(sms({ balance: 7, time: 1 }))
      .when(push({ balance: 7, at: 2 * HOUR }))
      .then(copyOf(0)))
  it('not over two hours', () =>
    given(sms({ balance: 7 }))
      .when(push({ balance: 7, at: 2 * HOUR + 1 }))
      .then(another))
  it('not where that event has one from this source', () =>
    given(sms({ balance: 7 }), push({ balance: 7, at: 1 }))
      .when(push({ balance: 7, at: HOUR, content: 'x' }))
      .then(another))
  it('the same source within ten minutes, other words', () =>
    given(sms({ balance: 7 }))
      .when(sms({ balance: 7, at: 600, content: 'x' }))
      .then(copyOf(0)))
  it('not with another balance in between', () =>
    given(sms({ balance: 7 }), sms({ balance: 9, direction: 'debit', at: 60 }))
      .when(sms({ balance: 7, at: 120, content: 'x' }))
      .then(another))
  it('equal time and content', () =>
    given(sms({ minute: 0, content: 'abc' }))
      .when(push({ minute: 0, content: 'abc' }))
      .then(copyOf(0)))
  it('of which one copy printed the time, another the content', () =>
    given(sms({ minute: 0, ref: 'FT:1' }), push({ ref: 'FT:1', content: 'abc' }))
      .when({ source: 'device-2:sms', minute: 0, content: 'abc' })
      .then(copyOf(0)))
  it('not another content', () =>
    given(sms({ minute: 0, content: 'abc' }))
      .when(push({ minute: 0, content: 'abd' }))
      .then(another))
  it('not where neither prints a time', () =>
    given(sms({ content: 'abc' }))
      .when(push({ content: 'abc' }))
      .then(another))
  it('nor where that event has one from this source', () =>
    given(sms({ minute: 0, content: 'abc' }))
      .when(sms({ minute: 0, content: 'abc', at: 20, text: 'other words' }))
      .then(another))
  const whole = 'TK 8832123000 +150,000VND ND: NGUYEN VAN AN chuyen tien'
  const cut = 'TK 8832123000 +150,000VND ND: NGUYEN VAN...'
  it('one text a cut of the other, ten seconds', () =>
    given(push({ text: cut }))
      .when(push({ text: whole, at: 10 }))
      .then(copyOf(0)))
  it('also when the whole came first', () =>
    given(push({ text: whole }))
      .when(push({ text: cut, at: 10 }))
      .then(copyOf(0)))
  it('not eleven', () =>
    given(push({ text: cut }))
      .when(push({ text: whole, at: 11 }))
      .then(another))
  it('not of another text', () =>
    given(push({ text: cut }))
      .when(push({ text: `x${whole}`, at: 5 }))
      .then(another))
  it('not without the mark of a cut', () =>
    given(push({ text: whole.slice(0, 40) }))
      .when(push({ text: whole, at: 5 }))
      .then(another))
})

describe('row 4: another source, equal order id', () => {
  it('two hours apart', () =>
    given(sms({ order: 'DH1' }))
      .when(push({ order: 'DH1', at: 2 * HOUR }))
      .then(copyOf(0)))
  it('not over', () =>
    given(sms({ order: 'DH1' }))
      .when(push({ order: 'DH1', at: 2 * HOUR + 1 }))
      .then(another))
  it('not the same source', () =>
    given(sms({ order: 'DH1' }))
      .when(sms({ order: 'DH1', at: 60, content: 'x' }))
      .then(another))
  it('not where that event has one from this source', () =>
    given(sms({ order: 'DH1' }), push({ order: 'DH1', at: 1 }))
      .when(push({ order: 'DH1', at: 60 }))
      .then(another))
  it('by printed times where both print one, though it arrives days later', () =>
    given(sms({ order: 'DH1', minute: 0 }))
      .when(push({ order: 'DH1', minute: 0, at: 2 * DAY, content: 'x' }))
      .then(copyOf(0)))
  it('of two events the nearest', () =>
    given(sms({ order: 'DH1', minute: 0 }), sms({ order: 'DH1', minute: 240, at: 240 }))
      .when(push({ order: 'DH1', at: 200 }))
      .then(copyOf(1)))
  for (const [at, place] of [
    [3, 0],
    [28, 1],
  ] as const)
    it(`of two of the same minute the one nearest by stamp, ${at}`, () =>
      given(sms({ order: 'DH1', minute: 0, ref: 'FT:1' }), sms({ order: 'DH1', minute: 0, ref: 'FT:2', at: 30 }))
        .when(push({ order: 'DH1', minute: 0, at }))
        .then(copyOf(place)))
  it('by arrivals where one has no stamp', () =>
    given(sms({ order: 'DH1', stamp: 0, arrives: 3 * HOUR }))
      .when(url({ order: 'DH1', arrives: 3 * HOUR + 60 }))
      .then(copyOf(0)))
})

describe('what contradicts is another event', () => {
  const bound = { ref: 'FT:1', time: 5, balance: 7, account: '4240xxxx4584', order: 'DH1' }
  const first = sms(bound)
  it('nothing: a copy', () => given(first).when(push(bound)).then(copyOf(0)))
  it('amount', () =>
    given(first)
      .when(push({ ...bound, amount: '150000.01' }))
      .then(another))
  it('direction', () =>
    given(first)
      .when(push({ ...bound, direction: 'debit' }))
      .then(another))
  it('currency', () =>
    given(first)
      .when(push({ ...bound, currency: 'USD' }))
      .then(another))
  it('balance', () =>
    given(first)
      .when(push({ ...bound, balance: 8 }))
      .then(another))
  it('time', () =>
    given(first)
      .when(push({ ...bound, time: 6 }))
      .then(another))
  it('reference', () =>
    given(first)
      .when(push({ ...bound, ref: 'FT:2' }))
      .then(another))
  it('account', () =>
    given(first)
      .when(push({ ...bound, account: '424012349999' }))
      .then(another))
  it('but an order id without a prefix is a guess, which a reference outweighs', () =>
    given(first)
      .when(push({ ...bound, order: 'ABC123', prefix: null }))
      .then(copyOf(0)))
  it('and an equal balance alone does not', () =>
    given(sms({ balance: 7, order: 'DH1' }))
      .when(push({ balance: 7, order: 'ABC123', prefix: null }))
      .then(another))
  it('what copies printed counts together', () =>
    given(sms({ order: 'DH1' }), push({ order: 'DH1', balance: 7 }))
      .when({ source: 'device-2:sms', order: 'DH1', balance: 8 })
      .then(another))
  it('and together it fits', () =>
    given(sms({ order: 'DH1', minute: 0 }), push({ order: 'DH1', balance: 7 }))
      .when({ source: 'device-2:sms', minute: 0, balance: 7, at: DAY })
      .then(copyOf(0)))
})

describe('the highest row decides', () => {
  it('an equal reference before a nearer equal order id', () =>
    given(sms({ ref: 'FT:1', order: 'DH1' }), sms({ order: 'DH1', at: 3_000 }))
      .when(push({ ref: 'FT:1', order: 'DH1', at: 3_001 }))
      .then(copyOf(0)))
  it('a resend before a copy of another event', () =>
    given(push({ order: 'DH1', at: 0 }), sms({ order: 'DH1', at: 9 }))
      .when(push({ order: 'DH1', at: 8 }))
      .then(resendOf(0)))
})

describe('one payment pays one order', () => {
  const named = { ref: 'MBVCB:MBVCB911539506' }
  const other = { order: 'DH1055' }

  it('an equal reference of the movement outweighs another order id', () =>
    given(sms({ ...named, order: 'DH1042' }))
      .when(push({ ...named, ...other }))
      .then(copyOf(0)))
  it('also from the same source', () =>
    given(sms({ ...named, order: 'DH1042' }))
      .when(sms({ ...named, ...other, at: 3_600 }))
      .then(copyOf(0)))
  it('a number that comes round again does not', () =>
    given(sms({ ref: 'Trace:245060', order: 'DH1042' }))
      .when(push({ ref: 'Trace:245060', ...other }))
      .then(another))
  it('nor does the number of a business batch, or one that the payer may write', () => {
    for (const ref of ['IBBIZ:IBBIZ508700100709602807235', 'Ma tham chieu:HD12345678', 'So GD:12345678'])
      given(sms({ ref, order: 'DH1042' }))
        .when(push({ ref, ...other }))
        .then(another)
  })
  it('nor does a label with a word behind it', () =>
    given(sms({ ref: 'CT:NGUYENVANA', order: 'DH1042' }))
      .when(push({ ref: 'CT:NGUYENVANA', ...other }))
      .then(another))
  it('an equal balance and second outweigh another order id', () =>
    given(sms({ balance: 7, time: 5, order: 'DH1042' }))
      .when(push({ balance: 7, time: 5, ...other }))
      .then(copyOf(0)))
  it('an equal balance and minute do not', () =>
    given(sms({ balance: 7, minute: 0, order: 'DH1042' }))
      .when(push({ balance: 7, minute: 0, ...other }))
      .then(another))
  it('nor where one of them prints only the minute', () =>
    given(sms({ balance: 7, time: 0, order: 'DH1042' }))
      .when(push({ balance: 7, minute: 0, ...other }))
      .then(another))
  it('nor does an equal balance alone, or an equal second alone', () => {
    given(sms({ balance: 7, order: 'DH1042' }))
      .when(push({ balance: 7, ...other }))
      .then(another)
    given(sms({ time: 5, content: 'a', order: 'DH1042' }))
      .when(push({ time: 5, content: 'a', ...other }))
      .then(another)
  })
  it('everything else must still agree', () => {
    const first = sms({ ...named, balance: 7, time: 5, account: '4240xxxx4584', order: 'DH1042' })
    const differing = [
      { amount: '100000.00' },
      { direction: 'debit' as const },
      { currency: 'USD' },
      { balance: 8 },
      { time: 6 },
      { account: '424012349999' },
      { ref: 'MBVCB:MBVCB911539507' },
    ]
    for (const one of differing)
      given(first)
        .when(push({ ...named, balance: 7, time: 5, ...other, ...one }))
        .then(another)
  })
  it('a third channel that shows either order id tells of that payment too', () => {
    const copies = [sms({ ...named, order: 'DH1042' }), push({ ...named, ...other, at: 5 })]
    given(...copies)
      .when(url({ order: 'DH1042', arrives: 10 }))
      .then(copyOf(0))
    given(...copies)
      .when(url({ ...other, arrives: 10 }))
      .then(copyOf(0))
    given(...copies)
      .when(url({ order: 'DH1060', arrives: 10 }))
      .then(another)
  })
})
