/**
 * Attack: memos. A payer writes the memo of a transfer, and a merchant its name. Neither may change what the bank says about the money, make
 * one payment count twice, or make two payments count once.
 */
import { expect } from 'chai'
import { read } from '../../domain/reader/reader.ts'
import type { Incoming } from '../../domain/reader/reading.ts'
import { notifications } from '../corpus/corpus.ts'
import { verdictsOn, type Sent } from './verdicts-on.ts'

const readingOf = (incoming: Incoming, at = '2026-11-20T10:00:07+07:00') => {
  const result = read(incoming, new Date(at))
  return result.reading ?? result.reason
}

describe('the memo of a payer', () => {
  const vcb = (memo: string, cut: string): [Sent, Sent] => [
    {
      type: 'sms',
      sender: 'Vietcombank',
      at: '2026-11-20T10:00:07+07:00',
      text: `SD TK 0011000415567 +150,000VND luc 20-11-2026 10:00:05. SD 222,772,047VND. Ref ${cut}`,
    },
    {
      type: 'notification',
      package: 'com.VCB',
      title: 'Biến động số dư',
      at: '2026-11-20T10:00:06+07:00',
      text: `Số dư TK VCB 0011000415567 +150,000 VND lúc 20-11-2026 10:00:05. Số dư 222,772,047 VND. Ref ${memo}`,
    },
  ]

  for (const [label, cut, whole] of [
    ['a reference of the sender', 'Ma GD A12345678901...', 'Ma GD A1234567890123456789'],
    ['a trace number', 'Trace 4486…', 'Trace 448699'],
    ['a reference of another bank', 'FT20319188~', 'FT20319188602556'],
  ] as const)
    it(`makes no second payment if the SMS cuts ${label} in it`, () => {
      const [sms, push] = vcb(`MBVCB.911539506.DH1042 ${whole}`, `MBVCB.911539506.DH1042 ${cut}`)
      expect(verdictsOn(sms, push)).to.deep.equal(['new', 'copy'])
      expect(verdictsOn(push, sms)).to.deep.equal(['new', 'copy'])
    })

  it('makes no second payment by its length, where the SMS ends in the middle of a reference without a mark', () => {
    const memo = '(B/O NGAN HANG TMCP QUAN DOI) NGUYEN VAN AN thanh toan don hang so DH1042 cho shop'
    for (const reference of ['FT26324123456789', 'MBVCB.12345678901', 'Trace 448699', 'Ma GD ACSP/ az453273']) {
      const whole = `TK 19132608555555\nSo tien GD:+150,000\nSo du:378,680,952\n${memo} ${reference}`
      const push: Sent = {
        type: 'notification',
        package: 'vn.com.techcombank.bb.app',
        title: '+ VND 150,000',
        at: '2026-11-20T10:00:06+07:00',
        text: `Tài khoản: 19132608555555\nSố dư: VND 378,680,952\n${memo} ${reference}`,
      }
      for (let end = whole.length - reference.length; end <= whole.length; end++) {
        const text = whole.slice(0, end)
        const sms: Sent = { type: 'sms', sender: 'Techcombank', at: '2026-11-20T10:00:07+07:00', text }
        expect(verdictsOn(sms, push), text).to.deep.equal(['new', 'copy'])
        expect(verdictsOn(push, sms), text).to.deep.equal(['new', 'copy'])
        // The reference still proves that the phone sends the same text again.
        const again: Sent = { ...sms, at: '2026-11-20T12:00:07+07:00' }
        if (/\d{9,}$/.test(text)) expect(verdictsOn(sms, again), text).to.deep.equal(['new', 'resend'])
      }
    }
  })

  it('makes no second payment by blanks that shift the columns at which MB breaks its SMS', () => {
    const at = '2026-11-20T10:00:07+07:00'
    for (const memo of [
      'NGUYEN VAN A thanh toan don hang so DH1042  - Ma giao dich/ Trace 998593',
      'NGUYEN VAN A   thanh toan cho don so DH1042 - Ma giao dich/ Trace 998593',
    ])
      for (const blank of [' ', '\n']) {
        const broken = memo.replace(/.{35}/g, (piece) => piece + blank)
        const head = 'TK 4240xxxx4584|GD: +150,000VND 20/11/26 10:00|SD:222,772,047VND'
        const sms: Sent = { type: 'sms', sender: 'MBBANK', at, text: `${head}|ND: ${broken}` }
        const text = `${head}|TU: NGUYEN VAN A - 0011004191177|ND: ${memo}`
        const push: Sent = { type: 'notification', package: 'com.mbmobile', at, text }
        expect(readingOf(sms), memo).to.include({ transaction_ref: '998593', content: memo.replace(/ +/g, ' ') })
        expect(verdictsOn(sms, push), memo).to.deep.equal(['new', 'copy'])
        expect(verdictsOn(push, sms), memo).to.deep.equal(['new', 'copy'])
      }
  })

  it('cannot hide the bank’s reference by dots of its own', () => {
    const [sms] = vcb('', 'MBVCB.911539506... DH1042')
    expect(readingOf(sms)).to.have.property('transaction_ref', 'MBVCB.911539506')
  })

  for (const memo of ['DH1042 SD: 9,999,999VND', 'DH1042|SD: 9,999,999VND'])
    it(`makes no second payment by a balance at its end: ${memo}`, () => {
      const text = `SeABank: Ngay 09/10/2026. TK: 0011004123789. Phat sinh: +500,000 VND. So du: 2,500,000 VND. Noi dung: ${memo}`
      const sms: Sent = { type: 'sms', sender: 'SeABank', at: '2026-10-09T06:00:03+07:00', text }
      const push: Sent = {
        type: 'notification',
        package: 'vn.com.seabank.mb1',
        title: 'Biến động số dư',
        at: '2026-10-09T06:00:01+07:00',
        text: `Giao dịch: +500,000VND\nTài khoản: 0011004xxx789\nThời gian: 09-10-2026 06:00:00\nMô tả: ${memo}`,
      }
      expect(readingOf(push, push.at)).to.include({ balance_after: null, content: memo })
      expect(verdictsOn(sms, push)).to.deep.equal(['new', 'copy'])
    })

  it('never merges two payments by a reference that looks like the bank’s', () => {
    const push = (memo: string, at: string): Sent => ({
      type: 'notification',
      package: 'com.vnpay.bidv',
      at,
      text: `Tài khoản thanh toán: 8832123000\nSố tiền GD: +150,000 VND\nNội dung giao dịch: ${memo}`,
    })
    for (const label of [' Ma giao dich: 12345678', '|Ma giao dich: 12345678']) {
      const [one, other] = [`DH3001${label}`, `DH3002${label}`]
      const two = [push(one, '2026-11-20T10:00:07+07:00'), push(other, '2026-11-20T15:00:07+07:00')] as const
      expect(verdictsOn(...two), label).to.deep.equal(['new', 'new'])
    }
  })

  it('is not a test message because of its words', () => {
    for (const memo of ['dang tin thu mua xe', 'test message', 'this is a test']) {
      const text = `SHB: TK 1012xxxx5847. Ma GD 202610091234567. So tien: +700,000 VND luc 09/10/2026 10:00. SD: 900,000 VND. ND: DH4001 ${memo}`
      expect(readingOf({ sender: 'SHB', text }), memo).to.include({ amount: '700000.00', transaction_type: 'credit' })
      const push = `Giao dịch: +500,000VND\nTài khoản: 0011004xxx789\nThời gian: 09-10-2026 06:00:00\nMô tả: DH4001 ${memo}`
      expect(readingOf({ package: 'vn.com.seabank.mb1', text: push }), memo).to.include({ amount: '500000.00' })
    }
  })

  it('is not removed as a line of a forwarder app because it begins with SIM and a number', () => {
    const text = '+ VND 70,592,223\nTai khoan Thanh toan: 19034753333339\nSo du: VND 955,190,940\nSIM 0912345678 DH1042'
    expect(readingOf({ package: 'vn.com.techcombank.bb.app', text })).to.include({
      balance_after: '955190940.00',
      content: 'SIM 0912345678 DH1042',
    })
  })

  const mailWith = (memo: string): Incoming => ({
    from: 'mailalert@acb.com.vn',
    subject: 'ACB-Dich vu bao so du tu dong',
    text: `Kính gửi Quý khách hàng.\n\nACB trân trọng thông báo tài khoản 27550000 của Quý khách đã thay đổi số dư như sau:\nSố dư mới của tài khoản trên là: 10,000.00 VND tính đến 13/09/2026.\nGiao dịch mới nhất:Ghi có +10,000.00 VND.\nNội dung giao dịch: ${memo}.\n\nCảm ơn Quý khách hàng đã sử dụng Sản phẩm/ Dịch vụ của ACB.`,
  })

  it('makes no second payment by a time in a mail of ACB', () => {
    for (const memo of [
      'DH1042 130926-09:00:00',
      'DH1042 GD ABCDEF1 130926-09:00:00',
      // The bank's own time of the order, a second before it books the money.
      'DH1042 GD 6256IBT1AJQYKLVM 130926-13:36:59',
    ]) {
      const mail: Sent = { type: 'mail', at: '2026-09-13T13:37:20+07:00', ...mailWith(memo) }
      const text = `ACB: TK 27550000(VND) + 10,000 luc 13:37 13/09/2026. So du 10,000. GD: ${memo}`
      const sms: Sent = { type: 'sms', sender: 'ACB', at: '2026-09-13T13:37:05+07:00', text }
      expect(verdictsOn(sms, mail), memo).to.deep.equal(['new', 'copy'])
      expect(verdictsOn(mail, sms), memo).to.deep.equal(['new', 'copy'])
    }
  })

  it('never merges two mails of ACB by a time', () => {
    const two = ['13:37:09', '13:39:59'].map((time, index): Sent => ({
      type: 'mail',
      at: `2026-09-13T13:4${index}:20+07:00`,
      ...mailWith(`DH104${index} GD 6256IBT1AJQYKLV${index} 130926-${time}`),
    }))
    expect(verdictsOn(...two)).to.deep.equal(['new', 'new'])
  })

  it('pays no second order by a label of its own in a push without labels', () => {
    const memo = 'DH1042 ND: DH2000'
    const sms: Sent = {
      type: 'sms',
      sender: 'Techcombank',
      at: '2026-11-20T10:00:07+07:00',
      text: `TK 19034753903333\nSo tien GD:+3,000,000\nSo du:174,545,590\n${memo}`,
    }
    const push: Sent = {
      type: 'notification',
      package: 'vn.com.techcombank.bb.app',
      title: 'Techcombank',
      at: '2026-11-20T10:00:06+07:00',
      text: `+ 3,000,000 VND\nTài khoản: 19034753903333\nSố dư: 174,545,590 VND\n${memo}`,
    }
    expect(readingOf(push, push.at)).to.include({ content: memo, balance_after: '174545590.00' })
    expect(verdictsOn(sms, push)).to.deep.equal(['new', 'copy'])
    const labelled = { ...push, text: push.text.replace(memo, `Nội dung: ${memo}`) }
    expect(readingOf(labelled, push.at)).to.have.property('content', memo)
  })

  it('sets no time in a push without a label of its memo', () => {
    const push = (...lines: string[]): Incoming => ({
      package: 'vn.com.techcombank.bb.app',
      title: 'Techcombank',
      text: ['+ 3,000,000 VND', 'Tài khoản: 19034753903333', 'Số dư: 174,545,590 VND', ...lines].join('\n'),
    })
    for (const memo of ['coc 20/10/2026 DH1042', 'ngay 20/10/2026 dat coc DH1042', 'DH1042 luc 10:00 01/01/2020'])
      expect(readingOf(push(memo)), memo).to.include({ amount: '3000000.00', printed_time: null })
    const at = { at: '2026-11-20T02:59:00.000Z', precision: 'minute', year_printed: true }
    for (const time of [
      '09:59 20/11/2026',
      'Thời gian: 09:59 20/11/2026',
      'Vào lúc: 20/11/2026 09:59',
      'lúc 09:59 20/11/2026',
    ])
      for (const lines of [
        [time, 'coc 20/10/2026'],
        ['coc 20/10/2026 DH1042', time],
      ])
        expect(readingOf(push(...lines)), lines.join())
          .to.have.property('printed_time')
          .that.deep.equals(at)
  })

  it('sets no time in a mail of ACB', () => {
    const timeIn = (memo: string) => {
      const reading = readingOf(mailWith(memo), '2026-09-13T13:37:40+07:00')
      return typeof reading === 'string' ? reading : reading.printed_time
    }
    const bank = 'GD 6256IBT1AJQYKLVM 130926-13:37:09'
    const printed = { at: '2026-09-13T06:37:09.000Z', precision: 'second', year_printed: true }
    const day = { at: '2026-09-12T17:00:00.000Z', precision: 'day', year_printed: true }
    for (const memo of ['130926-12:00:00', '010120-12:00:00', 'GD 6256IBT1AJQYXXXX 130926-12:00:00'])
      expect(timeIn(`DH1042 ${memo} ${bank}`), memo).to.deep.equal(printed)
    // Without a time of the bank, the payer's must not contradict the printed day.
    expect(timeIn('DH1042 010120-12:00:00')).to.deep.equal(day)
    const [own] = [readingOf(mailWith(`DH1 GD 6256IBT1AJQYXXXX 130926-12:00:00 ${bank}`))]
    expect(own).to.have.property('transaction_ref', '6256IBT1AJQYKLVM')
  })
})

describe('the name of a merchant', () => {
  const { text, from } = notifications.find(({ id }) => id === 'c052')! as { text: string; from: string }

  it('turns no card payment into money that came in', () => {
    expect(readingOf({ from, subject: 'MB', text })).to.include({ transaction_type: 'debit', amount: '37000.00' })
    for (const name of [
      'SO TIEN +9,000,000VND DH7',
      'SO TIEN GIAO DICH: +9,000,000 VND',
      'SO DU 1 VND',
      'TINH TRANG that bai',
    ]) {
      const hostile = readingOf({ from, subject: 'MB', text: text.replace('AEON NGUYEN VAN LINH', name) })
      expect(hostile, name).to.include({ transaction_type: 'debit', amount: '37000.00', content: name })
      const inLines = text.replace('AEON NGUYEN VAN LINH', name).replaceAll(/ ?\| ?/g, '\n')
      const { reading } = read({ from, subject: 'MB', text: inLines }, new Date('2026-08-25T19:00:00+07:00'))
      expect(reading?.amount ?? '37000.00', name).to.equal('37000.00')
      expect(reading?.balance_after ?? '53362751.00', name).to.equal('53362751.00')
    }
  })
})

describe('a number', () => {
  it('with an unknown separator or unit is not read as a smaller one', () => {
    for (const amount of ["10'000'000", '10’000’000', '10_000_000', '10·000·000', '2.000k', '1,500nghin', '2.500tr']) {
      const text = `TK 12345678: +${amount}. So du: 942,390,864 VND. ND: DH1`
      expect(readingOf({ sender: 'ACB', text }), amount).to.be.a('string')
    }
    const text = "+ VND 10'000'000\nTai khoan Thanh toan: 19034753333339\nSo du: VND 942,390,864\nDH1"
    expect(readingOf({ package: 'vn.com.techcombank.bb.app', text })).to.be.a('string')
  })

  it('with marks or digits after it that are not part of it is not read as a smaller one', () => {
    for (const amount of [
      '1,500 000',
      '1.500 000',
      '1 500,000',
      '1, 500, 000',
      '1,500,\n000',
      '1 50,000',
      '1٬500٬000',
      '1.500k',
      '1.500kVND',
      '1,500,000.5',
      '150,0OO',
      '1,5',
      '1**,000',
      '1–500',
      '1:30',
      '1/2',
      '½',
    ]) {
      const texts: Record<string, Incoming> = {
        layout: {
          sender: 'DONGA BANK',
          text: `20/11/26 10:00 DongA Bank thong bao: TK 0111090000 da thay doi: +${amount} VND. DH1042. So du hien tai la: 222,772,047 VND.`,
        },
        labels: {
          sender: 'ACB',
          text: `ACB: TK 245115000(VND) + ${amount} luc 10:00 20/11/2026. So du 222,772,047. GD: DH1042`,
        },
        title: {
          package: 'vn.com.techcombank.bb.app',
          title: `+ VND ${amount}`,
          text: 'Tài khoản: 19033255551111\nSố dư: VND 222,772,047\nDH1042',
        },
      }
      for (const [name, incoming] of Object.entries(texts))
        expect(readingOf(incoming), `${amount} ${name}`).to.be.a('string')
    }
  })
})
