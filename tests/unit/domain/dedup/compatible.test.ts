/** The printed data that may differ between two notifications of one payment. */
import { another, copyOf, given, push, sms, url } from './sightings.ts'

const DAY = 86_400

describe('a notification that contradicts an event is a different event', () => {
  const bound = { ref: 'FT:1', time: 5, balance: 7, account: '4240xxxx4584', order: 'DH1' }
  const first = sms(bound)
  it('but a copy if nothing contradicts', () => given(first).when(push(bound)).then(copyOf(0)))
  it('by its amount', () =>
    given(first)
      .when(push({ ...bound, amount: '150000.01' }))
      .then(another))
  it('by its direction', () =>
    given(first)
      .when(push({ ...bound, direction: 'debit' }))
      .then(another))
  it('by its currency', () =>
    given(first)
      .when(push({ ...bound, currency: 'USD' }))
      .then(another))
  it('by its balance', () =>
    given(first)
      .when(push({ ...bound, balance: 8 }))
      .then(another))
  it('by its time', () =>
    given(first)
      .when(push({ ...bound, time: 6 }))
      .then(another))
  it('by its reference', () =>
    given(first)
      .when(push({ ...bound, ref: 'FT:2' }))
      .then(another))
  it('by one of its references, although another one is equal', () =>
    given(sms({ ref: ['FT:1', 'Trace:3'] }))
      .when(push({ ref: ['FT:2', 'Trace:3'] }))
      .then(another))
  it('by its account', () =>
    given(first)
      .when(push({ ...bound, account: '424012349999' }))
      .then(another))
  it('but an equal reference outweighs an order id without a prefix, which is a guess', () =>
    given(first)
      .when(push({ ...bound, order: 'ABC123', prefix: null }))
      .then(copyOf(0)))
  it('and an equal balance alone does not outweigh such an order id', () =>
    given(sms({ balance: 7, order: 'DH1' }))
      .when(push({ balance: 7, order: 'ABC123', prefix: null }))
      .then(another))
  it('but an equal balance outweighs the order id of a cut text, for ten minutes and while that channel shows no other balance', () => {
    const cut = sms({ balance: 7, order: 'DH10', prefix: null, text: 'thanh toan don hang DH10...' })
    given(cut)
      .when(push({ balance: 7, order: 'DH1042', at: 599 }))
      .then(copyOf(0))
    given(cut)
      .when(push({ balance: 7, order: 'DH1042', at: 601 }))
      .then(another)
    given(cut, push({ balance: 6, direction: 'debit', at: 30 }))
      .when(push({ balance: 7, order: 'DH1042', at: 60 }))
      .then(another)
  })
  it('and if only the SMS reported the withdrawal in between, the push of the second payment is no proof, but its SMS is', () => {
    const cut = sms({ balance: 7, order: 'DH10', prefix: null, text: 'thanh toan don hang DH10...' })
    const out = sms({ balance: 6, direction: 'debit', at: 30 })
    const second = push({ balance: 7, order: 'DH2000', at: 60 })
    given(cut, out).when(second).then(copyOf(0))
    given(cut, out, second)
      .when(sms({ balance: 7, order: 'DH2000', at: 65 }))
      .then(another)
  })
  it('by any copy of the event, because the printed data of all copies counts together', () =>
    given(sms({ order: 'DH1' }), push({ order: 'DH1', balance: 7 }))
      .when({ source: 'device-2:sms', order: 'DH1', balance: 8 })
      .then(another))
  it('but a copy if it fits the printed data of all copies together', () =>
    given(sms({ order: 'DH1', minute: 0 }), push({ order: 'DH1', balance: 7 }))
      .when({ source: 'device-2:sms', minute: 0, balance: 7, at: DAY })
      .then(copyOf(0)))
})

describe('one payment pays one order', () => {
  const named = { ref: 'MBVCB:MBVCB911539506' }
  const other = { order: 'DH1055' }

  it('if an equal reference of the movement outweighs a different order id', () =>
    given(sms({ ...named, order: 'DH1042' }))
      .when(push({ ...named, ...other }))
      .then(copyOf(0)))
  it('if the same source sends both notifications', () =>
    given(sms({ ...named, order: 'DH1042' }))
      .when(sms({ ...named, ...other, at: 3_600 }))
      .then(copyOf(0)))
  it('but a number that repeats outweighs no order id', () =>
    given(sms({ ref: 'Trace:245060', order: 'DH1042' }))
      .when(push({ ref: 'Trace:245060', ...other }))
      .then(another))
  it('but the number of a business batch, or one that the payer may write, outweighs no order id', () => {
    for (const ref of ['IBBIZ:IBBIZ508700100709602807235', 'Ma tham chieu:HD12345678', 'So GD:12345678'])
      given(sms({ ref, order: 'DH1042' }))
        .when(push({ ref, ...other }))
        .then(another)
  })
  it('but a label followed by a word outweighs no order id', () =>
    given(sms({ ref: 'CT:NGUYENVANA', order: 'DH1042' }))
      .when(push({ ref: 'CT:NGUYENVANA', ...other }))
      .then(another))
  it('if an equal balance and second outweigh a different order id', () =>
    given(sms({ balance: 7, time: 5, order: 'DH1042' }))
      .when(push({ balance: 7, time: 5, ...other }))
      .then(copyOf(0)))
  it('but an equal balance and minute outweigh no order id', () =>
    given(sms({ balance: 7, minute: 0, order: 'DH1042' }))
      .when(push({ balance: 7, minute: 0, ...other }))
      .then(another))
  it('but an equal balance outweighs no order id if one of them prints only the minute', () =>
    given(sms({ balance: 7, time: 0, order: 'DH1042' }))
      .when(push({ balance: 7, minute: 0, ...other }))
      .then(another))
  it('but an equal balance alone or an equal second alone outweighs no order id', () => {
    given(sms({ balance: 7, order: 'DH1042' }))
      .when(push({ balance: 7, ...other }))
      .then(another)
    given(sms({ time: 5, content: 'a', order: 'DH1042' }))
      .when(push({ time: 5, content: 'a', ...other }))
      .then(another)
  })
  it('only if all other data agrees', () => {
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
  it('if a third channel shows either order id', () => {
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
