import { expect } from 'chai'
import { another, given, push, resendOf, sms, url, visitedBy } from './sightings.ts'

const DAY = 86_400
const HOUR = 3_600

describe('row 1: the same source, text and stamp', () => {
  const plain = sms({ order: 'DH1' })
  it('is a resend at any time of arrival', () =>
    given(plain)
      .when({ ...plain, arrives: 3 * DAY })
      .then(resendOf(0)))
  it('as a copy is a resend of that copy', () =>
    given(plain, push({ order: 'DH1' }))
      .when(push({ order: 'DH1' }))
      .then(resendOf(1, 0)))
  it('is a different event after seven days', () =>
    given(plain)
      .when({ ...plain, arrives: 7 * DAY + 1 })
      .then(another))
  it('is a resend until the end of the seventh day', () =>
    given(plain)
      .when({ ...plain, arrives: 7 * DAY })
      .then(resendOf(0)))
  it('is a resend of a mail by its Message-ID, whatever the stamps', () => {
    const mail = { source: 'mailbox-1', text: 'TK 1 +150,000VND', message: '<1@bank.vn>' }
    given(mail)
      .when({ ...mail, at: HOUR })
      .then(resendOf(0))
    given(mail)
      .when({ ...mail, message: '<2@bank.vn>', at: HOUR })
      .then(another)
  })
  it('is a different event if it comes from another device', () =>
    given(plain)
      .when({ ...plain, source: 'device-2:sms', order: 'DH2' })
      .then(another))
  it('is a different event if the text differs', () =>
    given(plain)
      .when(sms({ order: 'DH2' }))
      .then(another))
})

describe('row 2: the same source and text with equal printed data is a resend', () => {
  const day = { stamp: 2 * DAY, arrives: 2 * DAY }
  it('if it prints a reference', () =>
    given(sms({ ref: 'FT:1' }))
      .when(sms({ ref: 'FT:1', ...day }))
      .then(resendOf(0)))
  it('if it prints a time with seconds', () =>
    given(sms({ time: 5 }))
      .when(sms({ time: 5, ...day }))
      .then(resendOf(0)))
  it('if it prints a time and a balance', () =>
    given(sms({ minute: 0, balance: 7 }))
      .when(sms({ minute: 0, balance: 7, ...day }))
      .then(resendOf(0)))
  it('but not if only the hashes of two texts are equal', () => {
    const [first, second] = [sms({ text: 'ND: DON HANG 37335' }), sms({ text: 'ND: DON HANG 52586' })]
    expect(visitedBy('text', first, second)).to.equal(1)
    given(first).when(second).then(another)
  })
  it('unless it prints only a time without seconds', () =>
    given(sms({ minute: 0 }))
      .when(sms({ minute: 0, at: 6 }))
      .then(another))
  it('if it prints only a balance and arrives within ten minutes', () =>
    given(sms({ balance: 7 }))
      .when(sms({ balance: 7, at: 600 }))
      .then(resendOf(0)))
  it('again, even after another balance was printed at the time of the first', () =>
    given(sms({ balance: 8 }), sms({ balance: 8, at: 6 }), sms({ balance: 7, amount: '100000.00' }))
      .when(sms({ balance: 8, at: 6 }))
      .then(resendOf(0)))
  it('and does not count as another balance between two sendings of another notification', () =>
    given(sms({ balance: 8 }), sms({ balance: 8, at: 6 }), sms({ balance: 7, order: 'DH2', stamp: 3 }))
      .when(sms({ balance: 7, order: 'DH2', at: 9 }))
      .then(resendOf(2)))
  it('unless it prints only a balance and arrives after more than ten minutes', () =>
    given(sms({ balance: 7 }))
      .when(sms({ balance: 7, at: 601 }))
      .then(another))
  it('unless another balance of the account was printed in between', () =>
    given(sms({ balance: 7 }), sms({ balance: 9, direction: 'debit', at: 60 }))
      .when(sms({ balance: 7, at: 120 }))
      .then(another))
  it('unless another balance was printed in between, in the same second as one of them', () => {
    given(sms({ balance: 7 }), sms({ balance: 9, direction: 'debit' }))
      .when(sms({ balance: 7, at: 60 }))
      .then(another)
    given(sms({ balance: 9, direction: 'debit', at: 60 }), sms({ balance: 7, at: 60 }))
      .when(sms({ balance: 7, stamp: 0, arrives: 70 }))
      .then(another)
  })
  it('unless its stamp is hours earlier, although the clock is ahead and it arrives at once', () =>
    given(sms({ balance: 7, stamp: 8 * HOUR, arrives: 0 }))
      .when(sms({ balance: 7, stamp: -7 * HOUR, arrives: 60 }))
      .then(another))
  it('also of a copy, if it is sent once more', () =>
    given(push({ order: 'DH1' }), sms({ order: 'DH1', at: 1 }), sms({ order: 'DH1', at: 4 }))
      .when(sms({ order: 'DH1', at: 4 }))
      .then(resendOf(1, 0)))
  it('even if another balance was printed before both', () =>
    given(sms({ balance: 9, direction: 'debit', at: 0 }), sms({ balance: 7, at: 60 }))
      .when(sms({ balance: 7, at: 120 }))
      .then(resendOf(1)))
  it('even if another balance was printed after both and arrived before the second', () =>
    given(sms({ balance: 7 }), sms({ balance: 9, direction: 'debit', at: 120 }))
      .when(sms({ balance: 7, stamp: 60, arrives: 130 }))
      .then(resendOf(0)))
  it('even if another account printed a balance in between', () =>
    given(sms({ balance: 7, account: '111' }), sms({ balance: 9, account: '222', at: 60 }))
      .when(sms({ balance: 7, account: '111', at: 120 }))
      .then(resendOf(0)))
  it('even if another source printed a balance in between', () =>
    given(sms({ balance: 7 }), push({ balance: 9, at: 60 }))
      .when(sms({ balance: 7, at: 120 }))
      .then(resendOf(0)))
})

describe('row 2: the same source and text close together is a resend', () => {
  it('for pushes up to ten seconds apart, because Android posts twice', () =>
    given(push())
      .when(push({ at: 10 }))
      .then(resendOf(0)))
  it('but not for pushes eleven seconds apart', () =>
    given(push())
      .when(push({ at: 11 }))
      .then(another))
  it('for SMS up to five seconds apart', () =>
    given(sms())
      .when(sms({ at: 5 }))
      .then(resendOf(0)))
  it('but not for SMS six seconds apart', () =>
    given(sms())
      .when(sms({ at: 6 }))
      .then(another))
  it('by the stamps, not by the arrivals', () =>
    given(sms())
      .when(sms({ stamp: 60, arrives: 1 }))
      .then(another))
  it('without stamps up to ten minutes apart', () =>
    given(url())
      .when(url({ arrives: 600 }))
      .then(resendOf(0)))
  it('but not without stamps more than ten minutes apart', () =>
    given(url())
      .when(url({ arrives: 601 }))
      .then(another))
  it('but not if only one has a stamp', () =>
    given(url({ stamp: 0 }))
      .when(url({ arrives: 60 }))
      .then(another))
  it('of the nearer of two', () =>
    given(push(), push({ at: 12 }))
      .when(push({ at: 8 }))
      .then(resendOf(1)))
})
