/**
 * Attack: references that a payer writes. One channel of a bank adds a number of its own to the memo, breaks it or cuts it. The other channel
 * shows the payer's words only. What the payer wrote must not make one payment two.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { orderIdOf } from '../../domain/reader/order-id.ts'
import { read } from '../../domain/reader/reader.ts'
import { normalise } from '../../domain/text.ts'
import { repetitions } from '../harness/repetitions.ts'
import { verdictsOn, type Sent } from './verdicts-on.ts'

const AT = '2026-11-20T10:00:07+07:00'
const sms = (sender: string, text: string): Sent => ({ type: 'sms', sender, at: AT, text })
const push = (app: string, title: string, text: string): Sent => ({ type: 'notification', package: app, title, at: AT, text }) // prettier-ignore

/** The SMS and the push of one payment. `end` is the length at which the SMS ends. */
type Channels = (memo: string, end?: number, mark?: string) => readonly [Sent, Sent]

const cutTo = (text: string, end: number, mark: string): string =>
  text.length > end ? text.slice(0, end) + mark : text

const VPB: Channels = (memo, end = 160, mark = '') => [
  sms('VPBank', cutTo(`TK 10012345678 tai VPB +150,000VND luc 10:00 20/11/26. So du 5,380,000VND. ND: NHAN TU 0011004177 TRACE 560102 ND ${memo}`, end, mark)),
  push('com.vnpay.vpbankonline', 'VPBank NEO + 150,000 ₫', `Tài khoản: 10****78\nSố dư: 5,380,000 ₫\n${memo}`),
] // prettier-ignore

const MB: Channels = (memo, end = 160, mark = '') => {
  const whole = `${memo} - Ma giao dich/ Trace 998593`
  return [
    sms('MBBANK', cutTo(`TK 4240xxxx4584|GD: +150,000VND 20/11/26 10:00|SD:5,380,000VND|ND: ${whole.replace(/[^]{35}/g, '$& ')}`, end, mark)),
    push('com.mbmobile', 'MB Bank', `TK 42xxx584|GD: +150,000VND 20/11/26 10:00 |SD: 5,380,000VND|TU: NGUYEN VAN AN - 0011004177|ND: ${whole}`),
  ] // prettier-ignore
}

const CTG: Channels = (memo, end = 160, mark = '~') => [
  sms('VietinBank', cutTo(`VietinBank:20/11/2026 10:00|TK:10012345678|GD:+150,000VND|SDC:5,380,000VND|ND:So GD: 124A2210XKCSDB ${memo}`, end, mark)),
  push('com.vietinbank.ipay', 'VietinBank', `Thời gian: 20/11/2026 10:00\nTài khoản: 10012345678\nGiao dịch: +150,000 VND\nSố dư hiện tại: 5,380,000 VND\nNội dung: ${memo}`),
] // prettier-ignore

const ACB: Channels = (memo, end = 160, mark = '') => [
  sms('ACB', cutTo(`ACB: TK 10012345678(VND) + 150,000 luc 10:00 20/11/2026. So du 5,380,000. GD: ${memo}`, end, mark)),
  push(
    'mobile.acb.com.vn',
    'ACB ONE',
    `ACB: TK 10012345678(VND) + 150,000 luc 10:00 20/11/2026. So du 5,380,000. GD: ${memo} GD 6256IBT1AJQ 201126-10:00:05`,
  ),
]

const TCB: Channels = (memo, end = 160, mark = '') => [
  sms('Techcombank', cutTo(`TK 19033255551111\nSo tien GD:+150,000\nSo du:5,380,000\n${memo}`, end, mark)),
  push('vn.com.techcombank.bb.app', '+ VND 150,000', `Tài khoản: 19033255551111\nSố dư: VND 5,380,000\n${memo}`),
]

/** An SMS to which a forwarder app has added lines. */
const withLines = (sent: Sent): Sent => ({ ...sent, text: `${sent.text}\nSIM1_Viettel\n2026-11-20 10:00:07\nPhone` })

const isOne = ([one, other]: readonly [Sent, Sent]): void => {
  expect(verdictsOn(one, other), `${one.text}\n${other.text}`).to.deep.equal(['new', 'copy'])
  expect(verdictsOn(other, one), `${other.text}\n${one.text}`).to.deep.equal(['new', 'copy'])
}

const idOf = ({ text, sender, package: app, title }: Sent) => {
  const { reading } = read({ text, sender, package: app, title }, new Date(AT))
  return reading && orderIdOf(reading.content, text, ['DH'])?.order_id
}

describe('a payment in two channels', () => {
  it('stays one if the payer writes a number like the one that only the SMS adds', () => {
    for (const memo of [
      'DH1042 trace 448699',
      'trace 12345 DH1042 Trace 23456',
      `DH1042 ${'x'.repeat(20)} Trace 12345`,
    ])
      isOne(VPB(memo))
    for (const memo of ['DH1042 So GD: 99A9999ZZZZZZ', 'So GD: 99A9999ZZZZZZ DH1042']) isOne(CTG(memo))
  })

  it('stays one if the SMS ends before such a number', () => {
    const memo = `DH1042 ${'x'.repeat(30)} trace 448699`
    for (let end = 130; end < 175; end++) isOne(VPB(memo, end))
    for (let end = 130; end < 175; end++) isOne(CTG(memo.replace('trace', 'So GD:'), end))
  })

  it('stays one if the bank breaks its SMS within a number of the payer', () => {
    for (let filler = 0; filler < 30; filler++)
      for (const number of ['So GD: 124A2210XKCSDB', 'ACSP/ az453273IBBIZ', 'Ma giao dich: 123456DH7'])
        isOne(MB(`DH1042 ${'x'.repeat(filler)} ${number} cam on`))
  })

  it('stays one if the SMS ends within a number that the payer made longer than the bank’s', () => {
    const memo = 'DH1042 thanh toan don hang nay cho shop nhe ban oi ACSP/ az453273DH7 cam on'
    for (let end = 130; end < 160; end++) isOne(ACB(memo, end))
  })

  it('stays one if the SMS ends among several numbers of the payer', () => {
    const memo = 'DH1042 GD AAAA11 201126 09:00:00 GD BBBB22 201126 09:00:00 GD CCCC33 201126 09:00:00'
    for (let end = 130; end < 180; end++) isOne(ACB(memo, end))
  })

  it('stays one if the SMS ends within the order id, without a mark', () => {
    const memo = `NGUYEN VAN AN thanh toan cho don hang so ${'x'.repeat(40)} DH104299`
    for (const channels of [MB, ACB, TCB, VPB]) {
      const at = channels(memo, 500)[0].text.indexOf('DH104299')
      for (let end = Math.max(130, at + 3); end <= at + 8; end++) isOne(channels(memo, end))
    }
  })

  it('stays one if the SMS ends within the order id, and a forwarder app adds lines', () => {
    const memo = `NGUYEN VAN AN thanh toan cho don hang so ${'x'.repeat(40)} DH104299`
    for (const channels of [MB, ACB, TCB, VPB]) {
      const at = channels(memo, 500)[0].text.indexOf('DH104299')
      for (let end = Math.max(130, at + 3); end <= at + 8; end++) {
        const [sent, other] = channels(memo, end)
        isOne([withLines(sent), other])
      }
    }
  })

  it('stays one if the bank breaks its SMS between the digits and the letters of an order id', () => {
    const memo = `${'x'.repeat(28)} DH1042`
    expect(memo.length).to.equal(35)
    isOne(MB(`${memo}AB`))
    isOne(MB(`${memo}AB cam on shop`))
    isOne(MB(`${memo} AB`))
  })

  it('stays one if the SMS ends within an order id that begins with Đ', () => {
    const memo = `NGUYEN VAN AN thanh toan cho don hang so ${'x'.repeat(40)} ĐH104299`
    for (const channels of [TCB, ACB]) isOne(channels(memo, channels(memo, 500)[0].text.indexOf('ĐH104299') + 4))
  })

  it('stays one if the payer fills the SMS with blanks up to its end', () => {
    const memo = `NGUYEN VAN AN${' '.repeat(60)}thanh toan DH104299`
    for (const channels of [TCB, ACB, VPB]) {
      const at = channels(memo, 500)[0].text.indexOf('DH104299')
      expect(at).to.be.greaterThan(130)
      isOne(channels(memo, at + 4))
    }
  })

  it('stays one if the SMS ends after letters that are cut off an order id', () => {
    const memo = `NGUYEN VAN AN thanh toan cho don hang so ${'x'.repeat(50)} DH7CK8`
    for (const channels of [TCB, ACB]) isOne(channels(memo, channels(memo, 500)[0].text.indexOf('DH7CK8') + 5))
  })

  it('stays one if the payer begins the memo with blanks, which shift the breaks of the SMS', () => {
    for (const blanks of [1, 2, 5]) isOne(MB(`${' '.repeat(blanks)}${'x'.repeat(29 - blanks)} DH104299 cam on`))
  })

  it('stays one, and keeps its order id, whatever invisible characters the payer writes', () => {
    for (const code of [
      0x200b, 0xad, 0x34f, 0x61c, 0x115f, 0x180b, 0x202e, 0x2060, 0x2066, 0x3164, 0xfe0f, 0xfeff, 0xfff9, 0xe0100,
    ]) {
      const sign = String.fromCodePoint(code)
      for (const memo of [
        `D${sign}H1${sign}042${sign} cam on`,
        `${sign}${sign}${'x'.repeat(27)} DH1042 AB`,
        `${'x'.repeat(20)}${sign} ${'x'.repeat(10 - sign.length)} D${sign}H1042 AB`,
        `DH1042 e${sign}\u0301 AB`,
        `\u0332${sign}DH1042`,
      ])
        for (const channels of [VPB, MB, CTG, ACB, TCB]) {
          const both = channels(memo, 500)
          expect(both.map(idOf), both[0].text).to.deep.equal(['DH1042', 'DH1042'])
          isOne(both)
        }
    }
  })

  it('stays one, and keeps its order id, if NFKC changes how many letters stand before a break of the SMS', () => {
    for (const letter of ['e\u0301', '½', 'ﬁ', '𝐃', '\u1100\u1161\u11a8', 'e\u200b\u0301'])
      for (let fill = 20; fill < 34; fill++) {
        const both = MB(`${letter}${'x'.repeat(fill)} DH104299 cam on`)
        expect(both.map(idOf), both[0].text).to.deep.equal(['DH104299', 'DH104299'])
        isOne(both)
      }
    // Two letters fewer before the break, and two signs more behind it.
    const evened = MB(`e\u0301e\u0301${'x'.repeat(26)} DH104299 cam on½`)
    expect(evened.map(idOf), evened[0].text).to.deep.equal(['DH104299', 'DH104299'])
  })

  it('stays one, and keeps its order id, if a forwarder app adds lines to an SMS with invisible characters or runs of blanks', () => {
    for (const sign of ['\u200b', '  ', '½'])
      for (let fill = 20; fill < 34; fill++) {
        const [sent, other] = MB(`x${sign}${'x'.repeat(fill)} DH104299 cam on`)
        const both = [withLines(sent), other] as const
        expect(both.map(idOf), both[0].text).to.deep.equal(['DH104299', 'DH104299'])
        isOne(both)
      }
  })

  it('stays one, and keeps its order id, if a forwarder app adds lines with blank lines between them', () => {
    const lines = '\nSIM1_Viettel\n\n\n2026-11-20 10:00:07\n\nPhone\n\nHome'
    for (const memo of [
      'DH104299',
      'DH104299 cam on shop rat nhieu nhe, giao nhanh nhe',
      `x  ${'x'.repeat(24)} DH104299`,
    ]) {
      const [sent, other] = MB(memo)
      const both = [{ ...sent, text: sent.text + lines }, other] as const
      expect(both.map(idOf), both[0].text).to.deep.equal(['DH104299', 'DH104299'])
      isOne(both)
      const short = { ...sent, text: sent.text.replace(' - Ma giao dich/ Trace 998593', lines) }
      expect(idOf(short), short.text).to.equal('DH104299')
    }
  })

  it('stays one if the payer also ends the memo in a mark of a cut, which the SMS does not reach', () => {
    for (const mark of ['~', '...', '…'])
      for (const channels of [MB, ACB, TCB, VPB, CTG]) {
        const memo = `NGUYEN VAN AN thanh toan cho don hang so ${'x'.repeat(40)} DH104299 x${mark}`
        const at = channels(memo, 500)[0].text.indexOf('DH104299')
        for (let end = Math.max(130, at + 3); end <= at + 8; end++) isOne(channels(memo, end, ''))
      }
  })

  it('stays one wherever an app cuts its push, also before the balance', () => {
    for (const channels of [VPB, MB, CTG, ACB, TCB]) {
      const [sent, whole] = channels('DH1042')
      let read = 0
      for (let end = 20; end < whole.text.length; end += 4) {
        const cut = { ...whole, text: `${whole.text.slice(0, end)}...` }
        if (verdictsOn(cut)[0] !== 'new') continue
        isOne([sent, cut])
        read++
      }
      expect(read, whole.text).to.be.greaterThan(2)
    }
  })

  it('is not confused with a later one that leaves the same balance, if the SMS ends within its order id', () => {
    const [one] = TCB(`thanh toan cho don hang so ${'x'.repeat(60)} DH104299`, 147)
    expect(one.text).to.match(/DH1\d*$/)
    const [, out] = TCB('RUT TIEN')
    const [, other] = TCB('DH2000')
    const debit = { ...out, title: '- VND 150,000', text: out.text.replace('5,380', '5,230') }
    const later = (sent: Sent, seconds: number) => ({
      ...sent,
      at: new Date(Date.parse(AT) + seconds * 1_000).toISOString(),
    })
    expect(verdictsOn(one, later(debit, 30), later(other, 60))).to.deep.equal(['new', 'new', 'new'])
    expect(verdictsOn(one, later(other, 700)), 'ten minutes later').to.deep.equal(['new', 'new'])
  })

  it('stays one if the bank’s label before the memo and the memo look like an order id', () => {
    isOne(VPB('H2000 DH1042'))
  })

  it('is two payments if the payer pays twice with the same text, some seconds apart and without a balance', () => {
    const memo = `NGUYEN VAN AN thanh toan cho don hang so ${'x'.repeat(30)} DH1042`
    const one = sms('BIDV', `TK8832123000 tai BIDV +150,000VND vao 10:00 20/11/2026. ND: ${memo}`)
    expect(one.text.length).to.be.greaterThan(130)
    expect(verdictsOn(one, { ...one, at: AT.replace('00:07', '00:14') })).to.deep.equal(['new', 'new'])
  })

  it('keeps the whole order id where the bank breaks its SMS and a mark shows that it is cut', () => {
    const text = 'TK 4240xxxx4584|GD: +150,000VND 20/11/26 10:00|SD:222,772,047VND|ND: '
    const memo = 'NGUYEN VAN AN thanh toan hang DH104 2 cam on shop rat nhieu nhe ban oi'
    for (const mark of ['...', '~'])
      expect(read({ text: `${text}${memo}${mark}`, sender: 'MBBANK' }, new Date(AT)).reading?.content).to.equal(
        `NGUYEN VAN AN thanh toan hang DH1042 cam on shop rat nhieu nhe ban oi${mark}`,
      )
  })

  it('stays one whatever numbers the payer writes, and wherever the SMS ends after the order id', () => {
    const numbers = fc.constantFrom('Trace 448699', 'trace 12345', 'FT26325123456789', 'FT2632512345678999', 'MBVCB.911539506', 'So GD: 99A9999ZZZZZZ',
      'Ma GD ACSP/ az453273', 'ACSP/ az453273FT26', 'Ma giao dich: 12345678', 'GD AAAA11 201126 09:00:00', 'IBBIZ.50870010070960280723.5', 'CK31310000806217',
      '292017.201126.100005', 'CT DEN:123456789', 'Ecom.EW23041745294945', '1732071605123ABCDEF', 'xxxxxxxxxx', 'chuyen tien') // prettier-ignore
    const payment = fc.record({
      channels: fc.constantFrom(VPB, MB, CTG, ACB),
      words: fc.array(numbers, { minLength: 1, maxLength: 6 }),
      end: fc.integer({ min: 132, max: 170 }),
      mark: fc.constantFrom('', '...', '~'),
    })
    fc.assert(
      fc.property(payment, ({ channels, words, end, mark }) => isOne(channels(`DH1042 ${words.join(' ')}`, end, mark))),
      { numRuns: repetitions(20_000, 400) },
    )
  })

  it('stays one whatever order ids the payer writes, and wherever the SMS ends', () => {
    const words = fc.constantFrom('DH1', 'DH22', 'DH1042', 'D', 'H', 'DH', 'ĐH9', '7', '42', '１２', ' ', ' ', '  ', '-', '_', 'x', 'xxxx', 'chuyen tien',
      'NGUYEN', 'CK', 'TT', 'GD', 'FT263250', 'trace', '.', '...', '~', ',', ':', '/', '|', '(', ')', 'ND:', 'SD:', 'TU:', 'H20', 'AB',
      '\u200b', '\u00ad', '\ufeff', '\u034f', '\ufe0f\u20e3', '\u0332', '–', '٤', 'e\u0301', '½') // prettier-ignore
    const payment = fc.record({
      channels: fc.constantFrom(VPB, MB, CTG, ACB, TCB),
      memo: fc.array(words, { minLength: 4, maxLength: 34 }).map((all) => all.join('')),
      end: fc.integer({ min: 140, max: 170 }),
      mark: fc.constantFrom('', '', '...', '~'),
      hasLines: fc.boolean(),
    })
    fc.assert(
      fc.property(payment, ({ channels, memo, end, mark, hasLines }) => {
        // Without a memo, a text of Techcombank ends in its balance, which may be cut. It has no order id, so nothing is sent.
        fc.pre(normalise(memo).trim() !== '')
        const [sent, other] = channels(memo, end, mark)
        isOne([hasLines ? withLines(sent) : sent, other])
      }),
      { numRuns: repetitions(20_000, 400) },
    )
  })
})
